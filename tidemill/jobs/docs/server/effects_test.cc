// A user acts right before every call to the server: the user's changes must be preserved.
#include <algorithm>
#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "tidemill/jobs/docs/command/fake_errand.h"
#include "tidemill/jobs/docs/command/plan.h"

namespace tidemill::docs {
namespace {

using DocsOutput = Result<engine::StepsReport>;

std::size_t effects_of_ours(const FakeOutline& outline) {
  return static_cast<std::size_t>(std::ranges::count(outline.journal, "us", &FakeEffect::by));
}

std::vector<FakeCall> undisturbed(const Scene& scene) {
  FakeErrand task(scene);
  EXPECT_TRUE(task.finish());
  return task.outline.calls;
}

// One scene, one call, and a user who acts right before it.
struct Moment {
  FakeErrand& task;
  const FakeCall& call;

  [[nodiscard]] bool is_before_decision() const { return call.number == 1; }
  [[nodiscard]] const OutlineDocument& document() const { return task.document(); }
};

void before_every_call(const std::function<void(const Moment&)>& act,
                       const std::function<void(const Moment&, const DocsOutput&)>& judge) {
  for (const Scene& scene : scenes()) {
    for (const FakeCall& moment : undisturbed(scene)) {
      SCOPED_TRACE(scene.name + " before call " + std::to_string(moment.number) + ", " +
                   moment.endpoint);
      FakeErrand task(scene);
      task.outline.before_call = [&](const FakeCall& call) {
        if (call.number == moment.number) act({.task = task, .call = call});
      };
      const DocsOutput report = task.finish();
      EXPECT_LE(task.outline.comments.size(), 1U);
      judge({.task = task, .call = moment}, report);
    }
  }
}

void expect_done(const DocsOutput& report) {
  ASSERT_TRUE(report) << text_of(report.error());
  EXPECT_TRUE(report->warnings.empty());
}

std::string without_markers(std::string_view text) {
  std::string rest;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size() - 1) + 1;
    if (!text.starts_with("<!-- AI-")) rest += text.substr(0, end);
    text.remove_prefix(end);
  }
  return rest;
}

TEST(Effects, KeepsConcurrentUserEditsAndStillCompletesTheTask) {
  before_every_call(
      [](const Moment& now) {
        now.task.outline.human_text(kDoc, "before all\n\n" + now.document().text + "behind all\n");
      },
      [](const Moment& then, const DocsOutput& report) {
        expect_done(report);
        for (const std::string_view line : {"before all\n", "behind all\n", "first line\n"}) {
          EXPECT_TRUE(then.document().text.contains(line)) << then.document().text;
        }
        FakeErrand alone(then.task.scene);
        EXPECT_TRUE(alone.finish());
        EXPECT_EQ(effects_of_ours(then.task.outline), effects_of_ours(alone.outline));
        EXPECT_TRUE(decision_of(report->data)->left_alone.empty());
      });
}

TEST(Effects, KeepsATitleSetByAUser) {
  before_every_call([](const Moment& now) { now.task.outline.human_title(kDoc, "Mine"); },
                    [](const Moment& then, const DocsOutput& report) {
                      expect_done(report);
                      if (then.is_before_decision())
                        return;  // this is the title that is to be improved
                      EXPECT_EQ(then.document().title, "Mine");
                    });
}

TEST(Effects, ADocumentThatAPersonMovedStaysThere) {
  before_every_call([](const Moment& now) { now.task.outline.human_move(kDoc, kElsewhere); },
                    [](const Moment& then, const DocsOutput& report) {
                      expect_done(report);
                      // A move between our read and our move cannot be detected.
                      if (then.is_before_decision() || then.call.endpoint == "documents.move")
                        return;
                      EXPECT_EQ(then.document().collection, kElsewhere);
                    });
}

TEST(Effects, LeavesABlockAloneOnceAUserRemovedItsMarkers) {
  std::size_t takeovers = 0;
  std::set<MarkedBlock> taken;  // at this moment
  before_every_call(
      [&](const Moment& now) {
        taken.clear();
        for (const MarkedBlock block : {MarkedBlock::summary, MarkedBlock::terms}) {
          if (read_block(now.document().text, block).state == BlockState::whole) {
            taken.insert(block);
          }
        }
        now.task.outline.human_text(kDoc, without_markers(now.document().text));
      },
      [&](const Moment& then, const DocsOutput& report) {
        expect_done(report);
        if (then.is_before_decision()) return;  // there was no block before the decision
        const std::string& text = then.document().text;
        for (const MarkedBlock block : taken) {
          ++takeovers;
          EXPECT_EQ(read_block(text, block).state, BlockState::none) << text;
          const bool is_summary = block == MarkedBlock::summary;
          const bool is_kept = text.contains(is_summary ? "an old summary" : "old terms") ||
                               text.contains(is_summary ? "ills." : "Search terms:");
          EXPECT_TRUE(is_kept) << text;
        }
      });
  EXPECT_GT(takeovers, 20U);
}

