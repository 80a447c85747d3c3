#include "tidemill/state/journal/disk_full_wait.h"

#include <atomic>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "tidemill/testing/eventually.h"
#include "tidemill/testing/fake_clock.h"

namespace tidemill::journal {
namespace {

using namespace std::chrono_literals;

Result<void> full() { return fail(Cure::retry, "disk full", "no room"); }

struct Heard {
  std::atomic<int> pauses = 0;
  std::atomic<int> ends = 0;
  void operator()(const Failure* failure) { ++(failure != nullptr ? pauses : ends); }
};

TEST(DiskFullWait, ReturnsSuccessAndPermanentFailureAtOnce) {
  testing::FakeClock clock;
  Heard heard;
  DiskFullWait disk_full_wait(clock, std::ref(heard));
  EXPECT_TRUE(disk_full_wait.retry_until_written([] { return Result<void>(); }));
  EXPECT_EQ(disk_full_wait
                .retry_until_written(
                    []() -> Result<void> { return fail(Cure::give_up, "disk", "broken"); })
                .error()
                .reason,
            "broken");
  EXPECT_EQ(heard.pauses, 0);
}

TEST(DiskFullWait, RetriesEverySecondUntilThereIsRoomAndReportsThePauseOnce) {
  testing::FakeClock clock;
  Heard heard;
  DiskFullWait disk_full_wait(clock, std::ref(heard));
  std::atomic<int> attempts = 0;
  std::atomic<bool> has_room = false;
  std::atomic<bool> is_written = false;
  std::jthread writer([&] {
    is_written = disk_full_wait
                     .retry_until_written([&] {
                       ++attempts;
                       return has_room ? Result<void>() : full();
                     })
                     .has_value();
  });
  for (int tries = 1; tries <= 3; ++tries) {
    ASSERT_TRUE(testing::eventually([&] {
      if (attempts == tries) return true;
      clock.advance(1s);
      return attempts >= tries;
    }));
  }
  EXPECT_FALSE(is_written);
  EXPECT_TRUE(disk_full_wait.is_paused());
  has_room = true;
  ASSERT_TRUE(testing::eventually([&] {
    clock.advance(1s);
    return is_written.load();
  }));
  writer.join();
  EXPECT_EQ(heard.pauses, 1);
  EXPECT_EQ(heard.ends, 1);
  EXPECT_FALSE(disk_full_wait.is_paused());
}

TEST(DiskFullWait, PermanentFailureEndsTheWait) {
  testing::FakeClock clock;
  DiskFullWait disk_full_wait(clock, {}, 0ms);
  int attempts = 0;
  const auto answer = disk_full_wait.retry_until_written([&]() -> Result<void> {
    if (++attempts < 3) return full();
    return fail(Cure::give_up, "disk", "broken");
  });
  EXPECT_EQ(answer.error().reason, "broken");
  EXPECT_EQ(attempts, 3);
}

TEST(DiskFullWait, ReportsAnEndForEveryPauseWithManyWaiters) {
  testing::FakeClock clock;
  Heard heard;
  DiskFullWait disk_full_wait(clock, std::ref(heard));
  std::atomic<int> attempts = 0;
  std::vector<std::jthread> writers;
  for (int i = 0; i < 3; ++i) {
    writers.emplace_back([&] {
      EXPECT_FALSE(disk_full_wait.retry_until_written([&] {
        ++attempts;
        return full();
      }));
    });
  }
  ASSERT_TRUE(testing::eventually([&] { return attempts == 3; }));
  disk_full_wait.give_up();
  writers.clear();
  EXPECT_GE(heard.pauses, 1);
  EXPECT_EQ(heard.pauses, heard.ends);
}

TEST(DiskFullWait, GivingUpEndsTheWaitWithTheLastFailure) {
  testing::FakeClock clock;
  DiskFullWait disk_full_wait(clock, {});
  std::atomic<bool> has_tried = false;
  std::string reason;
  std::jthread writer([&] {
    reason = disk_full_wait
                 .retry_until_written([&] {
                   has_tried = true;
                   return full();
                 })
                 .error()
                 .reason;
  });
  ASSERT_TRUE(testing::eventually([&] { return has_tried.load(); }));
  disk_full_wait.give_up();
  writer.join();
  EXPECT_EQ(reason, "no room");
}

}  // namespace
}  // namespace tidemill::journal
