#include "tidemill/engine/checkpoints.h"

#include <span>

#include <gtest/gtest.h>

#include "tidemill/engine/memory_journal.h"

namespace tidemill::engine {
namespace {

TEST(JournalCheckpoints, SavesLoadsAndClearsInTheJournal) {
  MemoryJournal journal;
  JournalCheckpoints checkpoints(journal);
  const Entry found = Found{.id = 1};
  ASSERT_TRUE(journal.commit(std::span(&found, 1)));
  EXPECT_EQ(checkpoints.load(1), std::nullopt);

  const Checkpoint kept{.steps_done = 1, .last_step = "copy", .data = "d", .warnings = {"w"}};
  ASSERT_TRUE(checkpoints.save(1, kept));
  EXPECT_EQ(checkpoints.load(1), kept);
  EXPECT_EQ(journal.checkpoint(1), kept);

  ASSERT_TRUE(checkpoints.clear(1));
  ASSERT_TRUE(checkpoints.clear(1));
  EXPECT_EQ(checkpoints.load(1), std::nullopt);
}

TEST(JournalCheckpoints, RefusesATaskThatIsNotPending) {
  MemoryJournal journal;
  JournalCheckpoints checkpoints(journal);
  const auto unknown = checkpoints.save(1, {.steps_done = 1});
  ASSERT_FALSE(unknown);
  EXPECT_EQ(unknown.error().cure, Cure::give_up);
  EXPECT_EQ(checkpoints.load(1), std::nullopt);
}

}  // namespace
}  // namespace tidemill::engine
