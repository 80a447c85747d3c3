// The register, the subjects in it, and the sweep that fills it.
#include "tidemill/jobs/docs/register.h"

#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <set>
#include <thread>

#include <gtest/gtest.h>

#include "tidemill/jobs/docs/server/fake_outline.h"
#include "tidemill/jobs/docs/sweep.h"
#include "tidemill/testing/eventually.h"

namespace tidemill::docs {
namespace {

using engine::Found;
using engine::TaskState;

const std::string kDocument = "6f1f3a5e-8d0f-4f39-9d43-0a61d4a9c001";

Command filing(std::string guidance, bool is_uncertain = false) {
  Command command;
  command.is_uncertain = is_uncertain;
  command.argument = std::move(guidance);
  return command;
}

DocumentSighting sight_of(std::int64_t revision, std::vector<Command> commands) {
  DocumentSighting sight;
  sight.document = kDocument;
  sight.revision = revision;
  sight.commands = std::move(commands);
  return sight;
}

// Reserves, confirms and takes the task; empty if it is known.
std::optional<engine::TaskRecord> taken(Register& tasks, std::int64_t revision, Command command) {
  const auto found = tasks.reserve(sight_of(revision, {std::move(command)}));
  if (found.empty()) return std::nullopt;
  tasks.confirm(found);
  return tasks.next();
}

void end(Register& tasks, const engine::TaskRecord& task, TaskState state,
         const std::string& result = {}) {
  tasks.settled(task.id, task.subject, state, result);
}

TEST(Subjects, AreReadAsTheyWereWritten) {
  const CommandSubject command{.document = kDocument, .command = filing("to finance")};
  EXPECT_EQ(subject_of(command), kDocument + " /ai-file to finance");
  ASSERT_TRUE(command_of(subject_of(command)));
  EXPECT_EQ(command_of(subject_of(command))->command, command.command);
  EXPECT_EQ(document_of(kDocument + " d1")->delivery, "d1");
  EXPECT_EQ(document_of(kDocument)->delivery, "");
  const auto notice = notice_of(subject_of(NoticeSubject{kDocument, 17, "it failed, twice"}));
  ASSERT_TRUE(notice);
  EXPECT_EQ(notice->task, 17U);
  EXPECT_EQ(notice->text, "it failed, twice");
  for (const char* none :
       {"", "x", "no-uuid /ai-file", "6f1f3a5e-8d0f-4f39-9d43-0a61d4a9c001 hm"}) {
    EXPECT_FALSE(command_of(none)) << none;
  }
  EXPECT_FALSE(notice_of(kDocument + " x y"));
}

TEST(Subjects, AResultRoundTripsWithWhatWasLeftAlone) {
  const DoneResult result{.revision = 17, .is_unmarked = true, .left_alone = "title,terms"};
  EXPECT_EQ(text_of(result), "17 unmarked left:title,terms");
  EXPECT_EQ(done_result_of(text_of(result)), result);
  EXPECT_EQ(done_result_of("3 commands"), (DoneResult{.revision = 3}));
  const DoneResult all{.revision = 1,
                       .updated_at = "2026-01-01T10:00:00.000Z",
                       .is_unmarked = false,
                       .left_alone = "title",
                       .warned = "unmark,comment"};
  EXPECT_EQ(text_of(all), "1 marked at:2026-01-01T10:00:00.000Z left:title warned:unmark,comment");
  EXPECT_EQ(done_result_of(text_of(all)), all);
}

TEST(Register, ALineSeenRepeatedlyIsOneTask) {
  Register tasks;
  const auto first = taken(tasks, 5, filing(""));
  ASSERT_TRUE(first);
  EXPECT_FALSE(taken(tasks, 5, filing("")));
  EXPECT_FALSE(taken(tasks, 6, filing(""))) << "it is at work, whatever else has changed";
  end(tasks, *first, TaskState::done, "6 unmarked");
  EXPECT_TRUE(taken(tasks, 6, filing("to finance"))) << "other words are another task";
}

TEST(Register, ADoneLineWrittenAgainIsANewTask) {
  Register tasks;
  const auto task = taken(tasks, 5, filing(""));
  end(tasks, *task, TaskState::done, "8 unmarked");
  EXPECT_FALSE(taken(tasks, 7, filing(""))) << "an old page of the list";
  EXPECT_FALSE(taken(tasks, 8, filing(""))) << "as we left it";
  EXPECT_TRUE(taken(tasks, 9, filing("")));
}

TEST(Register, ARetypedLineIsANewTaskEvenWithinTheSameRevision) {
  Register tasks;
  const auto task = taken(tasks, 5, filing(""));
  end(tasks, *task, TaskState::done, "8 unmarked at:2026-01-01T10:00:00.000Z");
  DocumentSighting sight = sight_of(8, {filing("")});
  sight.updated_at = "2026-01-01T10:00:00.000Z";
  EXPECT_TRUE(tasks.reserve(sight).empty());
  sight.updated_at = "2026-01-01T10:00:00.001Z";
  EXPECT_EQ(tasks.reserve(sight).size(), 1U);
}

TEST(Register, CommandsOfOneDocumentComeOneAfterTheOther) {
  Register tasks;
  const std::string other = "6f1f3a5e-8d0f-4f39-9d43-0a61d4a9c002";
  tasks.confirm(tasks.reserve(sight_of(1, {filing("a"), filing("b"), filing("c")})));
  DocumentSighting elsewhere = sight_of(1, {filing("d")});
  elsewhere.document = other;
  tasks.confirm(tasks.reserve(elsewhere));
  tasks.sources_have_ended();
  const auto first = tasks.next();
  EXPECT_EQ(first->subject, kDocument + " /ai-file a");
  const auto second = tasks.next();
  EXPECT_EQ(second->subject, other + " /ai-file d") << "the first document is at work";
  end(tasks, *second, TaskState::done, "1 unmarked");
  end(tasks, *first, TaskState::done, "2 unmarked");
  const auto third = tasks.next();
  EXPECT_EQ(third->subject, kDocument + " /ai-file b");
  end(tasks, *third, TaskState::dead);
  const auto last = tasks.next();
  EXPECT_EQ(last->subject, kDocument + " /ai-file c") << "a letter frees the document, too";
  end(tasks, *last, TaskState::skipped);
  EXPECT_FALSE(tasks.next());
}

TEST(Register, DoesNotRepeatALineWrittenByAnAssistant) {
  Register tasks;
  const auto task = taken(tasks, 5, filing("a"));
  end(tasks, *task, TaskState::skipped, std::string(kByAssistant));
  EXPECT_FALSE(taken(tasks, 9, filing("a")));
}

TEST(Register, CountsTasksWithSkippedChangesOrWarnings) {
  Register tasks;
  for (const char* result : {"1 unmarked", "2 unmarked left:title", "3 marked warned:unmark"}) {
    const auto task = taken(tasks, 1, filing(result));
    end(tasks, *task, TaskState::done, result);
  }
  EXPECT_EQ(tasks.warned(), 2U);
}

TEST(Register, DoesNotRepeatALineThatCouldNotBeRemoved) {
  Register tasks;
  const auto task = taken(tasks, 5, filing(""));
  end(tasks, *task, TaskState::done, "8 marked");
  EXPECT_FALSE(taken(tasks, 9, filing("")));
}

TEST(Register, DoesNotRepeatADeadLetterButAllowsAWithdrawnCommandAgain) {
  Register tasks;
  const auto dead = taken(tasks, 5, filing("a"));
  end(tasks, *dead, TaskState::dead);
  EXPECT_FALSE(taken(tasks, 9, filing("a")));
  const auto skipped = taken(tasks, 5, filing("b"));
  end(tasks, *skipped, TaskState::skipped);
  EXPECT_TRUE(taken(tasks, 9, filing("b")));
}

TEST(Register, AnUncertainCommandWaitsForNewGuidance) {
  Register tasks;
  EXPECT_FALSE(taken(tasks, 5, filing("", true)));
  const auto task = taken(tasks, 5, filing("money"));
  end(tasks, *task, TaskState::done, "6 unmarked");
  EXPECT_FALSE(taken(tasks, 7, filing("money", true))) << "we wrote that ourselves";
  const auto answered = taken(tasks, 8, filing("money of 2026", true));
  ASSERT_TRUE(answered);
  end(tasks, *answered, TaskState::done, "9 unmarked");
  EXPECT_FALSE(taken(tasks, 10, filing("money of 2026", true))) << "nothing new was said";
}

TEST(Register, RemembersADeliveryForeverAndADocumentOnlyWhilePending) {
  Register tasks;
  const DocumentSubject event{.document = kDocument, .delivery = "d1"};
  const auto found = tasks.reserve(event);
  ASSERT_TRUE(found);
  tasks.confirm({&*found, 1});
  EXPECT_FALSE(tasks.reserve(event));
  end(tasks, *tasks.next(), TaskState::done, "0 commands");
  EXPECT_FALSE(tasks.reserve(event));

  const DocumentSubject asked{.document = kDocument};
  const auto first = tasks.reserve(asked);
  ASSERT_TRUE(first);
  tasks.confirm({&*first, 1});
  EXPECT_FALSE(tasks.reserve(asked));
  end(tasks, *tasks.next(), TaskState::done, "0 commands");
  EXPECT_TRUE(tasks.reserve(asked));
}

TEST(Register, ADuplicateGetsTheReservationWhenTheFirstIsCancelled) {
  Register tasks;
  const DocumentSubject event{.document = kDocument, .delivery = "d1"};
  const auto found = tasks.reserve(event);
  ASSERT_TRUE(found);
  std::atomic<bool> has_answered = false;
  std::optional<Found> second;
  std::jthread other([&] {
    second = tasks.reserve(event);  // the commit of the first is still in progress
    has_answered = true;
  });
  EXPECT_FALSE(has_answered.load());
  tasks.cancel({&*found, 1});
  other.join();
  EXPECT_TRUE(second) << "the first was not kept: this one must be";
}

TEST(Register, ReturnsCommandsBeforeDocumentsAndEndsWhenAllAreSettled) {
  Register tasks;
  const auto document = tasks.reserve(DocumentSubject{.document = kDocument});
  const auto commands = tasks.reserve(sight_of(1, {filing("")}));
  tasks.confirm({&*document, 1});
  tasks.confirm(commands);
  tasks.sources_have_ended();
  const auto first = tasks.next();
  const auto second = tasks.next();
  EXPECT_EQ(first->type, kCommandType);
  EXPECT_EQ(second->type, kDocumentType);
  std::atomic<bool> has_ended = false;
  std::jthread feeder([&] {
    EXPECT_FALSE(tasks.next());
    has_ended = true;
  });
  end(tasks, *first, TaskState::done, "1 unmarked");
  EXPECT_FALSE(has_ended.load()) << "the document may still lead to commands";
  end(tasks, *second, TaskState::done, "0 commands");
  EXPECT_TRUE(testing::eventually([&] { return has_ended.load(); }));
}

TEST(Register, RestoresItsStateFromTheJournal) {
  const std::string path = ::testing::TempDir() + "docs-register-" + std::to_string(::getpid());
  const auto journal =
      journal::SqliteJournal::open({.path = path, .access = journal::Access::create});
  ASSERT_TRUE(journal) << text_of(journal.error());
  Register first;
  const auto found = first.reserve(sight_of(5, {filing("a"), filing("b"), filing("c")}));
  ASSERT_EQ(found.size(), 3U);
  const std::vector<engine::Entry> entries(found.begin(), found.end());
  ASSERT_TRUE((*journal)->commit(entries));
  ASSERT_TRUE((*journal)->commit_one(engine::Done{.id = found[0].id, .result = "8 unmarked"}));
  ASSERT_TRUE((*journal)->commit_one(
      engine::Died{.id = found[1].id, .failure = {.step = "move", .reason = "403"}}));

  Register second;
  ASSERT_TRUE(second.load(**journal));
  EXPECT_EQ(second.found(), 3U);
  const auto left = second.next();
  EXPECT_EQ(left->subject, found[2].subject);
  EXPECT_FALSE(taken(second, 8, filing("a")));
  EXPECT_FALSE(taken(second, 9, filing("b")));
  EXPECT_FALSE(taken(second, 9, filing("c")));
  end(second, *left, TaskState::dead);
  const auto again = taken(second, 9, filing("a"));
  ASSERT_TRUE(again);
  EXPECT_EQ(again->id, 4U);
  std::filesystem::remove(path);
}

// Adds `count` documents to the server, changed one after the other.
void fill(FakeOutline& outline, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) {
    outline.add("d" + std::to_string(1'000 + i), "t", "text", "c");
  }
}

struct Looking {
  FakeOutline outline{};
  std::vector<std::string> seen{};
  std::vector<std::chrono::milliseconds> pauses{};
  bool may_pause = true;

  Sweep sweep(engine::RetryPolicy retry = {}, bool retries_until_last = false) {
    return Sweep(
        {.collections = {}, .retry = retry, .retries_until_last = retries_until_last}, outline,
        [this](const OutlineDocument& document) -> Result<void> {
          seen.push_back(document.id);
          return {};
        },
        [this](std::chrono::milliseconds wait) {
          pauses.push_back(wait);
          return may_pause;
        });
  }
};

TEST(Sweep, LooksAtEverythingOnceAndThenAtWhatHasChanged) {
  Looking looking;
  fill(looking.outline, 250);
  Sweep sweep = looking.sweep();
  ASSERT_TRUE(sweep.run());
  EXPECT_EQ(std::set<std::string>(looking.seen.begin(), looking.seen.end()).size(), 250U);
  looking.seen.clear();
  looking.outline.human_text("d1100", "changed");
  const std::size_t calls = looking.outline.calls.size();
  ASSERT_TRUE(sweep.run());
  EXPECT_EQ(looking.seen.front(), "d1100");
  EXPECT_EQ(looking.outline.calls.size(), calls + 1) << "one page is enough";
}

TEST(Sweep, ADeletionDuringTheSweepHidesNoOtherDocument) {
  Looking looking;
  fill(looking.outline, 250);
  looking.outline.before_call = [&](const FakeCall& call) {
    if (call.number == 2) looking.outline.documents.erase("d1249");
  };
  Sweep sweep = looking.sweep();
  ASSERT_TRUE(sweep.run());
  const std::set<std::string> seen(looking.seen.begin(), looking.seen.end());
  for (std::size_t i = 0; i < 249; ++i) EXPECT_TRUE(seen.contains("d" + std::to_string(1'000 + i)));
}

TEST(Sweep, WaitsForAFailingServer) {
  Looking looking;
  fill(looking.outline, 3);
  looking.outline.script = [](const FakeCall& call) -> std::optional<FakeFault> {
    if (call.number > 2) return std::nullopt;
    FakeFault fault;
    if (call.number == 1) {
      fault.failure = {.cure = Cure::later, .step = "gate", .not_before = std::chrono::seconds(7)};
    }
    return fault;
  };
  Sweep sweep = looking.sweep({.max_attempts = 2});
  ASSERT_TRUE(sweep.run());
  EXPECT_EQ(looking.seen.size(), 3U);
  ASSERT_EQ(looking.pauses.size(), 2U);
  EXPECT_EQ(looking.pauses[0], std::chrono::seconds(7));
}

TEST(Sweep, GivesUpAfterMaxAttemptsUnlessItKeepsRetrying) {
  Looking looking;
  looking.outline.script = [](const FakeCall& call) -> std::optional<FakeFault> {
    if (call.number > 9) return std::nullopt;
    return FakeFault{};
  };
  Sweep once = looking.sweep({.max_attempts = 3});
  EXPECT_FALSE(once.run());
  EXPECT_EQ(looking.outline.calls.size(), 3U);
  Sweep retrying = looking.sweep({.max_attempts = 3}, true);
  EXPECT_TRUE(retrying.run());
  EXPECT_EQ(looking.outline.calls.size(), 10U);
}

TEST(Sweep, AStopEndsItsWaiting) {
  Looking looking;
  looking.may_pause = false;
  looking.outline.fail_at(1, {});
  Sweep sweep = looking.sweep();
  const auto swept = sweep.run();
  ASSERT_FALSE(swept);
  EXPECT_EQ(swept.error().cure, Cure::resume);
}

}  // namespace
}  // namespace tidemill::docs
