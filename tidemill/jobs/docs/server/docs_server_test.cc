// The two servers over a real connection, with scripted answers. Ids: D a document, C a collection,
// M a comment.
#include "tidemill/jobs/docs/server/docs_server.h"

#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "tidemill/jobs/docs/server/docs_server_rig.h"

namespace tidemill::docs {
namespace {

const std::string kD = "11111111-1111-4111-8111-111111111111";
const std::string kC = "22222222-2222-4222-8222-222222222222";
const std::string kM = "33333333-3333-4333-8333-333333333333";
const std::string kKey(kRigKey);
const std::string kDocument =
    R"({"id":")" + kD + R"(","title":"T\u00e4g","text":"a\nb","collectionId":")" + kC +
    R"(","url":"/doc/t","updatedAt":"2026-01-02T03:04:05.678Z","revision":7,"archivedAt":null})";

std::string answer_with(const std::string& json) {
  return reply(200, R"({"ok":true,"data":)" + json + "}");
}

// Every call of the interface, once.
using Call = std::function<Failure(Outline&)>;
struct NamedCall {
  std::string endpoint;
  std::string body;  // as it must be sent
  Call call;
};

const std::vector<NamedCall>& every_call() {
  static const std::vector<NamedCall> kCalls = {
      {"auth.info", "", [](Outline& o) { return failure_of(o.who()); }},
      {"collections.list", R"({"offset":0,"limit":100})",
       [](Outline& o) { return failure_of(o.collections()); }},
      {"documents.list",
       R"({"offset":20,"limit":10,"sort":"updatedAt","direction":"DESC","collectionId":")" + kC +
           R"("})",
       [](Outline& o) {
         return failure_of(o.list({.collection = kC, .offset = 20, .limit = 10}));
       }},
      {"documents.search", R"({"query":"a \"b\"","offset":0,"limit":5})",
       [](Outline& o) { return failure_of(o.search("a \"b\"", 5)); }},
      {"documents.info", R"({"id":")" + kD + R"("})",
       [](Outline& o) { return failure_of(o.document(kD)); }},
      {"documents.update",
       R"({"id":")" + kD +
           R"(","title":"t","editMode":"patch","findText":"f","text":"x\ny","lastRevision":7})",
       [](Outline& o) {
         Edit edit;
         edit.title = "t";
         edit.text = TextEdit{.find = "f", .text = "x\ny"};
         edit.last_revision = 7;
         return failure_of(o.update(kD, edit));
       }},
      {"documents.move", R"({"id":")" + kD + R"(","collectionId":")" + kC + R"("})",
       [](Outline& o) { return failure_of(o.move(kD, kC)); }},
      {"comments.info", R"({"id":")" + kM + R"("})",
       [](Outline& o) { return failure_of(o.comment(kM)); }},
      {"comments.create", R"({"id":")" + kM + R"(","documentId":")" + kD + R"(","text":"hi"})",
       [](Outline& o) { return failure_of(o.post_comment(kM, kD, "hi")); }},
  };
  return kCalls;
}

TEST(OutlineHttp, SendsRequestsAsTheApiDescribes) {
  for (const auto& [endpoint, body, call] : every_call()) {
    WireRig rig({reply(500, "")});
    (void)call(*rig.outline());
    const auto received = rig.server.received();
    ASSERT_EQ(received.size(), 1U) << endpoint;
    const std::string& head = received[0].head;
    EXPECT_TRUE(head.starts_with("POST /api/" + endpoint + " HTTP/1.1\r\n")) << head;
    EXPECT_TRUE(head.contains("\r\nAuthorization: Bearer " + kKey)) << head;
    EXPECT_EQ(head.contains("\r\nContent-Type: application/json"), !body.empty()) << head;
    EXPECT_EQ(head.contains("\r\nContent-Type"), !body.empty()) << head;
    EXPECT_TRUE(head.contains("\r\nAccept: application/json")) << head;
    EXPECT_EQ(received[0].body, body);
  }
}