TEST(Effects, ABrokenBlockIsLeftAlone) {
  before_every_call(
      [](const Moment& now) {
        now.task.outline.human_append(kDoc, "<!-- AI-SUMMARY-END -->");
        now.task.outline.human_append(kDoc, "<!-- AI-SEARCH-TERMS-START -->");
      },
      [](const Moment& then, const DocsOutput& report) {
        expect_done(report);
        const std::string& text = then.document().text;
        EXPECT_EQ(read_block(text, MarkedBlock::summary).state, BlockState::broken);
        EXPECT_EQ(read_block(text, MarkedBlock::terms).state, BlockState::broken);
      });
}

TEST(Effects, WithdrawingACommandHasAnEffectOnlyBeforeTheDecision) {
  before_every_call(
      [](const Moment& now) {
        std::string text = now.document().text;
        const auto patch = without(text, now.task.scene.command).patch;
        if (!patch) return;
        text.replace(text.find(patch->find), patch->find.size(), patch->text);
        now.task.outline.human_text(kDoc, text);
      },
      [](const Moment& then, const DocsOutput& report) {
        EXPECT_FALSE(without(then.document().text, then.task.scene.command).is_there);
        if (!then.is_before_decision()) return expect_done(report);
        ASSERT_FALSE(report);
        EXPECT_TRUE(is_taken_back(report.error()));
        EXPECT_EQ(effects_of_ours(then.task.outline), 0U);
      });
}

TEST(Effects, ARemovedDocumentFailsTheTaskUnlessOnlyUnmarkAndCommentRemain) {
  for (const bool is_deleted : {false, true}) {
    before_every_call(
        [&](const Moment& now) {
          if (is_deleted) return now.task.outline.human_delete(kDoc);
          now.task.outline.human_archive(kDoc);
        },
        [](const Moment& then, const DocsOutput& report) {
          if (report) return;
          EXPECT_EQ(report.error().cure, Cure::give_up);
          const std::set<std::string> critical = {"decide", "update", "terms", "move", "answer"};
          EXPECT_TRUE(critical.contains(report.error().step));
          EXPECT_FALSE(is_taken_back(report.error()));
          EXPECT_TRUE(then.task.outline.comments.empty());
        });
  }
  FakeErrand task(scenes()[2]);  // a question: decide, answer, unmark
  task.outline.before_call = [&](const FakeCall& call) {
    if (call.number == 2) task.outline.human_archive(kDoc);
  };
  const DocsOutput report = task.finish();
  expect_done(report);
  EXPECT_EQ(decision_of(report->data)->left_alone, std::vector<std::string>{"document"});
  EXPECT_EQ(effects_of_ours(task.outline), 0U);
}

TEST(Effects, RereadsAfterAConflictUpToALimitAndThenRetriesTheTask) {
  for (const int edits : {kConflicts, kConflicts + 1}) {
    FakeErrand task(scenes()[6]);
    int left = edits;
    task.outline.before_call = [&](const FakeCall& call) {
      if (call.endpoint != "documents.update" || left == 0) return;
      task.outline.human_append(kDoc, "line " + std::to_string(left--));
    };
    const auto first = task.attempt();
    EXPECT_EQ(first.has_value(), edits == kConflicts);
    if (!first) {
      EXPECT_EQ(first.error().cure, Cure::resume);  // of "retry", with a step done
      EXPECT_EQ(first.error().step, "update");
      EXPECT_TRUE(first.error().reason.starts_with("conflict: "));
      EXPECT_EQ(effects_of_ours(task.outline), 0U);
    }
    expect_done(task.finish());
    for (int line = 1; line <= edits; ++line) {
      EXPECT_TRUE(task.document().text.contains("line " + std::to_string(line) + "\n"));
    }
    EXPECT_EQ(effects_of_ours(task.outline), 5U);
  }
}

