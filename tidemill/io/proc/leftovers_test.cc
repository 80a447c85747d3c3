#include "tidemill/io/proc/leftovers.h"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tidemill/io/proc/runner.h"
#include "tidemill/testing/eventually.h"
#include "tidemill/testing/own_folder.h"

namespace tidemill::proc {
namespace {

using testing::eventually;
using namespace std::chrono_literals;
namespace fs = std::filesystem;

class LeftoversTest : public ::testing::Test {
 protected:
  void TearDown() override { EXPECT_TRUE(end_marked({run_}, 0s)); }

  // A process in its own session that outlives the child that started it.
  void leave(const std::string& script, const std::vector<std::string>& marks) {
    const std::string file = (folder_ / std::to_string(++left_)).string();
    const auto finished = runner_->run(
        {.path = "/bin/sh",
         .arguments = {"sh", "-c", "setsid sh -c \"$1\" sh \"$2\" >/dev/null 2>&1 &", "sh",
                       script + "; touch \"$1\"; while :; do sleep 1000; done", file},
         .additions = marks},
        "left");
    ASSERT_TRUE(finished);
    ASSERT_TRUE(eventually([&] { return fs::exists(file); }));
  }
  [[nodiscard]] static std::size_t count(const std::vector<std::string>& entries) {
    return marked_processes(entries).value().size();
  }

  std::unique_ptr<Runner> runner_ = Runner::make({}).value();
  testing::OwnFolder own_;
  const fs::path folder_ = own_.path();
  const std::string run_ = "TIDEMILL_RUN=" + own_.path();  // unique
  int left_ = 0;
};

TEST_F(LeftoversTest, FindsAndEndsProcessesThatLeftTheGroup) {
  leave(":", {run_});
  EXPECT_GE(count({run_}), 1U);
  EXPECT_GE(end_marked({run_}, 10s).value(), 1);
  EXPECT_EQ(count({run_}), 0U);
  EXPECT_EQ(end_marked({run_}, 10s).value(), 0);
}

TEST_F(LeftoversTest, KillsProcessesThatIgnoreSigterm) {
  leave("trap '' TERM", {run_});
  EXPECT_GE(end_marked({run_}, 20ms).value(), 1);
  EXPECT_EQ(count({run_}), 0U);
}

TEST_F(LeftoversTest, ComparesCompleteEntries) {
  leave(":", {run_ + "0", "X" + run_});
  EXPECT_EQ(end_marked({run_}, 10s).value(), 0);
  EXPECT_GE(count({run_ + "0"}), 1U);
  EXPECT_GE(end_marked({run_ + "0"}, 10s).value(), 1);
}

TEST_F(LeftoversTest, RequiresAllEntriesToMatch) {
  leave(":", {run_, "TIDEMILL_TASK=1"});
  leave(":", {run_, "TIDEMILL_TASK=2"});
  EXPECT_GE(end_marked({run_, "TIDEMILL_TASK=1"}, 10s).value(), 1);
  EXPECT_EQ(count({run_, "TIDEMILL_TASK=1"}), 0U);
  EXPECT_GE(count({run_, "TIDEMILL_TASK=2"}), 1U);
}

// Not with end_marked(): a bug in marked_processes() would make it kill every process.
TEST_F(LeftoversTest, RejectsAMissingOrEmptyMark) {
  EXPECT_FALSE(marked_processes({}));
  EXPECT_FALSE(marked_processes({""}));
  EXPECT_FALSE(marked_processes({run_, ""}));
  EXPECT_FALSE(marked_processes({"=x"}));
}

TEST_F(LeftoversTest, ExcludesTheCurrentProcess) {
  // PATH is in the environment of this process too, as /proc shows it.
  const auto found = marked_processes({"PATH=" + std::string(std::getenv("PATH"))});
  ASSERT_TRUE(found);
  EXPECT_EQ(std::ranges::count(*found, ::getpid()), 0);
}

}  // namespace
}  // namespace tidemill::proc
