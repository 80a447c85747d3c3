#include "tidemill/state/run/command_record.h"

#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include <gtest/gtest.h>

#include "tidemill/testing/fake_clock.h"
#include "tidemill/testing/own_folder.h"

namespace tidemill::run {
namespace {

namespace fs = std::filesystem;

class CommandRecordTest : public ::testing::Test {
 protected:
  static RunCard card(const std::string& argument = "a b\n") {
    return {.job = "books",
            .arguments = {"check", "", argument, "x=y"},
            .directory = "/somewhere\nelse",
            .version = "1.2.3"};
  }
  [[nodiscard]] Result<CommandRecord> begun(const std::string& argument = "a b\n") const {
    return CommandRecord::begin(state_, "books-check", card(argument), clock_);
  }
  [[nodiscard]] std::size_t listed() const { return state_.list()->size(); }

  testing::OwnFolder own_;
  StateFolder state_{own_ / "state"};
  testing::FakeClock clock_;
};

TEST_F(CommandRecordTest, StoresTheCommandAndItsDirectory) {
  const auto record = begun();
  ASSERT_TRUE(record.has_value());
  EXPECT_TRUE(record->folder().id().ends_with("-books-check"));
  EXPECT_TRUE(record->folder().is_record());
  EXPECT_FALSE(record->folder().has_journal());
  const auto read = card_of_record(record->folder());
  ASSERT_TRUE(read.has_value());
  EXPECT_EQ(*read, record->card());
  EXPECT_EQ(read->arguments, card().arguments);
  EXPECT_EQ(read->directory, card().directory);
  EXPECT_EQ(read->ending, kRunning);
  EXPECT_EQ(state_.find("last")->id(), record->folder().id());
}

TEST_F(CommandRecordTest, FinishRemovesTheRecord) {
  auto record = begun();
  ASSERT_TRUE(record->finish().has_value());
  EXPECT_EQ(listed(), 0U);
  EXPECT_TRUE(fs::is_empty(state_.runs()));
  EXPECT_TRUE(record->end(kInterrupted).has_value());  // does not recreate the record
  EXPECT_TRUE(fs::is_empty(state_.runs()));
}

TEST_F(CommandRecordTest, ACommandWithAHistoryIsKeptApartWhenItHasFinished) {
  auto record = begun();
  std::ofstream(record->folder().history()) << "numbers";
  const std::string id = record->folder().id();
  ASSERT_TRUE(record->finish().has_value());
  EXPECT_EQ(listed(), 0U);
  EXPECT_FALSE(state_.find("last"));
  const RunFolder kept = state_.find_any("last").value();
  EXPECT_EQ(kept.id(), id);
  EXPECT_EQ(state_.find_any("last-books").value(), kept);
  EXPECT_EQ(card_of_record(kept)->ending, kComplete);
  EXPECT_TRUE(fs::exists(kept.history()));
  EXPECT_NE(begun()->folder().id(), id);           // an id is never used again while it is kept
  EXPECT_FALSE(state_.remove(id, clock_.wall()));  // the command has not ended
  record = std::unexpected(Failure{});             // destroys it
  ASSERT_TRUE(state_.remove(id, clock_.wall()));
  EXPECT_FALSE(fs::exists(kept.path()));
}

TEST_F(CommandRecordTest, TheNewestFinishedCommandsAreKept) {
  std::string first;
  for (std::size_t i = 0; i < CommandRecord::kMostFinished + 2; ++i) {
    clock_.advance(std::chrono::minutes(1));
    auto record = begun();
    if (first.empty()) first = record->folder().id();
    std::ofstream(record->folder().history()) << "numbers";
    ASSERT_TRUE(record->finish().has_value());
  }
  const auto kept = state_.list_finished().value();
  EXPECT_EQ(kept.size(), CommandRecord::kMostFinished);
  for (const RunFolder& folder : kept) EXPECT_NE(folder.id(), first);
}

TEST_F(CommandRecordTest, ReopensAfterAnInterruption) {
  auto record = begun();
  const RunFolder folder = record->folder();
  ASSERT_TRUE(record->end(kInterrupted, "why").has_value());
  EXPECT_EQ(card_of_record(folder)->ending, kInterrupted);
  EXPECT_EQ(card_of_record(folder)->cause, "why");
  EXPECT_EQ(CommandRecord::open(state_, folder, clock_).error().step, "lock");
  {
    const auto gone = std::move(record);
  }
  const auto again = CommandRecord::open(state_, folder, clock_);
  ASSERT_TRUE(again.has_value());
  EXPECT_EQ(card_of_record(folder)->ending, kRunning);
  EXPECT_EQ(again->card().arguments, card().arguments);
}

TEST_F(CommandRecordTest, RemainsWithoutALockWhenItsProcessIsKilled) {
  const pid_t child = ::fork();
  if (child == 0) {
    const auto record = begun();
    ::kill(::getpid(), SIGKILL);
  }
  ::waitpid(child, nullptr, 0);
  ASSERT_EQ(listed(), 1U);
  const RunFolder folder = state_.list()->front();
  EXPECT_EQ(card_of_record(folder)->ending, kRunning);
  EXPECT_FALSE(is_held(folder.lock())->has_value());
}

TEST_F(CommandRecordTest, ReplacesAnOlderRecordOfTheSameCommandUnlessItIsRunning) {
  const auto working = begun();
  auto failed = begun();
  ASSERT_TRUE(failed->end(kFailed, "no room").has_value());
  {
    const auto gone = std::move(failed);
  }
  EXPECT_EQ(listed(), 2U);
  const auto other = begun("something else");
  EXPECT_EQ(listed(), 3U);
  const auto again = begun();
  EXPECT_EQ(listed(), 3U);  // working, other, again
  EXPECT_EQ(state_.find("last")->id(), again->folder().id());
}

TEST_F(CommandRecordTest, OnlyTheNewestAreKept) {
  fs::create_directories(state_.runs() + "/20200101-0000-books");  // a run is not counted
  std::ofstream(state_.runs() + "/20200101-0000-books/journal.db") << "";
  std::string oldest;
  for (std::size_t i = 0; i < CommandRecord::kMostRecords + 5; ++i) {
    const auto record = begun(std::to_string(i));
    ASSERT_TRUE(record.has_value());
    if (i == 4) oldest = record->folder().id();
  }
  EXPECT_EQ(listed(), CommandRecord::kMostRecords + 1);
  EXPECT_FALSE(fs::exists(state_.runs() + "/" + oldest));
}

TEST_F(CommandRecordTest, RejectsEmptyTruncatedAndNewerFiles) {
  const auto record = begun();
  const std::string path = record->folder().command();
  std::ifstream file(path, std::ios::binary);
  const std::string whole{std::istreambuf_iterator<char>(file), {}};
  for (std::size_t length = 0; length < whole.size(); ++length) {
    std::ofstream(path, std::ios::binary | std::ios::trunc) << whole.substr(0, length);
    const auto read = card_of_record(record->folder());
    ASSERT_FALSE(read.has_value()) << length;
    EXPECT_EQ(read.error().step, "record");
  }
  EXPECT_TRUE(begun("another").has_value());  // ignores the damaged record
  std::ofstream(path, std::ios::binary | std::ios::trunc) << "format=2" << whole.substr(8);
  EXPECT_TRUE(card_of_record(record->folder())
                  .error()
                  .reason.ends_with("by a newer version of the program"));
}

TEST_F(CommandRecordTest, FailsWhenTheStateFolderCannotBeCreated) {
  own_.file("state", "a file");
  EXPECT_FALSE(begun().has_value());
}

}  // namespace
}  // namespace tidemill::run
