#include "tidemill/state/journal/patience.h"

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

TEST(Patience, WhatWorksOrIsHopelessComesBackAtOnce) {
  testing::FakeClock clock;
  Heard heard;
  Patience patience(clock, std::ref(heard));
  EXPECT_TRUE(patience.insist([] { return Result<void>(); }));
  EXPECT_EQ(patience.insist([]() -> Result<void> { return fail(Cure::give_up, "disk", "broken"); })
                .error()
                .reason,
            "broken");
  EXPECT_EQ(heard.pauses, 0);
}

TEST(Patience, TriesEverySecondUntilThereIsRoomAndSaysSoOnce) {
  testing::FakeClock clock;
  Heard heard;
  Patience patience(clock, std::ref(heard));
  std::atomic<int> attempts = 0;
  std::atomic<bool> has_room = false;
  std::atomic<bool> is_written = false;
  std::jthread writer([&] {
    is_written = patience
                     .insist([&] {
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
  EXPECT_TRUE(patience.is_paused());
  has_room = true;
  ASSERT_TRUE(testing::eventually([&] {
    clock.advance(1s);
    return is_written.load();
  }));
  writer.join();
  EXPECT_EQ(heard.pauses, 1);
  EXPECT_EQ(heard.ends, 1);
  EXPECT_FALSE(patience.is_paused());
}

TEST(Patience, AFailureThatIsHopelessEndsTheWait) {
  testing::FakeClock clock;
  Patience patience(clock, {}, 0ms);
  int attempts = 0;
  const auto answer = patience.insist([&]() -> Result<void> {
    if (++attempts < 3) return full();
    return fail(Cure::give_up, "disk", "broken");
  });
  EXPECT_EQ(answer.error().reason, "broken");
  EXPECT_EQ(attempts, 3);
}

TEST(Patience, ManyWhoWaitAreOnePause) {
  testing::FakeClock clock;
  Heard heard;
  Patience patience(clock, std::ref(heard));
  std::atomic<int> attempts = 0;
  std::vector<std::jthread> writers;
  for (int i = 0; i < 3; ++i) {
    writers.emplace_back([&] {
      EXPECT_FALSE(patience.insist([&] {
        ++attempts;
        return full();
      }));
    });
  }
  ASSERT_TRUE(testing::eventually([&] { return attempts == 3; }));
  patience.give_up();
  writers.clear();
  EXPECT_GE(heard.pauses, 1);
  EXPECT_EQ(heard.pauses, heard.ends);
}

TEST(Patience, GivingUpEndsTheWaitWithTheLastFailure) {
  testing::FakeClock clock;
  Patience patience(clock, {});
  std::atomic<bool> has_tried = false;
  std::string reason;
  std::jthread writer([&] {
    reason = patience
                 .insist([&] {
                   has_tried = true;
                   return full();
                 })
                 .error()
                 .reason;
  });
  ASSERT_TRUE(testing::eventually([&] { return has_tried.load(); }));
  patience.give_up();
  writer.join();
  EXPECT_EQ(reason, "no room");
}

}  // namespace
}  // namespace tidemill::journal