TEST(Effects, ACommentListsSkippedChangesAndIsTruncatedAtACharacterBoundary) {
  FakeOutline outline;
  outline.add(kDoc, "Title", "text", kHere);
  Decision decision;
  decision.document = kDoc;
  decision.move_to = kThere;  // the comment describes it
  decision.comment = "moved";
  decision.left_alone = {"title", "move"};
  const auto id = [](std::string_view name) { return comment_id("task", name); };
  ASSERT_TRUE(do_comment(decision, id("short"), outline));
  EXPECT_EQ(outline.comments.at(id("short")).text,
            "moved\n\nNot changed, because somebody edited it in the meantime: title, move.");
  decision.comment = std::string(2'000, 'e');
  ASSERT_TRUE(do_comment(decision, id("both"), outline));
  EXPECT_TRUE(
      outline.comments.at(id("both"))
          .text.ends_with(
              "e…\n\nNot changed, because somebody edited it in the meantime: title, move."));
  decision.left_alone.clear();
  decision.comment = "x";
  for (int i = 0; i < 475; ++i) decision.comment += "😀";  // 951 units
  ASSERT_TRUE(do_comment(decision, id("long"), outline));
  EXPECT_EQ(outline.comments.at(id("long")).text,
            decision.comment.substr(0, decision.comment.size() - 4) + "…");
  ASSERT_TRUE(post_notice(kDoc, id("notice"), std::string(951, 'e'), outline));
  EXPECT_EQ(outline.comments.at(id("notice")).text, std::string(949, 'e') + "…");
  ASSERT_TRUE(post_notice(kDoc, id("whole"), std::string(950, 'e'), outline));
  EXPECT_EQ(outline.comments.at(id("whole")).text, std::string(950, 'e'));
}

TEST(Effects, RemovesADuplicateBlockAndUpdatesTheOther) {
  const std::string old = framed(MarkedBlock::summary, "Old.");
  FakeOutline outline;
  outline.add(kDoc, "Title", old + "\n\n" + old + "\n\ntext", kHere);
  Decision decision;
  decision.document = kDoc;
  decision.summary = "New.";
  decision.had_summary = true;
  ASSERT_TRUE(do_update(decision, outline));
  const std::string text = outline.documents.at(kDoc).text;
  const BlockReading reading = read_block(text, MarkedBlock::summary);
  EXPECT_EQ(reading.state, BlockState::whole) << text;
  EXPECT_EQ(reading.content, "New.");
  EXPECT_TRUE(text.ends_with("\n\ntext")) << text;
}

TEST(Effects, AnEmptyDecisionMakesNoCalls) {
  FakeOutline outline;
  const Decision nothing;
  EXPECT_EQ(do_update(nothing, outline), nothing);
  EXPECT_EQ(do_terms(nothing, outline), nothing);
  EXPECT_EQ(do_move(nothing, outline), nothing);
  EXPECT_EQ(do_comment(nothing, "id", outline), nothing);
  EXPECT_TRUE(outline.calls.empty());
}

// é is two bytes and one character, 😀 four bytes and two: as the server counts.
TEST(Effects, RefusesATextTooLongForTheServerBeforeSendingIt) {
  Decision decision;
  decision.document = kDoc;
  decision.terms = {"money"};
  decision.summary = "Bills.";
  const std::size_t block = framed(MarkedBlock::terms, terms_line(decision.terms)).size() + 2;
  const auto outcome = [&](std::string_view letter, std::size_t letters) {
    FakeOutline outline;
    std::string text;
    for (std::size_t i = 0; i < letters; ++i) text += letter;
    outline.add(kDoc, "Title", text + "\n", kHere);
    auto done = do_terms(decision, outline);
    EXPECT_EQ(effects_of_ours(outline), done ? 1U : 0U);
    return done;
  };
  const std::size_t room = kLongestText - block - 1;
  EXPECT_TRUE(outcome("e", room));
  EXPECT_TRUE(outcome("é", room));
  EXPECT_TRUE(outcome("😀", room / 2));
  for (const auto& done :
       {outcome("e", room + 1), outcome("é", room + 1), outcome("😀", (room / 2) + 1)}) {
    ASSERT_FALSE(done);
    EXPECT_EQ(done.error().cure, Cure::give_up);
    EXPECT_EQ(done.error().step, "text");
  }
  FakeOutline outline;
  outline.add(kDoc, "Title", std::string(kLongestText, 'e'), kHere);
  EXPECT_EQ(do_update(decision, outline).error().cure, Cure::give_up);
}

TEST(Effects, PostsANoticeOnceDespiteFailuresAndNotOnAMissingDocument) {
  for (const bool is_after : {false, true}) {
    for (std::size_t number = 1; number <= 3; ++number) {
      FakeOutline outline;
      outline.add(kDoc, "Title", "text", kHere);
      outline.fail_at(number, {.is_after = is_after});
      EXPECT_FALSE(post_notice(kDoc, comment_id("task", "notice"), "it failed", outline));
      EXPECT_TRUE(post_notice(kDoc, comment_id("task", "notice"), "it failed", outline));
      EXPECT_TRUE(post_notice(kDoc, comment_id("task", "notice"), "it failed", outline));
      EXPECT_EQ(outline.effects_by_us("comments.create"), 1U);
    }
  }
  FakeOutline outline;
  EXPECT_TRUE(post_notice(kDoc, comment_id("task", "notice"), "it failed", outline));
  EXPECT_TRUE(outline.comments.empty());
}

}  // namespace
}  // namespace tidemill::docs
