#include "tidemill/ui/cli/signals.h"

#include <gtest/gtest.h>

#include <unistd.h>

#include <atomic>

#include "tidemill/testing/eventually.h"

namespace tidemill::cli {
namespace {

using std::chrono::milliseconds;

StopSignal sent(milliseconds after) { return {.at = Instant{} + after}; }
StopSignal typed(milliseconds after) { return {.at = Instant{} + after, .is_typed = true}; }

TEST(SameRequest, SignalsSentByProcessesWithinASecondAreTheSame) {
  EXPECT_TRUE(is_same_request(sent(milliseconds(0)), sent(milliseconds(0))));
  EXPECT_TRUE(is_same_request(sent(milliseconds(0)), sent(milliseconds(999))));
  EXPECT_FALSE(is_same_request(sent(milliseconds(0)), sent(milliseconds(1'000))));
}

TEST(SameRequest, ACtrlCForwardedByAWrapperIsTheSame) {
  EXPECT_TRUE(is_same_request(typed(milliseconds(0)), sent(milliseconds(20))));
  EXPECT_TRUE(is_same_request(sent(milliseconds(0)), typed(milliseconds(20))));
}

TEST(SameRequest, ASecondCtrlCCountsHoweverFastItIs) {
  EXPECT_FALSE(is_same_request(typed(milliseconds(0)), typed(milliseconds(80))));
}

TEST(Signals, AThirdSignalIsNotReported) {
  std::atomic<int> told = 0;
  std::atomic<int> statuses = 0;
  const Signals signals({.on_stop = [&](int, bool) { ++told; },
                         .on_status = [&] { ++statuses; },
                         .before_pause = [] {},
                         .after_pause = [] {}});
  const auto has_killed = [&] {
    ::kill(::getpid(), SIGINT);  // a second after the first it is another request
    return signals.kill().stop_requested();
  };
  ASSERT_TRUE(testing::eventually(has_killed));
  ::kill(::getpid(), SIGINT);
  ::kill(::getpid(), SIGUSR1);  // received after the others: its number is higher
  ASSERT_TRUE(testing::eventually([&] { return statuses.load() > 0; }));
  EXPECT_EQ(told.load(), 2);
}

}  // namespace
}  // namespace tidemill::cli
