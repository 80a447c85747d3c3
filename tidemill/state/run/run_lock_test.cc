#include "tidemill/state/run/run_lock.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <fstream>
#include <string>
#include <thread>
#include <utility>

#include <gtest/gtest.h>

#include "tidemill/testing/eventually.h"

namespace tidemill::run {
namespace {

constexpr WallTime kNow{std::chrono::seconds(1'794'717'067)};  // 2026-11-15 04:31:07 UTC

class RunLockTest : public ::testing::Test {
 protected:
  RunLockTest() {  // two hours before UTC
    ::setenv("TZ", "XXX-2", 1);
    ::tzset();
  }
  ~RunLockTest() override {
    ::unsetenv("TZ");
    ::tzset();
    std::remove(path_.c_str());
  }

  const std::string path_ = ::testing::TempDir() + "run_lock_" + std::to_string(::getpid());
};

// A process that holds the lock until it is killed. It reports through a pipe.
class Holder {
 public:
  explicit Holder(const std::string& path) {
    std::array<int, 2> ends{};
    if (::pipe(ends.data()) != 0) std::abort();
    process_ = ::fork();
    if (process_ == 0) {
      const auto lock = RunLock::take(path, kNow);
      const char answer = lock ? 'y' : 'n';
      if (::write(ends[1], &answer, 1) == 1) {
        while (true) ::pause();
      }
      ::_exit(1);
    }
    ::close(ends[1]);
    char answer = 0;
    has_lock_ = ::read(ends[0], &answer, 1) == 1 && answer == 'y';
    ::close(ends[0]);
  }
  Holder(const Holder&) = delete;
  Holder& operator=(const Holder&) = delete;
  ~Holder() { kill(); }

  void kill() {
    if (process_ <= 0) return;
    ::kill(process_, SIGKILL);
    ::waitpid(std::exchange(process_, 0), nullptr, 0);
  }
  [[nodiscard]] bool has_lock() const { return has_lock_; }
  [[nodiscard]] pid_t process() const { return process_; }

 private:
  pid_t process_ = 0;
  bool has_lock_ = false;
};

TEST_F(RunLockTest, RefusesASecondHolderAndNamesTheFirst) {
  const auto first = RunLock::take(path_, kNow);
  ASSERT_TRUE(first.has_value());
  const auto second = RunLock::take(path_, kNow);  // also in the same process
  ASSERT_FALSE(second.has_value());
  EXPECT_EQ(second.error().cure, Cure::retry);
  EXPECT_EQ(second.error().step, "lock");
  EXPECT_EQ(second.error().kind, FailureKind::held);
  const std::string& reason = second.error().reason;
  EXPECT_TRUE(reason.starts_with("process " + std::to_string(::getpid()) + " on ")) << reason;
  EXPECT_TRUE(reason.ends_with(" is working on this run since 2026-11-15 06:31:07")) << reason;
}

TEST_F(RunLockTest, IsReleasedByItsDestructor) {
  {
    auto first = RunLock::take(path_, kNow);
    const RunLock moved = *std::move(first);
    EXPECT_FALSE(RunLock::take(path_, kNow).has_value());
  }
  EXPECT_EQ(is_held(path_), std::nullopt);
  EXPECT_TRUE(RunLock::take(path_, kNow).has_value());
}

TEST_F(RunLockTest, IsReleasedWhenItsHolderIsKilled) {
  Holder holder(path_);
  ASSERT_TRUE(holder.has_lock());
  const auto said = is_held(path_);
  ASSERT_TRUE(said.has_value() && said->has_value());
  EXPECT_EQ((*said)->process, holder.process());
  EXPECT_EQ((*said)->since, "2026-11-15 06:31:07");
  EXPECT_FALSE(RunLock::take(path_, kNow).has_value());
  holder.kill();
  EXPECT_EQ(is_held(path_), std::nullopt);  // the file still names the dead process
  EXPECT_TRUE(RunLock::take(path_, kNow).has_value());
}

TEST_F(RunLockTest, IsNotInheritedByAStartedProgram) {
  std::array<int, 2> ends{};
  ASSERT_EQ(::pipe(ends.data()), 0);
  pid_t child = 0;
  {
    const auto lock = RunLock::take(path_, kNow);
    ASSERT_TRUE(lock.has_value());
    child = ::fork();
    if (child == 0) {
      ::dup2(ends[0], 0);
      ::close(ends[1]);
      ::execlp("cat", "cat", nullptr);  // lives until its input ends
      ::_exit(127);
    }
    ::close(ends[0]);
    // Taken by cat alone: exec has happened, or the pipe would break.
    const std::string exe = "/proc/" + std::to_string(child) + "/comm";
    std::string name;
    ASSERT_TRUE(testing::eventually([&] {
      std::ifstream(exe) >> name;
      return name == "cat";
    })) << name;
  }
  EXPECT_TRUE(RunLock::take(path_, kNow).has_value());
  ::close(ends[1]);
  ::waitpid(child, nullptr, 0);
}

TEST_F(RunLockTest, QueryingTheHolderNeverMakesTakeFail) {
  ASSERT_TRUE(RunLock::take(path_, kNow).has_value());
  std::atomic<bool> is_over = false;
  const std::jthread asker([&] {
    while (!is_over) EXPECT_TRUE(is_held(path_).has_value());
  });
  int refused = 0;
  for (int i = 0; i < 2000; ++i) refused += RunLock::take(path_, kNow).has_value() ? 0 : 1;
  is_over = true;
  EXPECT_EQ(refused, 0);
}

TEST_F(RunLockTest, DoesNotTrustTheFileContents) {
  const auto lock = RunLock::take(path_, kNow);
  std::ofstream(path_) << "process \x1b[2J\nhost evil\x07\nsince" << std::string(5000, 'x');
  const auto said = is_held(path_);
  ASSERT_TRUE(said.has_value());
  EXPECT_EQ(*said, LockHolder{});
  EXPECT_EQ(RunLock::take(path_, kNow).error().reason, "another process is working on this run");
}

TEST_F(RunLockTest, HasNoHolderWithoutAFileAndFailsWithoutAFolder) {
  EXPECT_EQ(is_held(path_), std::nullopt);
  const auto lock = RunLock::take(path_ + "/no/such/folder", kNow);
  ASSERT_FALSE(lock.has_value());
  EXPECT_EQ(lock.error().cure, Cure::give_up);
}

}  // namespace
}  // namespace tidemill::run