TEST(OutlineHttp, OmitsUnsetFieldsAndTruncatesLongQueries) {
  WireRig rig({reply(500, "")});
  const auto outline = rig.outline();
  (void)outline->list({});
  Edit edit;
  edit.title = "t";
  (void)outline->update(kD, edit);
  (void)outline->search(std::string(199, 'x') + "\xe2\x82\xac\xe2\x82\xac", 1);
  const auto received = rig.server.received();
  ASSERT_EQ(received.size(), 3U);
  EXPECT_EQ(received[0].body, R"({"offset":0,"limit":100,"sort":"updatedAt","direction":"DESC"})");
  EXPECT_EQ(received[1].body, R"({"id":")" + kD + R"(","title":"t","lastRevision":0})");
  EXPECT_EQ(received[2].body,
            R"({"query":")" + std::string(199, 'x') + "\xe2\x82\xac\",\"offset\":0,\"limit\":1}");
}

TEST(OutlineHttp, ReadsDocuments) {
  WireRig rig({answer_with(kDocument), answer_with("[" + kDocument + "]"),
               answer_with(R"([{"context":"c","ranking":1.5,"document":)" + kDocument + "}]"),
               answer_with(R"({"id":")" + kD +
                           R"(","title":"","text":"","collectionId":null,"revision":0,)" +
                           R"("updatedAt":"","deletedAt":"2026-01-01T00:00:00Z"})")});
  const auto outline = rig.outline();
  OutlineDocument expected;
  expected.id = kD;
  expected.title = "T\xc3\xa4g";
  expected.text = "a\nb";
  expected.collection = kC;
  expected.url = "/doc/t";
  expected.updated_at = "2026-01-02T03:04:05.678Z";
  expected.revision = 7;
  EXPECT_EQ(outline->document(kD).value(), expected);
  EXPECT_EQ(outline->list({}).value(), std::vector{expected});
  const auto hits = outline->search("q", 1);
  ASSERT_TRUE(hits.has_value() && hits->size() == 1) << text_of(failure_of(hits));
  EXPECT_EQ(hits->front().document, expected);
  EXPECT_EQ(hits->front().context, "c");
  const auto gone = outline->document(kD).value().value();
  EXPECT_TRUE(gone.is_gone);
  EXPECT_EQ(gone.collection, "");
}

