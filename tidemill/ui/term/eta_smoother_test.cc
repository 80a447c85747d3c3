#include "tidemill/ui/term/eta_smoother.h"

#include <algorithm>

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

namespace tidemill::term {
namespace {

using namespace std::chrono_literals;

constexpr Instant kStart{1000h};

TEST(EtaSmoother, ShowsNothingWithoutAnEstimate) {
  EtaSmoother smoother;
  EXPECT_FALSE(smoother.smooth(kStart, std::nullopt));
  EXPECT_EQ(smoother.smooth(kStart, 100s), 100s);
  EXPECT_FALSE(smoother.smooth(kStart + 1s, std::nullopt));
  EXPECT_EQ(smoother.smooth(kStart + 2s, 105s), 105s);  // used unchanged, although it is close
}

TEST(EtaSmoother, CountsDownEvenlyWhileTheEstimatesAgree) {
  EtaSmoother smoother;
  ASSERT_EQ(smoother.smooth(kStart, 100s), 100s);
  EXPECT_EQ(smoother.smooth(kStart + 1s, 104s), 99s);
  EXPECT_EQ(smoother.smooth(kStart + 2s, 93s), 98s);
  EXPECT_EQ(smoother.smooth(kStart + 3s, 97s), 97s);
}

TEST(EtaSmoother, ResetsWhenTheEstimateMovesByMoreThanATenth) {
  EtaSmoother smoother;
  ASSERT_EQ(smoother.smooth(kStart, 100s), 100s);
  EXPECT_EQ(smoother.smooth(kStart + 1s, 112s), 112s);
  EXPECT_EQ(smoother.smooth(kStart + 2s, 60s), 60s);
}

TEST(EtaSmoother, NeverShowsLessThanZero) {
  EtaSmoother smoother;
  ASSERT_EQ(smoother.smooth(kStart, 500ms), 500ms);
  EXPECT_EQ(smoother.smooth(kStart + 1s, 200ms), 0s);
}

RC_GTEST_PROP(EtaSmoother, StaysNearTheEstimateAndOnlyCountsDownInBetween, ()) {
  EtaSmoother smoother;
  Instant now = kStart;
  Instant::duration eta = 60s;
  auto shown = *smoother.smooth(now, eta);
  for (int i = 0; i < 100; ++i) {
    const auto by = std::chrono::milliseconds(*rc::gen::inRange(1, 3000));
    now += by;
    eta = eta * *rc::gen::inRange(80, 121) / 100 + 1s;
    const auto next = *smoother.smooth(now, eta);
    const auto slack = std::max<Instant::duration>(eta / 10, 1s);
    RC_ASSERT(std::chrono::abs(next - eta) <= slack);
    const auto counted = std::max<Instant::duration>(shown - by, 0s);
    RC_ASSERT(next == eta || next == counted);
    shown = next;
  }
}

}  // namespace
}  // namespace tidemill::term
