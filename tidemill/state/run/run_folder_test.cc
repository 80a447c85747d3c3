#include "tidemill/state/run/run_folder.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "tidemill/base/guarded.h"
#include "tidemill/state/run/run_folder_tree.h"
#include "tidemill/state/run/run_lock.h"
#include "tidemill/testing/own_folder.h"

namespace tidemill::run {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

constexpr WallTime kNow{std::chrono::seconds(1'794'717'067)};  // 2026-11-15 04:31:07 UTC

class RunFolderTest : public ::testing::Test {
 protected:
  RunFolder created(std::string_view job = "each", WallTime now = kNow) const {
    const auto run = state().create(job, now);
    EXPECT_TRUE(run.has_value());
    return *run;
  }
  [[nodiscard]] StateFolder state() const { return StateFolder(top_ + "/a/state"); }
  [[nodiscard]] std::vector<std::string> ids() const {
    std::vector<std::string> ids;
    const auto runs = state().list();
    for (const RunFolder& run : runs.value()) ids.push_back(run.id());
    return ids;
  }

  testing::OwnFolder own_;
  const std::string& top_ = own_.path();
};

StateFolder::Lookup environment(std::map<std::string, std::string, std::less<>> values) {
  return [values = std::move(values)](std::string_view name) -> std::optional<std::string> {
    const auto found = values.find(name);
    if (found == values.end()) return std::nullopt;
    return found->second;
  };
}

TEST(StateFolderPlace, FollowsTheEnvironment) {
  const auto place = [](std::map<std::string, std::string, std::less<>> values) {
    return StateFolder::from(environment(std::move(values)))->path();
  };
  EXPECT_EQ(place({{"HOME", "/h"}}), "/h/.local/state/tidemill");
  EXPECT_EQ(place({{"HOME", "/h"}, {"XDG_STATE_HOME", "/x"}}), "/x/tidemill");
  EXPECT_EQ(place({{"HOME", "/h"}, {"XDG_STATE_HOME", "relative"}}), "/h/.local/state/tidemill");
  EXPECT_EQ(place({{"HOME", "/h"}, {"XDG_STATE_HOME", "/x"}, {"TIDEMILL_STATE", "/t"}}), "/t");
  EXPECT_EQ(place({{"TIDEMILL_STATE", "t"}}), fs::current_path().native() + "/t");
  EXPECT_FALSE(StateFolder::from(environment({{"HOME", ""}})).has_value());
}

TEST(StateFolderPlace, EachProgramHasItsOwn) {
  const auto state = StateFolder::from(
      environment({{"HOME", "/h"}, {"TIDEMILL_STATE", "/t"}, {"XDG_STATE_HOME", "/x"}}),
      "word-count");
  EXPECT_EQ(state->path(), "/x/word-count");
  EXPECT_EQ(state->variable(), "WORD_COUNT_STATE");
  EXPECT_EQ(StateFolder::from(environment({{"WORD_COUNT_STATE", "/w"}}), "word-count")->path(),
            "/w");
}

TEST_F(RunFolderTest, ReportsItsProgram) {
  const StateFolder state(top_, "word-count");
  EXPECT_EQ(state.create("words", kNow)->program(), "word-count");
  EXPECT_EQ(state.find("2026")->program(), "word-count");
}

TEST_F(RunFolderTest, IdHasTheMinuteTheJobAndANumberIfNeeded) {
  EXPECT_EQ(created().id(), "20261115-0431-each");
  EXPECT_EQ(created().id(), "20261115-0431-each-2");
  EXPECT_EQ(created().id(), "20261115-0431-each-3");
  EXPECT_EQ(created("dupes").id(), "20261115-0431-dupes");
  EXPECT_EQ(created("each", kNow + 1min).id(), "20261115-0432-each");
}

TEST_F(RunFolderTest, IsForItsOwnerOnly) {
  struct stat status{};
  ASSERT_EQ(::stat(created().path().c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777U, 0700U);
  ASSERT_EQ(::stat(state().path().c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777U, 0700U);
}

TEST_F(RunFolderTest, RefusesInvalidJobNames) {
  for (const std::string job : {"", "..", "a/b", "Each", "-x", "a\nb"}) {
    EXPECT_FALSE(state().create(job, kNow).has_value()) << job;
  }
  std::ofstream(top_ + "/file").put('x');
  EXPECT_EQ(StateFolder(top_ + "/file").create("each", kNow).error().step, "create");
}

TEST_F(RunFolderTest, EightThreadsNeverShareAFolder) {
  constexpr std::size_t kThreads = 8;
  constexpr std::size_t kRuns = 20;
  Guarded<std::set<std::string>> ids;
  {
    std::vector<std::jthread> threads;
    for (std::size_t i = 0; i < kThreads; ++i) {
      threads.emplace_back([&] {
        for (std::size_t k = 0; k < kRuns; ++k) {
          const auto run = state().create("each", kNow);
          EXPECT_TRUE(run.has_value());
          if (run) ids.lock()->insert(run->id());
        }
      });
    }
  }
  EXPECT_EQ(ids.lock()->size(), kThreads * kRuns);
  EXPECT_EQ(this->ids().size(), kThreads * kRuns);
}

TEST_F(RunFolderTest, TheNewestComesFirst) {
  EXPECT_TRUE(ids().empty());  // the folder does not exist yet
  created("each", kNow + 1min);
  for (int i = 0; i < 11; ++i) created();
  created("dupes", kNow - 24h);
  fs::create_directory(state().runs() + "/.forgotten-20261115-0431-each.0");
  fs::create_directory(state().runs() + "/notes");
  std::ofstream(state().runs() + "/20261115-0431-file").put('x');
  const auto all = ids();
  ASSERT_EQ(all.size(), 13U);
  EXPECT_EQ(all[0], "20261115-0432-each");
  EXPECT_EQ(all[1], "20261115-0431-each-11");
  EXPECT_EQ(all[2], "20261115-0431-each-10");
  EXPECT_EQ(all[10], "20261115-0431-each-2");
  EXPECT_EQ(all[11], "20261115-0431-each");
  EXPECT_EQ(all[12], "20261114-0431-dupes");
}

TEST_F(RunFolderTest, IsFoundByAnyUniquePrefix) {
  EXPECT_EQ(text_of(state().find("last").error()), "no such run: last; there are no runs yet");
  const RunFolder first = created();
  const RunFolder second = created();
  const RunFolder dupes = created("dupes", kNow - 24h);
  EXPECT_EQ(state().find("20261114"), dupes);
  EXPECT_EQ(state().find("20261115-0431-each"), first);  // also a prefix of another id
  EXPECT_EQ(state().find("20261115-0431-each-"), second);
  EXPECT_FALSE(state().find("last"));  // none of them has a journal yet
  std::ofstream(first.journal()) << "x";
  EXPECT_EQ(state().find("last"), first);
  std::ofstream(second.journal()) << "x";
  EXPECT_EQ(state().find("last"), second);
  EXPECT_EQ(state().find("@"), second);

  const auto several = state().find("2026");
  ASSERT_FALSE(several.has_value());
  EXPECT_EQ(several.error().step, "ambiguous run");
  EXPECT_EQ(several.error().reason, "2026 matches 3 runs");
  EXPECT_EQ(several.error().hint,
            "try 20261115-0431-each-2, 20261115-0431-each or 20261114-0431-dupes");
  EXPECT_FALSE(state().find("").has_value());
  EXPECT_FALSE(state().find("1999").has_value());
  EXPECT_FALSE(state().find("../runs").has_value());
}

TEST_F(RunFolderTest, LastOfAVerbIsItsNewestRun) {
  const RunFolder dupes = created("dupes", kNow - 24h);
  const RunFolder each = created("each", kNow - 2h);
  const RunFolder check = created("books-check", kNow - 1h);
  const RunFolder newest = created();  // has no journal yet
  for (const RunFolder& run : {dupes, each, check}) std::ofstream(run.journal()) << "x";
  EXPECT_EQ(state().find("last"), check);
  EXPECT_EQ(state().find("last-each"), each);
  EXPECT_EQ(state().find("last-dupes"), dupes);
  EXPECT_EQ(state().find("last-books"), check);
  EXPECT_EQ(state().find("last-books-check"), check);
  EXPECT_EQ(state().names().value(),
            (std::vector<std::string>{"last", "last-books-check", "last-each", "last-dupes",
                                      newest.id(), check.id(), each.id(), dupes.id()}));
  std::ofstream(newest.journal()) << "x";
  EXPECT_EQ(state().find("last-each"), newest);
}

TEST_F(RunFolderTest, SuggestsTheClosestNamesForAnUnknownRun) {
  for (const auto ago : {0h, 24h, 48h, 72h}) std::ofstream(created("each", kNow - ago).journal());
  const auto failure = [&](std::string_view which) { return state().find(which).error(); };
  EXPECT_EQ(failure("20261113-x").step, "no such run");
  EXPECT_EQ(failure("20261113-x").reason, "20261113-x");
  EXPECT_EQ(failure("20261113-x").hint,
            "try 20261113-0431-each, 20261115-0431-each or 20261114-0431-each");
  EXPECT_EQ(failure("1999").hint,
            "try 20261115-0431-each, 20261114-0431-each or 20261113-0431-each");
  EXPECT_EQ(failure("last-foo").reason, "last-foo");
  EXPECT_EQ(failure("last-foo").hint, "try last or last-each");
  EXPECT_EQ(failure("last-").hint, "try last or last-each");
  EXPECT_EQ(failure("each").hint, "try last-each");
  EXPECT_EQ(failure("lats").hint, "try last, last-each or 20261115-0431-each");
}

TEST_F(RunFolderTest, RemovesTheCompleteTreeAndNothingOutside) {
  const RunFolder run = created();
  std::string deep = run.spill();
  for (int i = 0; i < 100; ++i) deep += "/d";
  fs::create_directories(deep);
  std::ofstream(deep + "/x\n\xff").put('x');
  fs::create_directories(run.path() + "/.lifted-0/full");
  fs::create_directories(top_ + "/precious");
  std::ofstream(top_ + "/precious/file").put('x');
  fs::create_directory_symlink(top_ + "/precious", run.path() + "/link");
  fs::create_directory_symlink(top_ + "/precious", deep + "/link");
  ASSERT_TRUE(state().remove(run.id(), kNow).has_value());
  EXPECT_TRUE(fs::is_empty(state().runs()));
  EXPECT_TRUE(fs::exists(top_ + "/precious/file"));
  EXPECT_EQ(state().remove(run.id(), kNow).error().step, "no such run");
}

TEST_F(RunFolderTest, IsNotRemovedWhileLocked) {
  const RunFolder run = created();
  {
    const auto lock = RunLock::take(run.lock(), kNow);
    const auto removed = state().remove(run.id(), kNow);
    ASSERT_FALSE(removed.has_value());
    EXPECT_EQ(removed.error().step, "lock");
    EXPECT_EQ(removed.error().kind, FailureKind::held);
    EXPECT_EQ(removed.error().cure, Cure::retry);
    EXPECT_TRUE(fs::exists(run.lock()));
  }
  EXPECT_TRUE(state().remove(run.id(), kNow).has_value());
}

TEST_F(RunFolderTest, NextRemovalFinishesAnInterruptedRemoval) {
  const RunFolder first = created();
  const RunFolder second = created();
  const std::string left = state().runs() + "/.forgotten-" + first.id() + ".0";
  std::ofstream(first.journal()).put('x');
  fs::rename(first.path(), left);  // the state after an interrupted removal
  EXPECT_EQ(ids(), std::vector<std::string>{second.id()});
  EXPECT_EQ(created().id(), first.id());
  ASSERT_TRUE(state().remove(first.id(), kNow).has_value());
  EXPECT_FALSE(fs::exists(left));
  EXPECT_EQ(ids(), std::vector<std::string>{second.id()});
}

TEST_F(RunFolderTest, ReportsItsBytesOnDisk) {
  const RunFolder run = created();
  fs::create_directories(run.spill());
  const Bytes empty = run.bytes();
  std::ofstream(run.spill() + "/s") << std::string(100'000, 'x');
  std::ofstream(run.journal()) << std::string(100'000, 'x');
  fs::create_directory_symlink("..", run.path() + "/loop");
  for (const std::string& path : {run.spill() + "/s", run.journal()}) {
    const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    ::fsync(file);  // some file systems allocate blocks only then
    ::close(file);
  }
  EXPECT_GE((run.bytes() - empty).count, 200'000U);
  EXPECT_LT((run.bytes() - empty).count, 300'000U);
  EXPECT_EQ(RunFolder(top_, "none").bytes().count, 0U);
}

}  // namespace
}  // namespace tidemill::run
