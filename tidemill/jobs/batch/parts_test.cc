// The parts that touch no file system but for a template: cutter, drafter, prompt, payload,
// options.
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <limits>
#include <numeric>
#include <variant>

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include "tidemill/command/parse.h"
#include "tidemill/jobs/batch/cutter.h"
#include "tidemill/jobs/batch/drafter.h"
#include "tidemill/jobs/batch/options.h"
#include "tidemill/jobs/batch/payload.h"
#include "tidemill/jobs/batch/prompt.h"
#include "tidemill/jobs/batch/sender.h"

namespace tidemill::batch {
namespace {

constexpr std::uint64_t kMax = std::numeric_limits<std::uint64_t>::max();

Weighed file(std::string path, std::uint64_t tokens) {
  return {.path = std::move(path), .size = tokens * 4, .tokens = tokens, .cost = tokens};
}

// The counts of each batch, and whether it says oversize.
using Cut = std::vector<std::pair<std::vector<std::uint64_t>, bool>>;
Cut cut(Limits limits, const std::vector<std::uint64_t>& tokens) {
  Cutter cutter(limits, "job");
  Cut all;
  const auto keep = [&](const std::optional<Batch>& batch) {
    if (!batch) return;
    auto& [files, is_oversize] = all.emplace_back();
    for (const Weighed& one : batch->files) files.push_back(one.tokens);
    is_oversize = batch->is_oversize;
    EXPECT_EQ(batch->tokens, std::accumulate(files.begin(), files.end(), std::uint64_t{0}));
  };
  EXPECT_TRUE(cutter.is_empty());
  for (const std::uint64_t count : tokens) keep(cutter.add(file("f", count)));
  keep(cutter.flush());
  EXPECT_TRUE(cutter.is_empty());
  EXPECT_FALSE(cutter.flush());
  return all;
}

TEST(Cutter, ABatchIsClosedBeforeItWouldPassTheLimit) {
  EXPECT_EQ(cut({.cost = 10}, {4, 6, 1}), (Cut{{{4, 6}, false}, {{1}, false}}));
  EXPECT_EQ(cut({.cost = 10}, {4, 7, 3}), (Cut{{{4}, false}, {{7, 3}, false}}));
  EXPECT_EQ(cut({.cost = 10}, {10, 10}), (Cut{{{10}, false}, {{10}, false}}));
  EXPECT_EQ(cut({.cost = kMax}, {kMax - 1, 1, 1}), (Cut{{{kMax - 1, 1}, false}, {{1}, false}}));
}

TEST(Cutter, AFileAboveTheLimitIsABatchOfItsOwn) {
  EXPECT_EQ(cut({.cost = 10}, {3, 11, 3}), (Cut{{{3}, false}, {{11}, true}, {{3}, false}}));
  EXPECT_EQ(cut({.cost = 10}, {kMax, kMax}), (Cut{{{kMax}, true}, {{kMax}, true}}));
}

TEST(Cutter, TheLastPartIsABatchAndNothingIsNone) {
  EXPECT_EQ(cut({.cost = 10}, {1}), (Cut{{{1}, false}}));
  EXPECT_EQ(cut({.cost = 10}, {}), Cut{});
  EXPECT_EQ(cut({.cost = 10}, {0, 0, 0}), (Cut{{{0, 0, 0}, false}}));
}

TEST(Cutter, ABatchHasAtMostSoManyFiles) {
  EXPECT_EQ(cut({.cost = 10, .files = 2}, {1, 1, 1, 1, 1}),
            (Cut{{{1, 1}, false}, {{1, 1}, false}, {{1}, false}}));
  EXPECT_EQ(cut({.cost = 10, .files = 1}, {0, 0}), (Cut{{{0}, false}, {{0}, false}}));
}

TEST(Cutter, WhatThePromptAddsCountsForTheLimitAndNotForTheTokens) {
  Cutter cutter({.cost = 10}, "job");
  EXPECT_FALSE(cutter.add({.path = "a", .tokens = 2, .cost = 5}));
  EXPECT_FALSE(cutter.add({.path = "b", .tokens = 2, .cost = 5}));
  const auto full = cutter.add({.path = "c", .tokens = 1, .cost = 1});
  ASSERT_TRUE(full);
  EXPECT_EQ(full->tokens, 4U);
  EXPECT_EQ(full->cost, 10U);
  EXPECT_FALSE(full->is_oversize);
}

RC_GTEST_PROP(Cutter, NoBatchOfSeveralFilesPassesTheLimitAndNoneCouldHaveBeenLarger, ()) {
  const auto limit = *rc::gen::inRange<std::uint64_t>(1, 50);
  const auto most = *rc::gen::inRange<std::size_t>(1, 6);
  const auto tokens =
      *rc::gen::container<std::vector<std::uint64_t>>(rc::gen::inRange<std::uint64_t>(0, 60));
  const Cut all = cut({.cost = limit, .files = most}, tokens);
  std::vector<std::uint64_t> seen;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const auto& files = all[i].first;
    const auto sum = std::accumulate(files.begin(), files.end(), std::uint64_t{0});
    RC_ASSERT(!files.empty() && files.size() <= most);
    RC_ASSERT(all[i].second == (sum > limit));
    RC_ASSERT(sum <= limit || files.size() == 1);
    if (i + 1 < all.size() && files.size() < most) {
      RC_ASSERT(sum + all[i + 1].first.front() > limit);
    }
    seen.insert(seen.end(), files.begin(), files.end());
  }
  RC_ASSERT(seen == tokens);
}

TEST(Limit, IsWhatIsLeftTimesTheMarginAndAtLeastOne) {
  EXPECT_EQ(limit_of(65'000, 1'000, 0.98), 62'720U);
  EXPECT_EQ(limit_of(65'000, 1'000, 1), 64'000U);
  EXPECT_EQ(limit_of(10, 10, 1), 1U);
  EXPECT_EQ(limit_of(10, 11, 1), 1U);
  EXPECT_EQ(limit_of(10, 0, 0.01), 1U);
  EXPECT_EQ(limit_of(3, 0, 0.5), 1U);
  EXPECT_EQ(limit_of(kMax, 0, 1), kMax);
  EXPECT_EQ(limit_of(kMax, kMax - 1, 1), 1U);
  EXPECT_GT(limit_of(kMax, 0, std::nextafter(1.0, 0.0)), kMax - 10'000);
}

TEST(BatchId, IsTheSameForTheSameAndAnotherForAnyChange) {
  Weighed a = file("dir/a", 5);
  a.digest[15] = 1;
  const Weighed b = file("dir/b", 6);
  const auto changed = [&](const auto& change) {
    Weighed other = a;
    change(other);
    return id_of("job", {other, b});
  };
  const std::string id = id_of("job", {a, b});
  std::vector<std::string> ids = {
      id,
      id_of("job2", {a, b}),
      id_of("job", {b, a}),
      id_of("job", {a}),
      id_of("job", {b}),
      id_of("job", {}),
      id_of("job", {a, b, b}),
      changed([](Weighed& f) { f.path = "dir/A"; }),
      changed([](Weighed& f) { f.path += '\0'; }),
      changed([](Weighed& f) { f.tokens += std::uint64_t{1} << 56U; }),
      changed([](Weighed& f) { f.digest[15] = 2; }),
      changed([](Weighed& f) { f.digest[0] = 1; }),
      changed([](Weighed& f) { f.root = 1; }),
  };
  EXPECT_EQ(id, id_of("job", {a, b}));
  EXPECT_EQ(id, changed([](Weighed& f) { f.content = "kept by some and not by others"; }));
  std::ranges::sort(ids);
  EXPECT_EQ(std::ranges::adjacent_find(ids), ids.end());
}

TEST(BatchId, IsAUuidOfVersion8) {
  for (int i = 0; i < 64; ++i) {
    const std::string id = id_of("job", {file("f", static_cast<std::uint64_t>(i))});
    ASSERT_EQ(id.size(), 36U);
    for (std::size_t at = 0; at < id.size(); ++at) {
      const bool is_dash = at == 8 || at == 13 || at == 18 || at == 23;
      EXPECT_TRUE(std::string_view(is_dash ? "-" : "0123456789abcdef").contains(id[at]));
    }
    EXPECT_EQ(id[14], '8') << "the version";
    EXPECT_TRUE(std::string_view("89ab").contains(id[19])) << "the variant";
  }
}

// What meets a drafter: a file, or one that is passed over.
struct Met {
  std::uint64_t tokens = 0;
  int kind = 0;  // 0: file, 1: skipped, 2: failed, 3: a folder that failed
};

std::vector<Draft> drafts_of(const std::vector<Met>& all, std::size_t first, Limits limits) {
  Drafter drafter(Cutter(limits, "job"));
  std::vector<Draft> drafts;
  const auto keep = [&](std::optional<Draft> draft) {
    if (draft) drafts.push_back(*std::move(draft));
  };
  for (std::size_t i = first; i < all.size(); ++i) {
    const std::string name = std::to_string(i);
    if (all[i].kind == 0) {
      keep(drafter.add(file(name, all[i].tokens)));
      continue;
    }
    PassedOver row{.at = {.root = 0, .path = name}, .is_folder = all[i].kind == 3};
    if (all[i].kind == 1) row.reason = "binary";
    if (all[i].kind > 1) row.failure = Failure{.step = "open", .reason = name};
    keep(drafter.pass_over(std::move(row)));
  }
  keep(drafter.finish());
  return drafts;
}

std::string text_of(const Draft& draft) {
  std::string text = "<" + std::to_string(draft.rows_before) + ">";
  for (const PassedOver& row : draft.rows) {
    text += " " + row.at.path + (row.failure ? "!" + row.failure->reason : row.reason);
  }
  if (draft.batch) text += " [" + draft.batch->id + "]";
  return text + " -> " + text_of(draft.cursor);
}

void expect_drafts_hold(const std::vector<Met>& all, Limits limits) {
  const std::vector<Draft> drafts = drafts_of(all, 0, limits);
  std::vector<bool> seen(all.size(), false);
  std::size_t begin = 0;
  for (std::size_t d = 0; d < drafts.size(); ++d) {
    const Draft& draft = drafts[d];
    RC_ASSERT(draft.rows.size() <= Drafter::kMostRows);
    RC_ASSERT(draft.rows_before <= draft.rows.size());
    RC_ASSERT(draft.batch || !draft.rows.empty());
    std::vector<std::size_t> places;
    for (const PassedOver& row : draft.rows) places.push_back(std::stoul(row.at.path));
    const auto rows = places.size();
    if (draft.batch) {
      for (const Weighed& one : draft.batch->files) places.push_back(std::stoul(one.path));
      const std::size_t last = places.back();
      RC_ASSERT(std::count_if(places.begin(), places.begin() + static_cast<std::ptrdiff_t>(rows),
                              [&](std::size_t at) { return at < last; }) ==
                static_cast<std::ptrdiff_t>(draft.rows_before));
    }
    RC_ASSERT(std::is_sorted(places.begin(), places.begin() + static_cast<std::ptrdiff_t>(rows)));
    RC_ASSERT(std::is_sorted(places.begin() + static_cast<std::ptrdiff_t>(rows), places.end()));
    // All that lies between the last cursor and this one, and nothing else.
    const std::size_t end = std::stoul(draft.cursor.path) + 1;
    std::ranges::sort(places);
    RC_ASSERT(places.size() == end - begin);
    for (std::size_t i = 0; i < places.size(); ++i) RC_ASSERT(places[i] == begin + i);
    begin = end;
    // Whoever begins behind the cursor makes the same of the rest.
    const std::vector<Draft> rest = drafts_of(all, end, limits);
    RC_ASSERT(rest.size() == drafts.size() - d - 1);
    for (std::size_t i = 0; i < rest.size(); ++i) {
      RC_ASSERT(text_of(rest[i]) == text_of(drafts[d + 1 + i]));
    }
  }
  RC_ASSERT(begin == all.size());
}

RC_GTEST_PROP(Drafter, BehindEveryDraftTheRestGivesTheSameDrafts, ()) {
  const auto all = *rc::gen::container<std::vector<Met>>(rc::gen::build<Met>(
      rc::gen::set(&Met::tokens, rc::gen::inRange<std::uint64_t>(0, 14)),
      rc::gen::set(&Met::kind, rc::gen::weightedElement<int>({{6, 0}, {2, 1}, {1, 2}, {1, 3}}))));
  const auto limit = *rc::gen::inRange<std::uint64_t>(1, 20);
  expect_drafts_hold(all, {.cost = limit, .files = *rc::gen::inRange<std::size_t>(1, 5)});
}

TEST(Drafter, ADraftNeverGrowsWithoutEnd) {
  const auto run = [](std::vector<Met> all) {
    (void)rc::check([&] { expect_drafts_hold(all, {.cost = 10, .files = 3}); });
    return drafts_of(all, 0, {.cost = 10, .files = 3});
  };
  std::vector<Met> all(2'500, Met{.kind = 1});
  EXPECT_EQ(run(all).size(), 3U);
  all[10] = {.tokens = 1};
  const auto drafts = run(all);
  ASSERT_EQ(drafts.size(), 3U);
  ASSERT_TRUE(drafts[0].batch) << "it is closed with one file";
  EXPECT_EQ(drafts[0].rows_before, 10U);
  EXPECT_EQ(drafts[0].rows.size(), 1'000U);
  EXPECT_EQ(run({}).size(), 0U);
}

TEST(Drafter, EveryBoundaryOfManyRowsIsAPlaceToGoOnFrom) {
  EXPECT_TRUE(rc::check([] {
    std::vector<Met> all(3'200);
    const auto step = *rc::gen::inRange<std::size_t>(150, 1'100);
    for (std::size_t i = 0; i < all.size(); ++i) {
      all[i] = {.tokens = i % 7, .kind = i % step == 0 ? 0 : 1};
    }
    expect_drafts_hold(all, {.cost = 10, .files = 3});
  }));
}

TEST(Prompt, MarksThatAreMissingTwiceOrMisplacedAreRefused) {
  for (const char* const text :
       {"{{#file}}{{content}}", "{{content}}{{/file}}", "{{/file}}{{content}}{{#file}}",
        "{{content}}", "{{path}}", "{{#file}}{{/file}}", "{{#file}}{{path}}{{/file}}",
        "{{#file}}{{content}}{{content}}{{/file}}", "{{content}}{{#file}}{{content}}{{/file}}",
        "{{#file}}{{content}}{{/file}}{{content}}", "{{#file}}{{content}}{{/file}}{{path}}",
        "{{#file}}{{content}}{{/file}}{{/file}}",
        "{{#file}}{{content}}{{/file}}{{#file}}{{content}}{{/file}}",
        "{{#file}}{{#file}}{{content}}{{/file}}"}) {
    const auto prompt = Prompt::parse(text);
    ASSERT_FALSE(prompt) << text;
    EXPECT_EQ(prompt.error().step, "template");
    EXPECT_EQ(prompt.error().cure, Cure::give_up);
  }
  for (const char* const text :
       {"", "only a head", "{{#file}}{{content}}{{/file}}", "a {{b}} {{#file}} {{content}}",
        "{{#file}}{{path}}{{path}}{{content}}{{path}}{{/file}}"}) {
    EXPECT_EQ(Prompt::parse(text).has_value(), !std::string_view(text).ends_with("t}}")) << text;
  }
}

TEST(Prompt, IsReadFromAFileAndFailsWithWords) {
  const std::string path = ::testing::TempDir() + "prompt-" + std::to_string(::getpid());
  std::ofstream(path, std::ios::binary) << "head{{#file}}{{content}}{{/file}}";
  EXPECT_EQ(Prompt::read(path)->text(), "head{{#file}}{{content}}{{/file}}");
  std::filesystem::resize_file(path, (std::size_t{4} << 20U) + 1);
  EXPECT_TRUE(Prompt::read(path).error().reason.contains("too large"));
  std::filesystem::remove(path);
  EXPECT_TRUE(Prompt::read(path).error().reason.contains("No such file"));
  EXPECT_TRUE(Prompt::read(::testing::TempDir()).error().reason.contains("directory"));
}

// The real tables if they are there.
std::unique_ptr<tokens::Tokenizer> tokenizer() {
#ifdef TIDEMILL_TOKENS_FOLDER
  if (auto real = tokens::open_tokenizer("o200k_base", TIDEMILL_TOKENS_FOLDER)) {
    return *std::move(real);
  }
#endif
  return *tokens::open_tokenizer("bytes/4", "");
}

TEST(Prompt, TheOverheadIsThatOfItsPartsCountedOneByOneAndOfTheirSeams) {
  constexpr std::uint64_t kSeam = 2;
  const auto table = tokenizer();
  const auto counter = table->counter();
  const auto of = [&](std::string_view text) { return counter->count(text); };
  const auto prompt = Prompt::parse(
      "Review these files.\n{{#file}}\n--- {{path}} ({{path}})\n{{content}}\n# end of {{path}}\n"
      "{{/file}}\r\nAnswer in JSON.\n");
  ASSERT_TRUE(prompt);
  EXPECT_EQ(prompt->overhead(*counter),
            of("Review these files.\n") + of("Answer in JSON.\n") + kSeam);
  EXPECT_EQ(prompt->overhead(*counter, "src/main.c"),
            of("--- src/main.c (src/main.c)\n") + of("\n# end of src/main.c\n") + 3 * kSeam);
  EXPECT_EQ(Prompt().overhead(*counter), 0U);
  EXPECT_EQ(Prompt().overhead(*counter, "x"), 0U);
  const auto head = Prompt::parse("only a head");
  EXPECT_EQ(head->overhead(*counter), of("only a head"));
  EXPECT_EQ(head->overhead(*counter, "x"), 0U);
}

// Where two parts meet, both together can have more tokens than each alone ("*/\r\n" and "\n"):
// what is added for a seam must be enough.
RC_GTEST_PROP(Prompt, TheSumOfThePartsIsNeverBelowTheCountOfAll, ()) {
  static const auto table = tokenizer();
  const auto counter = table->counter();
  const auto piece = rc::gen::element<std::string>(
      " ", "  ", "\n", "\n\n", "\t", "\r\n", "a", "The", "ing", "don", "'t", "1234", "!", "=>",
      "/*", "*/", "\u00e9", "\u65e5\u672c", "\U0001F600", "{", "});", "\xff", "#", "_x");
  const auto words = rc::gen::map(rc::gen::container<std::vector<std::string>>(piece),
                                  [](const std::vector<std::string>& all) {
                                    return std::accumulate(all.begin(), all.end(), std::string());
                                  });
  const std::string head = *words;
  const std::string tail = *words;
  const std::string before = *words;
  const std::string behind = *words;
  const auto prompt = Prompt::parse(head + "\n{{#file}}\n" + before + "{{path}}\n{{content}}\n" +
                                    behind + "\n{{/file}}\n" + tail);
  RC_ASSERT(prompt.has_value());
  std::string rendered = head + "\n";
  std::uint64_t sum = prompt->overhead(*counter);
  for (int i = *rc::gen::inRange(1, 4); i > 0; --i) {
    const std::string path = *words;
    const std::string content = *words;
    sum += prompt->overhead(*counter, path) + counter->count(content);
    rendered += before + path + "\n" + content + "\n" + behind + "\n";
  }
  RC_ASSERT(counter->count(rendered + tail) <= sum);
}

TEST(Payload, IsOneLineOfJsonWhateverTheNames) {
  const auto roots = Roots::open({::testing::TempDir()});
  ASSERT_TRUE(roots);
  const std::string dir = roots->at(0).real + "/";
  Weighed plain = file("a\n\"b\"\\\x01\u00e9", 3);
  plain.content = "line\nnext";
  Weighed odd = file("x\xff", 4);
  odd.content = "\xfe";
  const Batch batch{.id = "i", .files = {plain, odd}, .tokens = 7};
  EXPECT_EQ(payload_of(batch, *roots, Paths::relative, false),
            "{\"id\":\"i\",\"files\":[{\"path\":\"a\\n\\\"b\\\"\\\\\\u0001\u00e9\",\"tokens\":3},"
            "{\"pathBase64\":\"eP8=\",\"tokens\":4}],\"totalTokens\":7}");
  const std::string whole = payload_of(batch, *roots, Paths::absolute, true);
  EXPECT_TRUE(whole.contains("\"path\":\"" + dir + "a\\n"));
  EXPECT_TRUE(whole.contains("\"content\":\"line\\nnext\""));
  EXPECT_TRUE(whole.contains("\"contentBase64\":\"/g==\""));
  EXPECT_FALSE(whole.contains("oversize"));
  EXPECT_FALSE(whole.contains('\n'));
  const Batch large{.id = "i", .files = {plain}, .tokens = 3, .is_oversize = true};
  EXPECT_TRUE(payload_of(large, *roots, Paths::relative, false)
                  .ends_with("\"totalTokens\":3,\"oversize\":true}"));
}

RC_GTEST_PROP(Subject, ReadsBackAsItWasWritten,
              (std::string cursor, std::string payload, std::uint64_t files,
               std::uint64_t tokens)) {
  const std::string subject = subject_of(
      {.id = "an-id", .cursor = cursor, .files = files, .tokens = tokens, .payload = payload});
  const auto stored = stored_of(subject);
  RC_ASSERT(stored.has_value());
  RC_ASSERT(stored->id == "an-id");
  RC_ASSERT(stored->cursor == cursor);
  RC_ASSERT(stored->payload == payload);
  RC_ASSERT(stored->files == files);
  RC_ASSERT(stored->tokens == tokens);
}

TEST(Subject, WhatWasNotWrittenByUsIsNothing) {
  for (const char* const text : {"", "id", "id ", "id 1", "id 1 ", "id 1 2", "id 1 2 ", "id 1 2 3",
                                 "id 1 2 3:", "id 1 2 3:ab", "id x 2 0:", "id 1 -2 0:", "id 1 2 x:",
                                 "id 1 2 99999999999999999999:", "id  1 2 0:"}) {
    EXPECT_FALSE(stored_of(text)) << text;
  }
  EXPECT_TRUE(stored_of("id 1 2 3:abc"));
  EXPECT_TRUE(stored_of("id 1 2 0:"));
}

RC_GTEST_PROP(Subject, AnyBytesAreReadWithoutHarm, (std::string bytes)) {
  const auto stored = stored_of(bytes);
  if (stored) RC_ASSERT(stored->cursor.size() + stored->payload.size() <= bytes.size());
  (void)totals_of(bytes);
  (void)sent_of(bytes);
  if (const auto cursor = cursor_of(bytes, 3)) RC_ASSERT(cursor->root < 3);
}

TEST(Notes, TotalsAndSentReadBackAsTheyWereWritten) {
  const Totals totals{.batches = 1,
                      .files = kMax,
                      .tokens = 3,
                      .oversize = 4,
                      .first = 5,
                      .skipped = {{"binary", 6}, {"no regular file", kMax}, {"too large", 0}}};
  EXPECT_EQ(totals_of(text_of(totals)), totals);
  EXPECT_EQ(totals_of(text_of(Totals{})), Totals{});
  EXPECT_EQ(totals_of(""), Totals{});
  EXPECT_EQ(Totals{}.first, 1U);
  const Sent sent{.last = kMax, .batches = 2, .files = 3, .tokens = 4};
  EXPECT_EQ(sent_of(text_of(sent)), sent);
  EXPECT_EQ(sent_of(""), Sent{});
}

RC_GTEST_PROP(CursorText, ReadsBackAsItWasWritten, (std::string path)) {
  const Cursor cursor{.root = *rc::gen::inRange<std::size_t>(0, 12), .path = path};
  RC_ASSERT(cursor_of(text_of(cursor), 12) == cursor);
  RC_ASSERT(!cursor_of(text_of(cursor), cursor.root).has_value());
}

TEST(CursorText, WhatIsNoneIsNothing) {
  for (const char* const text : {"", "/", "x/a", "-1/a", "1", "3/a", "99999999999999999999/a"}) {
    EXPECT_FALSE(cursor_of(text, 3)) << text;
  }
  EXPECT_EQ(cursor_of("2/", 3), (Cursor{.root = 2}));
}

Result<Options> options_from(std::vector<std::string> words) {
  words.insert(words.begin(), "batch");
  const command::Program program{.name = "tidemill", .verbs = {verb()}};
  auto parsed = command::parse(program, words, {});
  if (!parsed) return std::unexpected(parsed.error());
  return options_of(std::get<command::Values>(*parsed));
}

TEST(BatchOptions, HaveTheDefaultsThatTheHelpNames) {
  const auto options = options_from({"src", "-n", "65000"});
  ASSERT_TRUE(options) << text_of(options.error());
  EXPECT_EQ(options->roots, std::vector<std::string>{"src"});
  EXPECT_EQ(options->max_tokens, 65'000U);
  EXPECT_EQ(options->overhead, 0U);
  EXPECT_EQ(options->max_files, 1'000U);
  EXPECT_EQ(options->max_size, mib(16));
  EXPECT_EQ(options->tokenizer, "o200k_base");
  EXPECT_FALSE(options->margin);
  EXPECT_TRUE(options->hidden);
  EXPECT_EQ(options->sink, Sink{});
  EXPECT_EQ(options->max_queued, 10'000U);
  EXPECT_EQ(options->lease, std::chrono::seconds(30)) << "a crashed producer is soon replaced";
  EXPECT_EQ(options->patience, std::chrono::minutes(5));
  EXPECT_EQ(options->settle, std::chrono::seconds(2));
  EXPECT_EQ(options->if_held, IfHeld::leave);
  EXPECT_EQ(options->bull_prefix, "bull");
  EXPECT_EQ(options->workers, 0U);
}

TEST(BatchOptions, GoodValuesAreTakenAsTheyWereMeant) {
  const auto options = options_from(
      {"a",        "b",         "-n",           "100",        "--overhead",  "99",
       "--margin", "0.5",       "--max-files",  "7",          "--max-size",  "3K",
       "--inline", "--paths",   "relative",     "--to",       "bullmq:q:x",  "--max-queued",
       "0",        "--lease",   "1m",           "--patience", "0",           "--settle",
       "0",        "--if-held", "wait",         "--restart",  "--no-hidden", "--gitignore",
       "-g",       "*.c",       "-g",           "*.h",        "--exclude",   "t/",
       "-w",       "3",         "--json",       "--job",      "j",           "--tokenizer",
       "bytes/4",  "--redis",   "redis://h:1/2"});
  ASSERT_TRUE(options) << text_of(options.error());
  EXPECT_EQ(options->roots, (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(options->overhead, 99U);
  EXPECT_EQ(options->margin, 0.5);
  EXPECT_EQ(options->max_files, 7U);
  EXPECT_EQ(options->max_size, kib(3));
  EXPECT_TRUE(options->is_inline);
  EXPECT_EQ(options->paths, Paths::relative);
  EXPECT_EQ(options->sink, (Sink{.kind = Sink::Kind::bull, .name = "q:x"}));
  EXPECT_EQ(options->max_queued, 0U);
  EXPECT_EQ(options->lease, std::chrono::minutes(1));
  EXPECT_EQ(options->patience.count(), 0);
  EXPECT_EQ(options->settle.count(), 0);
  EXPECT_EQ(options->if_held, IfHeld::wait);
  EXPECT_TRUE(options->restart);
  EXPECT_FALSE(options->hidden);
  EXPECT_TRUE(options->gitignore);
  EXPECT_EQ(options->globs, (std::vector<std::string>{"*.c", "*.h"}));
  EXPECT_EQ(options->excludes, std::vector<std::string>{"t/"});
  EXPECT_EQ(options->workers, 3U);
  EXPECT_EQ(options->report, Report::json);
  EXPECT_EQ(options->job, "j");
  EXPECT_EQ(options->tokenizer, "bytes/4");
  EXPECT_EQ(options->redis, "redis://h:1/2");
}

TEST(BatchOptions, WhatMakesNoSenseIsAMistakeOfTheUser) {
  using Words = std::vector<std::string>;
  for (const Words& words : {Words{"src"},
                             Words{"-n", "5"},
                             Words{"src", "-n", "0"},
                             Words{"src", "-n", "-1"},
                             Words{"src", "-n", "5", "--overhead", "5"},
                             Words{"src", "-n", "5", "--margin", "0"},
                             Words{"src", "-n", "5", "--margin", "1.01"},
                             Words{"src", "-n", "5", "--margin", "-0.5"},
                             Words{"src", "-n", "5", "--margin", "nan"},
                             Words{"src", "-n", "5", "--margin", "inf"},
                             Words{"src", "-n", "5", "--margin", "0.5x"},
                             Words{"src", "-n", "5", "--margin", " 0.5"},
                             Words{"src", "-n", "5", "--margin", "98%"},
                             Words{"src", "-n", "5", "--margin", "5e-1"},
                             Words{"src", "-n", "5", "--max-files", "0"},
                             Words{"src", "-n", "5", "--max-size", "0"},
                             Words{"src", "-n", "5", "--to", "kafka:q"},
                             Words{"src", "-n", "5", "--to", "redis:"},
                             Words{"src", "-n", "5", "--to", "bullmq:"},
                             Words{"src", "-n", "5", "--to", "-x"},
                             Words{"src", "-n", "5", "--lease", "1ms"},
                             Words{"src", "-n", "5", "--if-held", "steal"},
                             Words{"src", "-n", "5", "--json"},
                             Words{"src", "-n", "5", "--paths", "short"}}) {
    const auto options = options_from(words);
    ASSERT_FALSE(options) << ::testing::PrintToString(words);
    EXPECT_EQ(options.error().step, "usage") << ::testing::PrintToString(words);
  }
  for (const Words& words :
       {Words{"src", "-n", "5", "--margin", "1"}, Words{"src", "-n", "5", "--margin", "0.0001"},
        Words{"src", "-n", "5", "--json", "--dry-run"},
        Words{"src", "-n", "5", "--json", "--to", "redis:s"}, Words{"src", "-n1"}}) {
    EXPECT_TRUE(options_from(words)) << ::testing::PrintToString(words);
  }
}

TEST(BatchOptions, ASinkWithoutANameIsTheQueueOfTheSource) {
  EXPECT_EQ(sink_of("redis")->name, "file-analysis-queue");
  EXPECT_EQ(sink_of("bullmq")->name, "file-analysis-queue");
  EXPECT_EQ(sink_of("redis:a:b")->name, "a:b");
  EXPECT_EQ(sink_of("-")->kind, Sink::Kind::lines);
  EXPECT_FALSE(sink_of(""));
}

}  // namespace
}  // namespace tidemill::batch