TEST(OutlineHttp, ReadsAllPagesOfCollectionsButAThousandAtMost) {
  std::string page = "[";
  const std::string one = R"({"id":")" + kC + R"(","name":"N","description":null})";
  for (int i = 0; i < 99; ++i) page += one + ",";
  WireRig two({answer_with(page + R"({"id":")" + kC + R"(","name":"N","archivedAt":"2026"}])"),
               answer_with("[" + one + "]")});
  EXPECT_EQ(two.outline()->collections().value().size(), 100U);
  EXPECT_EQ(two.server.received()[1].body, R"({"offset":100,"limit":100})");
  WireRig endless({answer_with(page + one + "]")});
  EXPECT_EQ(endless.outline()->collections().value().size(), 1'000U);
  EXPECT_EQ(endless.server.received().size(), 10U);
}

TEST(OutlineHttp, ReturnsNotFoundAndConflictAsResultsWhereTheCallAllows) {
  const std::string comment = R"({"id":")" + kM + R"(","documentId":")" + kD +
                              R"(","data":{"type":"doc","content":[{"content":[)"
                              R"({"text":"Hello "},{"text":"you","marks":[]}]}]}})";
  WireRig rig({reply(404, ""), reply(404, ""), reply(409, "{}"), reply(404, ""), reply(404, ""),
               reply(409, "{}"), answer_with(comment), answer_with(kDocument),
               answer_with(R"({"user":{"name":"Bot"}})"),
               answer_with(R"({"documents":[],"collections":[]})"), answer_with(comment),
               reply(400, R"({"message":"id must be unique"})"),
               reply(400, R"({"message":"Validation isUUID on id failed"})")});
  const auto outline = rig.outline();
  Edit patch;
  patch.text = TextEdit{.find = "a", .text = "b"};
  EXPECT_EQ(outline->document(kD).value(), std::nullopt);
  EXPECT_FALSE(outline->comment(kM).value());
  EXPECT_EQ(outline->update(kD, patch).value().how, Updated::How::conflict);
  EXPECT_EQ(outline->update(kD, patch).value().how, Updated::How::missed);
  EXPECT_EQ(failure_of(outline->update(kD, {.title = "t"})).cure, Cure::give_up);
  EXPECT_EQ(failure_of(outline->move(kD, kC)).cure, Cure::retry);
  const auto seen = outline->comment(kM).value();
  ASSERT_TRUE(seen);
  EXPECT_EQ(seen->document, kD);
  EXPECT_EQ(outline->update(kD, {.title = "t"}).value().document.revision, 7);
  EXPECT_EQ(outline->who().value(), "Bot");
  EXPECT_TRUE(outline->move(kD, kC).has_value());
  EXPECT_EQ(outline->post_comment(kM, kD, "hi").value(), Posted::now);
  EXPECT_EQ(outline->post_comment(kM, kD, "hi").value(), Posted::id_is_taken);
  EXPECT_EQ(failure_of(outline->post_comment(kM, kD, "hi")).cure, Cure::give_up);
  const ServerCounts counts = rig.shared.counts();
  EXPECT_EQ(counts.conflicts, 1U);  // of updates
  EXPECT_EQ(counts.requests, 13U);
  EXPECT_EQ(counts.failed, 0U);
}

// Probed once for all workers, with requests that change nothing on any server.
TEST(OutlineHttp, FindsOutWhatAServerCanDo) {
  OutlineDocument document;
  document.id = kD;
  document.revision = 7;
  const std::string taken = answer_with(kDocument);
  for (const bool edits_parts : {false, true}) {
    for (const bool guards_revisions : {false, true}) {
      WireRig rig({edits_parts ? reply(400, "{}") : taken,
                   guards_revisions ? reply(409, "{}") : taken, reply(500, "")});
      int calls = 0;
      rig.shared.on_abilities([&](const Abilities& /*can*/) { ++calls; });
      const Abilities can{.edits_parts = edits_parts, .guards_revisions = guards_revisions};
      const auto outline = rig.outline();
      EXPECT_EQ(outline->abilities(document).value(), can);
      EXPECT_EQ(rig.outline()->abilities(document).value(), can);
      EXPECT_EQ(calls, 1);
      const auto received = rig.server.received();
      ASSERT_EQ(received.size(), 2U);
      EXPECT_EQ(received[0].body, R"({"id":")" + kD + R"(","editMode":"patch"})");
      EXPECT_EQ(received[1].body, R"({"id":")" + kD + R"(","lastRevision":1000007})");
    }
  }
}

TEST(OutlineHttp, DetectsAServerWithEditModesButNoPatchMode) {
  OutlineDocument document;
  document.id = kD;
  WireRig rig({reply(400, R"({"message":"editMode: Invalid option: expected one of \"append\""})"),
               answer_with(kDocument)});
  EXPECT_FALSE(rig.outline()->abilities(document).value().edits_parts);
}

TEST(OutlineHttp, RefusesAnswersThatAreNotAsDescribed) {
  const std::string other = R"({"id":")" + kC + R"(","title":"","text":"","revision":1})";
  std::vector<std::string> hostile = {reply(200, "<html>log in</html>"),
                                      reply(200, ""),
                                      reply(200, R"({"ok":true})"),
                                      reply(204, ""),
                                      answer_with("null"),
                                      answer_with("[1]"),
                                      answer_with("{}"),
                                      answer_with("[{}]"),
                                      answer_with("\"data\""),
                                      answer_with("[null]"),
                                      answer_with(other),
                                      answer_with("[" + other + "]"),
                                      reply(200, std::string(100'000, '['))};
  for (const auto& [from, to] :
       std::vector<std::pair<std::string, std::string>>{{kD, "hDYep1TPAM"},
                                                        {kD, kM},
                                                        {":7", ":-1"},
                                                        {":7", ":1.5"},
                                                        {":7", ":\"7\""},
                                                        {":7", ":1e30"},
                                                        {"\"a\\nb\"", "{}"},
                                                        {kC, "no uuid"},
                                                        {"\"T\\u00e4g\"", "null"}}) {
    std::string changed = kDocument;
    changed.replace(changed.find(from), from.size(), to);
    hostile.push_back(answer_with(changed));
    if (to != kM) hostile.push_back(answer_with("[" + changed + "]"));
    hostile.push_back(answer_with(R"([{"document":)" + changed + "}]"));
  }
  for (const std::string& answer : hostile) {
    WireRig rig({answer});
    const auto outline = rig.outline();
    for (const auto& [endpoint, body, call] : every_call()) {
      const bool is_vague = endpoint == "documents.move" && answer.contains("\"data\":{");
      const bool knows_no_id = endpoint == "documents.search" && answer.contains(kM);
      const bool is_comment = endpoint.starts_with("comments") && answer.contains(kM);
      if (is_vague || knows_no_id || is_comment) continue;
      const Failure failure = call(*outline);
      EXPECT_EQ(failure.cure, Cure::give_up) << endpoint << "\n" << answer;
      EXPECT_EQ(failure.step, endpoint) << failure.reason << "\n" << answer;
      EXPECT_TRUE(failure.reason.starts_with("the response does not match the Outline API: "))
          << failure.reason << "\n"
          << answer;
    }
  }
}

TEST(OutlineHttp, NeverShowsTheKeyWhereverTheServerPutsIt) {
  const std::string echo = "Authorization: Bearer " + kKey;
  std::vector<std::string> replies;
  for (const int status : {301, 400, 401, 403, 404, 409, 429, 500}) {
    replies.push_back(reply(status, echo, "Location: /" + kKey + "\r\nRetry-After: 0\r\n"));
  }
  // Wherever a reason is cut, it must not be in the middle of a key.
  for (std::size_t i = 240; i < 320; ++i) replies.push_back(reply(400, std::string(i, 'x') + echo));
  replies.push_back(echo + "\r\n\r\n");
  http::GateOptions gate;
  gate.breaker.failures_to_open = 1'000;
  for (const auto& answer : replies) {
    WireRig rig({answer}, gate);
    const auto failure = failure_of(rig.outline()->move(kD, kC));
    EXPECT_EQ(failure.step, "documents.move");
    EXPECT_FALSE(text_of(failure).contains(kKey.substr(0, 8))) << text_of(failure);
    EXPECT_FALSE(text_of(failure).contains(kKey.substr(20))) << text_of(failure);
  }
}

TEST(OutlineHttp, IncludesTheServersErrorInTheFailure) {
  WireRig rig({reply(403, R"({"error":"authorization_error"})")});
  const auto failure = failure_of(rig.outline()->move(kD, kC));
  EXPECT_EQ(failure.cure, Cure::give_up);
  EXPECT_TRUE(failure.reason.contains("403")) << failure.reason;
  EXPECT_TRUE(failure.reason.contains("authorization_error")) << failure.reason;
  EXPECT_TRUE(failure.hint.contains("trash")) << failure.hint;
}

TEST(OutlineHttp, SendsNothingThatTheServerWouldRefuseAnyway) {
  WireRig rig({answer_with(kDocument)});
  const auto outline = rig.outline();
  Edit edit;
  edit.text = TextEdit{.mode = TextEdit::Mode::append,
                       .text = std::string(1'535'998, 'x') + "\xf0\x9f\x98\x80"};  // counts as two
  EXPECT_TRUE(outline->update(kD, edit).has_value());
  edit.text->text += 'x';
  EXPECT_EQ(failure_of(outline->update(kD, edit)).cure, Cure::give_up);
  EXPECT_EQ(failure_of(outline->move(kD, "no uuid")).cure, Cure::give_up);
  EXPECT_EQ(failure_of(outline->post_comment("", kD, "hi")).cure, Cure::give_up);
  EXPECT_EQ(rig.server.received().size(), 1U);
}

}  // namespace
}  // namespace tidemill::docs
