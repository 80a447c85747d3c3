#include "tidemill/ui/cli/run_status.h"

#include <fstream>
#include <optional>
#include <string>

#include <gtest/gtest.h>

#include "tidemill/testing/own_folder.h"
#include "tidemill/ui/cli/run_text.h"

namespace tidemill::cli {
namespace {

constexpr WallTime kNow{std::chrono::seconds(1'794'717'067)};  // 2026-11-15 04:31:07 UTC

class RunStatusTest : public ::testing::Test {
 protected:
  // Whether or not its process has the lock.
  [[nodiscard]] std::string state() const { return run_status_at(folder_).state; }

  testing::OwnFolder own_;
  const run::RunFolder folder_ =
      run::StateFolder(own_.path() + "/state").create("each", kNow).value();
};

TEST_F(RunStatusTest, ARunThatHasNotWrittenItsCardYetIsStarting) {
  std::optional<run::RunLock> lock = run::RunLock::take(folder_.lock(), kNow).value();
  EXPECT_EQ(state(), kStarting);  // no journal
  std::ofstream(folder_.journal()).flush();
  EXPECT_EQ(state(), kStarting);  // an empty one
  {
    const auto journal = journal::SqliteJournal::open(
        {.path = folder_.journal(), .access = journal::Access::create});
    ASSERT_TRUE(journal.has_value());
    EXPECT_EQ(state(), kStarting);  // one without a card
    EXPECT_EQ(card_in(folder_).error().reason, "the run is still starting");
  }
  lock.reset();
  EXPECT_EQ(state(), kUnreadable);  // its process was killed
}

TEST_F(RunStatusTest, JsonReportsAStartingRunWithoutAProblem) {
  const auto lock = run::RunLock::take(folder_.lock(), kNow);
  const RunStatus run_status = run_status_at(folder_);
  EXPECT_TRUE(run_status.is_starting());
  EXPECT_TRUE(run_status.holder.has_value());
  EXPECT_FALSE(run_status.is_settled());
  std::string line;
  text::JsonWriter json(line);
  json.begin_object();
  write_members(run_status, json);
  json.end_object();
  EXPECT_TRUE(line.starts_with(R"({"run":"20261115-0431-each","state":"starting","pid":)")) << line;
  EXPECT_FALSE(line.contains("problem")) << line;
}

TEST_F(RunStatusTest, ARunningRunWithADamagedJournalIsUnreadable) {
  const auto lock = run::RunLock::take(folder_.lock(), kNow);
  std::ofstream(folder_.journal()) << std::string(10'000, 'x');
  EXPECT_EQ(state(), kUnreadable);
}

TEST_F(RunStatusTest, OpeningTheJournalOfAStartingRunSaysToTryAgain) {
  const auto lock = run::RunLock::take(folder_.lock(), kNow);
  const auto journal = open_to_read(folder_);
  ASSERT_FALSE(journal.has_value());
  EXPECT_EQ(journal.error().kind, FailureKind::held);
  EXPECT_EQ(text_of(journal.error()),
            "20261115-0431-each: the run is still starting (try again in a moment)");
}

}  // namespace
}  // namespace tidemill::cli
