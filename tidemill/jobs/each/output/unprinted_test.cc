#include "tidemill/jobs/each/output/unprinted.h"

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include <gtest/gtest.h>

namespace tidemill::each {
namespace {

namespace fs = std::filesystem;
using engine::Done;
using engine::Entry;
using engine::Found;

class UnprintedTest : public ::testing::Test {
 protected:
  void SetUp() override {
    fs::create_directories(base_);
    journal_ = journal::SqliteJournal::open(
                   {.path = base_ + "/journal.db", .access = journal::Access::create})
                   .value();
    std::vector<Entry> entries;
    for (engine::TaskId id = 1; id <= 4; ++id) {
      entries.emplace_back(Found{.id = id, .subject = "n" + std::to_string(id)});
    }
    entries.emplace_back(Done{.id = 1});
    entries.emplace_back(Done{.id = 3});
    ASSERT_TRUE(journal_->commit(entries));
  }
  void TearDown() override { fs::remove_all(base_); }

  // Simulates a process that was killed before it printed these.
  void leave(std::vector<TaskOutput> outputs) {
    const auto log = OutputLog::make(folder_, 1).value();
    for (const TaskOutput& output : outputs) ASSERT_TRUE(log->append(0, output));
  }
  [[nodiscard]] static TaskOutput output(engine::TaskId id, const std::string& out) {
    return {.id = id, .out = {.head = out, .total = out.size()}};
  }
  [[nodiscard]] static std::string content(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  [[nodiscard]] std::vector<TaskOutput> collect() {
    auto collected = collect_unprinted(folder_, *journal_);
    EXPECT_TRUE(collected) << text_of(collected.error());
    return collected ? *std::move(collected) : std::vector<TaskOutput>();
  }

  const std::string base_ = ::testing::TempDir() + "unprinted-" + std::to_string(::getpid());
  const std::string folder_ = base_ + "/spill";
  std::unique_ptr<journal::SqliteJournal> journal_;
};

TEST_F(UnprintedTest, IsEmptyWithoutAFolder) { EXPECT_TRUE(collect().empty()); }

TEST_F(UnprintedTest, OutputOfEndedTasksIsHeldAndTheRestRemoved) {
  fs::create_directories(folder_);
  std::ofstream(folder_ + "/3-1.out") << "long";
  std::ofstream(folder_ + "/4-1.out") << "of a task that was running";
  leave({{.id = 3, .out = {.head = "lo", .total = 4, .spill = folder_ + "/3-1.out"}},
         output(2, "runs again"),
         output(1, "short")});
  const auto left = collect();
  ASSERT_EQ(left.size(), 2U);
  EXPECT_EQ(left[0].id, 1U);
  EXPECT_EQ(left[0].name, "n1");
  EXPECT_EQ(content(left[0].out.spill), "short");
  EXPECT_EQ(content(left[1].out.spill), "long");
  EXPECT_EQ(std::distance(fs::directory_iterator(folder_), {}), 2);
}

// A process that is killed before it prints what it collected: the next one finds the same again.
TEST_F(UnprintedTest, CollectsTheSameOutputAgainUntilItIsPrinted) {
  leave({output(1, "a"), {.id = 3, .is_event = true, .out = {.head = "{}", .total = 2}}});
  (void)collect();
  const auto left = collect();
  ASSERT_EQ(left.size(), 2U);
  EXPECT_FALSE(left[0].is_event);
  EXPECT_TRUE(left[1].is_event);
  EXPECT_EQ(content(left[1].out.spill), "{}");
  fs::remove(left[0].out.spill);
  EXPECT_EQ(collect().size(), 1U);
}

TEST_F(UnprintedTest, TreatsAMissingSpillFileAsPrinted) {
  leave({{.id = 3, .out = {.total = 4, .spill = folder_ + "/3-1.out"}}});
  EXPECT_TRUE(collect().empty());
}

}  // namespace
}  // namespace tidemill::each
