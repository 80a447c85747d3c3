#include "tidemill/testing/journal_contract.h"

#include <atomic>
#include <cstdint>
#include <stop_token>
#include <thread>
#include <tuple>
#include <vector>

#include <rapidcheck.h>

#include "tidemill/testing/journal_model.h"

namespace tidemill::testing {

using namespace engine;

void PrintTo(const JournalMaker& maker, std::ostream* out) { *out << maker.name; }

// A test program may link the contract without instantiating it.
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(JournalContract);

namespace {

template <class Row>
std::vector<TaskId> ids_of(const Result<std::vector<Row>>& page) {
  std::vector<TaskId> ids;
  for (const Row& row : page.value()) ids.push_back(row.id);
  return ids;
}

using Ids = std::vector<TaskId>;

const Failure kTimeout{.cure = Cure::retry, .step = "read", .reason = "timed out"};
const Failure kGone{.cure = Cure::give_up, .step = "open", .reason = "gone", .hint = "look"};

// The entries that bring task 1 into each state, the unknown one first.
const std::vector<std::vector<Entry>> kWaysIn = {
    {},
    {make_entry(0, 1)},
    {make_entry(0, 1), make_entry(5, 1)},
    {make_entry(0, 1), make_entry(6, 1)},
    {make_entry(0, 1), make_entry(2, 1), make_entry(7, 1)},
    {make_entry(0, 1), make_entry(2, 1), make_entry(7, 1), make_entry(9, 1)},
};

TEST_P(JournalContract, EveryEntryInEveryStateMatchesTheModel) {
  for (const auto& way_in : kWaysIn) {
    for (std::size_t kind = 0; kind < kEntryKinds; ++kind) {
      const auto journal = GetParam().make();
      JournalModel model;
      ASSERT_TRUE(journal->commit(way_in));
      ASSERT_TRUE(model.commit(way_in));

      const std::vector<Entry> batch = {make_entry(0, 2), make_entry(kind, 1, 2)};
      SCOPED_TRACE(std::string(name_of(batch[1])) + " after " + std::to_string(way_in.size()));
      const auto done = journal->commit(batch);
      EXPECT_EQ(done.has_value(), model.commit(batch));
      EXPECT_EQ(model.difference(*journal), "");
      if (done) continue;
      EXPECT_EQ(done.error().cure, Cure::give_up);
      EXPECT_TRUE(done.error().reason.starts_with("entry 1, " + std::string(name_of(batch[1])) +
                                                  " of task 1: "));
    }
  }
}

TEST_P(JournalContract, ABatchWhoseLastEntryIsWrongChangesNothing) {
  find({1, 2, 3, 4});
  ASSERT_TRUE(commit({Died{.id = 4, .failure = kGone}}));
  const auto before = journal_->tally();
  EXPECT_FALSE(commit({Found{.id = 5}, Done{.id = 1}, Skipped{.id = 2}, Crashed{.id = 3},
                       Checkpointed{.id = 3, .checkpoint = {.steps_done = 1}},
                       Attempted{.id = 3, .failure = kTimeout}, Revived{.id = 4}, Done{.id = 99}}));
  EXPECT_EQ(journal_->tally(), before);
  EXPECT_EQ(ids_of(journal_->pending(0, 9)), (Ids{1, 2, 3}));
  EXPECT_EQ(ids_of(journal_->letters(0, 9)), (Ids{4}));
  EXPECT_EQ(record(3), TaskRecord{.id = 3});
  EXPECT_EQ(journal_->next_id(), TaskId{5});
  ASSERT_TRUE(commit({Found{.id = 5}, Done{.id = 1}}));  // and the journal still works
}

TEST_P(JournalContract, AnEntrySeesThoseBeforeItInItsBatch) {
  ASSERT_TRUE(commit({Found{.id = 1}, Died{.id = 1, .failure = kGone}, Revived{.id = 1},
                      Done{.id = 1, .result = "late"}, Found{.id = 2}}));
  EXPECT_EQ(record(1).outcome, "late");
  EXPECT_EQ(ids_of(journal_->pending(0, 9)), (Ids{2}));
  EXPECT_FALSE(commit({Found{.id = 3}, Found{.id = 3}}));
  EXPECT_FALSE(commit({Done{.id = 2}, Skipped{.id = 2}}));
  EXPECT_TRUE(commit({}));
}

TEST_P(JournalContract, AcceptsIdsFromOneToTheLargest) {
  EXPECT_EQ(journal_->next_id(), TaskId{1});
  EXPECT_FALSE(commit({Found{.id = 0}}));
  EXPECT_FALSE(commit({Found{.id = kLastTaskId + 1}}));
  find({kLastTaskId, 3});
  EXPECT_EQ(ids_of(journal_->pending(0, 9)), (Ids{3, kLastTaskId}));
  EXPECT_EQ(journal_->next_id(), kLastTaskId + 1);
  EXPECT_EQ(journal_->task(kLastTaskId + 1), std::nullopt);
  EXPECT_EQ(journal_->pending(kLastTaskId + 1, 9)->size(), 0U);
}

TEST_P(JournalContract, AnOutcomeReportedTwiceCountsOnceAndTheFirstIsKept) {
  find({1, 2, 3});
  ASSERT_TRUE(
      commit({Done{.id = 1, .attempts = 2, .result = "first"}, Skipped{.id = 2, .reason = "first"},
              Died{.id = 3, .attempts = 2, .failure = kGone, .at = at_second(1)}}));
  const auto letter = journal_->letter(3);
  ASSERT_TRUE(commit({Done{.id = 1, .attempts = 3, .result = "second"},
                      Skipped{.id = 2, .reason = "second"},
                      Died{.id = 3, .attempts = 3, .failure = kTimeout, .at = at_second(2)}}));
  EXPECT_EQ(record(1).outcome, "first");
  EXPECT_EQ(record(1).attempts, 2);
  EXPECT_EQ(record(2).outcome, "first");
  EXPECT_EQ(journal_->letter(3).value(), letter.value());
  EXPECT_EQ(journal_->tally(), (Tally{.counts = {0, 1, 1, 1, 0}}));
}

TEST_P(JournalContract, TheSameAttemptReportedTwiceCountsOnce) {
  find({1});
  ASSERT_TRUE(commit({Attempted{.id = 1, .attempt = 1, .failure = kTimeout, .at = at_second(1)},
                      Attempted{.id = 1,
                                .attempt = 2,
                                .failure = kTimeout,
                                .at = at_second(2),
                                .not_before = at_second(9)}}));
  const TaskRecord before = record(1);
  ASSERT_TRUE(commit({Attempted{.id = 1, .attempt = 2, .failure = kGone, .at = at_second(3)},
                      Attempted{.id = 1, .attempt = 1, .failure = kGone, .at = at_second(4)}}));
  EXPECT_EQ(record(1), before);
  EXPECT_EQ(before.attempts, 2);
  EXPECT_EQ(before.not_before, at_second(9));
}

TEST_P(JournalContract, ADeadLetterHasTheLastFailureTheFirstAndLastTimeAndTheCheckpoint) {
  const Checkpoint kept{.steps_done = 1, .last_step = "copy", .data = "half", .warnings = {"w"}};
  ASSERT_TRUE(commit({Found{.id = 7, .type = "move", .subject = "/a", .weight = 5}}));
  ASSERT_TRUE(commit({Attempted{.id = 7, .attempt = 1, .failure = kTimeout, .at = at_second(1)}}));
  ASSERT_TRUE(commit({Crashed{.id = 7}, Checkpointed{.id = 7, .checkpoint = kept}}));
  ASSERT_TRUE(commit({Attempted{.id = 7, .attempt = 2, .failure = kTimeout, .at = at_second(2)}}));
  EXPECT_EQ(journal_->letter(7), std::nullopt);
  ASSERT_TRUE(commit({Died{.id = 7, .attempts = 3, .failure = kGone, .at = at_second(3)}}));
  const Letter expected{.id = 7,
                        .type = "move",
                        .subject = "/a",
                        .weight = 5,
                        .attempts = 3,
                        .crashes = 1,
                        .failures = {.failure = kGone, .first = at_second(1), .last = at_second(3)},
                        .checkpoint = kept};
  EXPECT_EQ(journal_->letter(7), expected);
  EXPECT_EQ(journal_->letters(0, 1), std::vector{expected});
}

TEST_P(JournalContract, ARevivedTaskStartsOverAtItsCheckpoint) {
  const Checkpoint kept{.steps_done = 2, .last_step = "move"};
  find({1});
  ASSERT_TRUE(commit({Crashed{.id = 1}, Checkpointed{.id = 1, .checkpoint = kept},
                      Died{.id = 1, .attempts = 3, .failure = kTimeout, .at = at_second(1)}}));
  ASSERT_TRUE(commit({Revived{.id = 1}}));
  EXPECT_EQ(journal_->letter(1), std::nullopt);
  EXPECT_EQ(journal_->pending(0, 9), (std::vector{TaskRecord{.id = 1, .has_checkpoint = true}}));
  EXPECT_EQ(journal_->checkpoint(1), kept);
  EXPECT_FALSE(commit({Revived{.id = 1}}));
  ASSERT_TRUE(commit({Died{.id = 1, .attempts = 1, .failure = kGone, .at = at_second(8)}}));
  EXPECT_EQ(journal_->letter(1).value()->failures.first, at_second(8));
}

TEST_P(JournalContract, TheEndOfATaskRemovesItsCheckpoint) {
  const Checkpoint kept{.steps_done = 1, .data = "x"};
  for (TaskId id = 1; id <= 4; ++id) {
    ASSERT_TRUE(commit({Found{.id = id}, Checkpointed{.id = id, .checkpoint = kept}}));
  }
  ASSERT_TRUE(commit({Done{.id = 1}, Skipped{.id = 2}, Died{.id = 3}, Abandoned{.id = 3},
                      Cleared{.id = 4}, Cleared{.id = 4}}));
  for (TaskId id = 1; id <= 4; ++id) {
    EXPECT_EQ(journal_->checkpoint(id), std::nullopt) << id;
    EXPECT_FALSE(record(id).has_checkpoint) << id;
  }
  ASSERT_TRUE(commit({Checkpointed{.id = 4, .checkpoint = kept}}));
  const Checkpoint later{.steps_done = 2, .last_step = "b", .data = "y", .warnings = {"", "w"}};
  ASSERT_TRUE(commit({Checkpointed{.id = 4, .checkpoint = later}}));
  EXPECT_EQ(journal_->checkpoint(4), later);
}

TEST_P(JournalContract, PagesFollowTheIdsOverGapsAndNeverPassTheLimit) {
  find({100, 8, 1, 7, 2, 50});
  ASSERT_TRUE(commit({Done{.id = 7}, Died{.id = 8, .failure = kGone}, Died{.id = 50}}));
  EXPECT_EQ(ids_of(journal_->pending(0, 2)), (Ids{1, 2}));
  EXPECT_EQ(ids_of(journal_->pending(2, 2)), (Ids{100}));
  EXPECT_EQ(ids_of(journal_->pending(0, 3)), (Ids{1, 2, 100}));
  EXPECT_EQ(ids_of(journal_->pending(99, 1)), (Ids{100}));
  EXPECT_EQ(ids_of(journal_->pending(100, 1)), (Ids{}));
  EXPECT_EQ(ids_of(journal_->pending(0, 0)), (Ids{}));
  EXPECT_EQ(ids_of(journal_->letters(0, 1)), (Ids{8}));
  EXPECT_EQ(ids_of(journal_->letters(8, 1)), (Ids{50}));
  EXPECT_EQ(ids_of(journal_->letters(50, 1)), (Ids{}));
  EXPECT_EQ(ids_of(journal_->letters(0, 0)), (Ids{}));
  EXPECT_EQ(ids_of(journal_->letters(0, SIZE_MAX)), (Ids{8, 50}));
  EXPECT_EQ(journal_->next_id(), TaskId{101});
}

TEST_P(JournalContract, KeepsTextAsRawBytes) {
  const std::string bytes("a\nb\0c\xff\xfe'\"\x1b[31m", 15);
  const Failure failure{.cure = Cure::resume, .step = bytes, .reason = bytes, .hint = bytes};
  const Checkpoint kept{.steps_done = 1, .last_step = bytes, .data = bytes, .warnings = {bytes}};
  for (TaskId id = 1; id <= 3; ++id) {
    ASSERT_TRUE(commit({Found{.id = id, .type = bytes, .subject = bytes, .weight = UINT32_MAX}}));
  }
  ASSERT_TRUE(
      commit({Done{.id = 1, .result = bytes}, Skipped{.id = 2, .reason = bytes},
              Checkpointed{.id = 3, .checkpoint = kept}, Died{.id = 3, .failure = failure}}));
  EXPECT_EQ(record(1).type, bytes);
  EXPECT_EQ(record(1).subject, bytes);
  EXPECT_EQ(record(1).outcome, bytes);
  EXPECT_EQ(record(2).outcome, bytes);
  const Letter letter = journal_->letter(3).value().value();
  EXPECT_EQ(letter.subject, bytes);
  EXPECT_EQ(letter.failures.failure, failure);
  EXPECT_EQ(letter.checkpoint, kept);
}

TEST_P(JournalContract, RandomHistoriesAgreeWithTheModel) {
  EXPECT_TRUE(rc::check("journal and model give the same answers", [&](std::vector<Draw> draws) {
    const auto journal = GetParam().make();
    JournalModel model;
    std::vector<Entry> batch;
    for (const Draw& draw : draws) {
      batch.push_back(next_entry(draw, model, batch));
      if (!std::get<bool>(draw)) continue;
      RC_ASSERT(journal->commit(batch).has_value() == model.commit(batch));
      RC_ASSERT(model.difference(*journal) == "");
      batch.clear();
    }
  }));
}

TEST_P(JournalContract, ConcurrentCommitsLoseNothingAndAreAtomic) {
  constexpr TaskId kThreads = 4;
  constexpr TaskId kBatches = 20;
  constexpr TaskId kBatch = 50;
  constexpr TaskId kAll = kThreads * kBatches * kBatch;
  std::atomic<int> refused = 0;
  const auto put = [&](TaskId batch, auto entry_of) {
    std::vector<Entry> entries;
    for (TaskId i = 1; i <= kBatch; ++i) entries.push_back(entry_of(batch * kBatch + i));
    refused += journal_->commit(entries) ? 0 : 1;
  };
  const auto end_of = [](TaskId id) {
    return id % 2 == 0 ? Entry(Done{.id = id}) : Entry(Died{.id = id, .failure = kGone});
  };
  std::jthread reader([&](const std::stop_token& stop) {
    for (std::uint64_t before = 0; !stop.stop_requested();) {
      const Tally tally = journal_->tally().value();
      EXPECT_EQ(tally.found() % kBatch, 0U);  // no partial batch is visible
      EXPECT_EQ(tally.done(), tally.dead());
      EXPECT_GE(tally.found(), before);
      before = tally.found();
      EXPECT_LE(journal_->pending(0, 10)->size(), 10U);
    }
  });
  std::vector<std::jthread> writers;
  for (TaskId t = 0; t < kThreads; ++t) {
    writers.emplace_back([&, t] {
      for (TaskId batch = t; batch < kThreads * kBatches; batch += kThreads) {
        put(batch, [](TaskId id) { return Found{.id = id}; });
        put(batch, end_of);
      }
    });
  }
  writers.clear();
  EXPECT_EQ(refused, 0);
  EXPECT_EQ(journal_->tally(), (Tally{.counts = {0, kAll / 2, 0, kAll / 2, 0}}));
  EXPECT_EQ(journal_->letters(0, kAll)->size(), kAll / 2);
  EXPECT_EQ(journal_->next_id(), kAll + 1);
}

TEST_P(JournalContract, OnlyOneConcurrentReviveOfADeadLetterSucceeds) {
  const TaskId letters = GetParam().raced_letters;
  for (TaskId id = 1; id <= letters; ++id) ASSERT_TRUE(commit({Found{.id = id}, Died{.id = id}}));
  std::atomic<TaskId> arrivals = 0;
  std::atomic<TaskId> revived = 0;
  const auto revive_all = [&] {
    for (TaskId id = 1; id <= letters; ++id) {
      ++arrivals;
      while (arrivals < 2 * id) std::this_thread::yield();  // both at the same letter at once
      revived += commit({Revived{.id = id}}) ? 1 : 0;
    }
  };
  {
    const std::jthread one(revive_all);
    const std::jthread other(revive_all);
  }
  EXPECT_EQ(revived, letters);
  EXPECT_EQ(journal_->tally(), (Tally{.counts = {letters}}));
}

}  // namespace
}  // namespace tidemill::testing
