// Interrupts a command task at every call to the server and resumes it: the result must be the
// same.
#include "tidemill/jobs/docs/command/plan.h"

#include <map>
#include <optional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tidemill/io/hash/uuid.h"
#include "tidemill/jobs/docs/command/fake_errand.h"

namespace tidemill::docs {
namespace {

const Failure kBusy{.cure = Cure::retry, .step = "fake", .reason = "503"};
const Failure kLater{.cure = Cure::later, .step = "fake", .reason = "no room"};
const Failure kRefused{.cure = Cure::give_up, .step = "fake", .reason = "403"};

// The state after the task has ended.
struct End {
  OutlineDocument document{};
  std::map<std::string, FakeComment> comments{};
  std::vector<FakeEffect> effects{};
  std::string data{};
  std::vector<std::string> warnings{};
  bool operator==(const End&) const = default;
};

End end_of(FakeErrand& task) {
  const auto report = task.finish();
  EXPECT_TRUE(report) << text_of(report.error());
  End end{.document = task.document(),
          .comments = task.outline.comments,
          .effects = task.outline.journal,
          .data = report ? report->data : "",
          .warnings = report ? report->warnings : std::vector<std::string>{}};
  return end;
}

struct Undisturbed {
  explicit Undisturbed(const Scene& scene) {
    FakeErrand task(scene);
    end = end_of(task);
    calls = task.outline.calls.size();
  }
  End end{};
  std::size_t calls = 0;
};

void expect_same(const End& is, const End& should_be, const std::string& where) {
  EXPECT_EQ(is.document.text, should_be.document.text) << where;
  EXPECT_EQ(is.effects.size(), should_be.effects.size()) << where;
  EXPECT_TRUE(is == should_be) << where;
}

TEST(Plan, HasTheExpectedStepsAndOnlyTheLastTwoAreNotCritical) {
  std::vector<std::string> names;
  for (const PlanRow& row : plan_rows()) {
    names.emplace_back(row.name);
    EXPECT_EQ(row.is_critical, row.name != "unmark" && row.name != "comment");
  }
  EXPECT_EQ(names, (std::vector<std::string>{"decide", "update", "terms", "move", "answer",
                                             "unmark", "comment"}));
}

TEST(Plan, AppliesEveryDecidedEffectOnceAndNoOthers) {
  const Undisturbed run(scenes()[6]);
  const OutlineDocument& document = run.end.document;
  EXPECT_EQ(document.title, "A better title");
  EXPECT_EQ(document.collection, kThere);
  EXPECT_EQ(document.text,
            "<!-- AI-SUMMARY-START -->\n\nIt is about bills.\n\nAnd about more.\n\n"
            "<!-- AI-SUMMARY-END -->\n\n# Bills\n\nfirst line\n\n\n\nlast line\n\n\n"
            "<!-- AI-SEARCH-TERMS-START -->\n\nSearch terms: bills, money\n\n"
            "<!-- AI-SEARCH-TERMS-END -->");
  std::vector<std::string> details;
  for (const FakeEffect& effect : run.end.effects) details.push_back(effect.detail);
  const std::string id = comment_id(task_key("run 1", 1), "comment");
  EXPECT_EQ(details, (std::vector<std::string>{"title text", "text", kThere, "text", id}));
  EXPECT_EQ(run.end.comments.at(id).text, "done #1");
  const auto decision = decision_of(run.end.data);
  ASSERT_TRUE(decision);
  EXPECT_EQ(decision->revision, document.revision);
  EXPECT_EQ(decision->updated_at, document.updated_at);
  EXPECT_TRUE(decision->is_unmarked);
  EXPECT_TRUE(decision->left_alone.empty());
}

// Two interruptions, each before or after the effect of a call, as a failure or a killed process.
TEST(Plan, TwoInterruptionsAtAnyCallsLeadToTheSameEndWithEachEffectOnce) {
  std::size_t cuts = 0;
  for (const Scene& scene : scenes()) {
    const Undisturbed run(scene);
    for (std::size_t first = 1; first <= run.calls; ++first) {
      for (std::size_t second = first; second <= run.calls + 3; ++second) {
        for (unsigned modes = 0; modes < 16; ++modes) {
          FakeErrand task(scene);
          task.outline.script = [=](const FakeCall& call) -> std::optional<FakeFault> {
            const unsigned mode = call.number == first ? modes : modes >> 2U;
            if (call.number != first && call.number != second) return std::nullopt;
            return FakeFault{.is_after = (mode & 1U) != 0, .kills = (mode & 2U) != 0};
          };
          ASSERT_FALSE(task.attempt());
          expect_same(end_of(task), run.end,
                      scene.name + " cut at " + std::to_string(first) + " and " +
                          std::to_string(second) + " modes " + std::to_string(modes));
          EXPECT_EQ(task.decisions, 1);
          ++cuts;
        }
      }
    }
  }
  EXPECT_GT(cuts, 4'000U);
}

// The step has run, but its checkpoint was not saved.
class Forgetful final : public engine::Checkpoints {
 public:
  Forgetful(engine::Checkpoints& kept, int forgotten) : kept_(kept), left_(forgotten) {}
  Result<std::optional<engine::Checkpoint>> load(engine::TaskId id) override {
    return kept_.load(id);
  }
  Result<void> save(engine::TaskId id, const engine::Checkpoint& checkpoint) override {
    if (--left_ == 0) return fail(Cure::retry, "journal", "lost");
    return kept_.save(id, checkpoint);
  }
  Result<void> clear(engine::TaskId id) override { return kept_.clear(id); }

 private:
  engine::Checkpoints& kept_;
  int left_;
};

TEST(Plan, RerunsAStepWhoseCheckpointWasLostWithoutFurtherChanges) {
  for (const Scene& scene : scenes()) {
    const Undisturbed run(scene);
    for (int save = 2; save <= 7; ++save) {  // without the first checkpoint the task decides again
      FakeErrand task(scene);
      Forgetful forgetful(task.checkpoints, save);
      ASSERT_FALSE(plan_of(task.errand).run(1, forgetful, [] { return false; }));
      expect_same(end_of(task), run.end, scene.name + " save " + std::to_string(save));
    }
  }
}

TEST(Plan, ResumesWithoutAWarningWhenDeferredAtAnyCallEvenInTheLastAttempt) {
  for (const Scene& scene : scenes()) {
    const Undisturbed run(scene);
    for (std::size_t number = 1; number <= run.calls; ++number) {
      FakeErrand task(scene);
      task.outline.fail_at(number, {.failure = kLater});
      const auto deferred = task.attempt(/*is_last=*/true);
      ASSERT_FALSE(deferred);
      EXPECT_EQ(deferred.error().cure, Cure::later);
      expect_same(end_of(task), run.end, scene.name + " call " + std::to_string(number));
    }
  }
}

TEST(Plan, APermanentCommentFailureIsAWarningAndTheTaskCompletes) {
  for (const std::string endpoint : {"comments.create", "comments.info"}) {
    FakeErrand task(scenes()[0]);
    task.outline.script = [&](const FakeCall& call) -> std::optional<FakeFault> {
      if (call.endpoint != endpoint) return std::nullopt;
      return FakeFault{.failure = kRefused};
    };
    const auto report = task.finish(1);
    ASSERT_TRUE(report);
    EXPECT_EQ(report->warnings, std::vector<std::string>{"comment: fake: 403"});
    EXPECT_EQ(task.document().collection, kThere);
  }
}

TEST(Plan, RetriesACommentOnABusyServerUntilTheLastAttempt) {
  FakeErrand task(scenes()[0]);
  task.outline.script = [](const FakeCall& call) -> std::optional<FakeFault> {
    if (call.endpoint != "comments.create") return std::nullopt;
    return FakeFault{.failure = kBusy};
  };
  for (int attempt = 1; attempt <= 3; ++attempt) {
    const auto failed = task.attempt();
    ASSERT_FALSE(failed);
    EXPECT_EQ(failed.error().cure, Cure::resume);
    EXPECT_EQ(failed.error().step, "comment");
  }
  const auto last = task.attempt(/*is_last=*/true);
  ASSERT_TRUE(last);
  EXPECT_EQ(last->warnings.size(), 1U);
  EXPECT_EQ(task.outline.effects_by_us("documents.move"), 1U);
}

TEST(Plan, TreatsACommentAlreadyPostedByAnotherProcessAsDone) {
  FakeErrand task(scenes()[2]);
  task.outline.before_call = [&](const FakeCall& call) {
    if (call.endpoint != "comments.create") return;
    task.outline.comments[call.target] = {.document = kDoc, .text = "you"};
  };
  const auto report = task.finish(1);
  ASSERT_TRUE(report);
  EXPECT_TRUE(report->warnings.empty());
  EXPECT_EQ(task.outline.comments.size(), 1U);
  EXPECT_EQ(task.outline.effects_by_us("comments.create"), 0U);
}

TEST(Plan, FailsWhenAnAnswerCannotBePostedAndKeepsTheCommandLine) {
  for (const std::size_t number : {1U, 2U, 5U}) {  // asked back, a question, related
    FakeErrand task(scenes()[number]);
    task.outline.script = [](const FakeCall& call) -> std::optional<FakeFault> {
      if (call.endpoint != "comments.create") return std::nullopt;
      return FakeFault{.failure = kRefused};
    };
    const auto report = task.finish();
    ASSERT_FALSE(report);
    EXPECT_EQ(report.error().cure, Cure::give_up);
    EXPECT_EQ(report.error().step, "answer");
    EXPECT_EQ(task.document().text, task.scene.text);
  }
}

TEST(Plan, FailsWhenTheCommentIdIsUsedOnAnotherDocument) {
  FakeErrand task(scenes()[2]);
  task.outline.comments[comment_id(task.errand.key, "comment")] = {.document = kHere};
  const auto report = task.finish();
  ASSERT_FALSE(report);
  EXPECT_EQ(report.error().step, "answer");
  EXPECT_TRUE(report.error().reason.contains("on another document"));
}

TEST(Plan, ACommentThatAPersonDeletedIsNotPostedAgain) {
  FakeErrand task(scenes()[2]);
  task.outline.deleted_comments.insert(comment_id(task.errand.key, "comment"));
  const auto report = task.finish();
  ASSERT_TRUE(report);
  EXPECT_TRUE(task.outline.comments.empty());
  EXPECT_EQ(decision_of(report->data)->left_alone, std::vector<std::string>{"comment"});
}

TEST(Plan, RefusesToStartACommandWhoseLineCannotBeRemoved) {
  FakeErrand task(scenes()[5]);
  task.outline.human_text(kDoc, "/related works so:\n\n\n/related is a line.\n\n\n/related");
  const auto report = task.finish();
  ASSERT_FALSE(report);
  EXPECT_EQ(report.error().cure, Cure::give_up);
  EXPECT_TRUE(report.error().reason.contains("further up")) << report.error().reason;
  EXPECT_EQ(task.decisions, 0);
}

TEST(Plan, DoesNotWriteToAServerThatWouldReplaceTheDocument) {
  FakeErrand task(scenes()[3]);
  task.outline.can.edits_parts = false;
  const auto report = task.finish();
  ASSERT_FALSE(report);
  EXPECT_TRUE(report.error().reason.contains("older than Outline 1.7.0")) << report.error().reason;
  EXPECT_TRUE(task.outline.journal.empty());
}

TEST(Plan, DistinguishesAWithdrawnCommandFromOtherFailures) {
  FakeErrand task(scenes()[0]);
  task.outline.human_text(kDoc, "first line\n\n/ai-file to somewhere else\n");
  const auto taken_back = task.finish();
  ASSERT_FALSE(taken_back);
  EXPECT_TRUE(is_taken_back(taken_back.error())) << text_of(taken_back.error());
  EXPECT_EQ(task.decisions, 0);
  EXPECT_EQ(task.outline.calls.size(), 1U);

  FakeErrand gone(scenes()[0]);
  gone.outline.human_archive(kDoc);
  const auto failed = gone.finish();
  ASSERT_FALSE(failed);
  EXPECT_EQ(failed.error(), (Failure{.cure = Cure::give_up,
                                     .step = "decide",
                                     .reason = "document: it is missing, deleted or archived"}));
  EXPECT_FALSE(is_taken_back(failed.error()));
  Failure other = taken_back.error();
  other.cure = Cure::retry;
  EXPECT_FALSE(is_taken_back(other));
  EXPECT_FALSE(is_taken_back({.step = "decide", .reason = "withdrawn: said the assistant"}));
}

TEST(Plan, IdsAreDerivedFromTheRunTheTaskAndTheStep) {
  const std::string id = comment_id(task_key("run 1", 7), "comment");
  EXPECT_TRUE(hash::is_uuid(id));
  EXPECT_EQ(id[14], '4');  // Outline accepts no other version
  EXPECT_EQ(id, comment_id(task_key("run 1", 7), "comment"));
  EXPECT_NE(id, comment_id(task_key("run 1", 7), "notice"));
  EXPECT_NE(id, comment_id(task_key("run 1", 8), "comment"));
  EXPECT_NE(id, comment_id(task_key("run 2", 7), "comment"));
}

}  // namespace
}  // namespace tidemill::docs
