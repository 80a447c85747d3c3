#include "tidemill/engine/pool/histogram.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdint>
#include <functional>
#include <thread>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

namespace tidemill::engine {
namespace {

using namespace std::chrono_literals;
using std::chrono::nanoseconds;

constexpr Instant kStart{1000h};

// rapidcheck starts with small values; an event must be as likely in the first case as in the last.
template <class T>
T pick(T from, T to) {
  return *rc::gen::resize(rc::kNominalSize, rc::gen::inRange<T>(from, to));
}

// Each octave as likely as the others.
rc::Gen<nanoseconds> any_duration() {
  return rc::gen::map(
      rc::gen::resize(rc::kNominalSize,
                      rc::gen::pair(rc::gen::inRange(0, 47), rc::gen::arbitrary<std::uint64_t>())),
      [](const std::pair<int, std::uint64_t>& drawn) {
        const std::int64_t octave = std::int64_t{1} << drawn.first;
        const auto part = static_cast<std::int64_t>(drawn.second >> 1U) % octave;
        return nanoseconds(octave + part);
      });
}

HistogramSnapshot lifetime_of(const std::vector<nanoseconds>& durations) {
  Histogram histogram;
  for (const auto duration : durations) histogram.record(kStart, duration);
  return histogram.lifetime();
}

TEST(HistogramScale, BucketsMeetWithoutGapOrOverlap) {
  EXPECT_EQ(HistogramScale::lower(0), 0ns);
  for (std::size_t i = 0; i < HistogramScale::kBuckets; ++i) {
    const auto low = HistogramScale::lower(i);
    const auto end = HistogramScale::upper(i);
    EXPECT_EQ(HistogramScale::bucket_of(low), i);
    EXPECT_EQ(HistogramScale::bucket_of(end - 1ns), i);
    if (i + 1 < HistogramScale::kBuckets) {
      EXPECT_EQ(HistogramScale::bucket_of(end), i + 1);
    }
  }
}

TEST(HistogramScale, ReachesFrom64NanosecondsToMoreThanADay) {
  EXPECT_EQ(HistogramScale::upper(0), 64ns);
  EXPECT_GT(HistogramScale::lower(HistogramScale::kBuckets - 1), 24h);
  EXPECT_EQ(HistogramScale::bucket_of(nanoseconds::min()), 0U);
  EXPECT_EQ(HistogramScale::bucket_of(nanoseconds::max()), HistogramScale::kBuckets - 1);
}

RC_GTEST_PROP(HistogramScale, ABucketMidpointIsWithinAnEighthOfEveryDurationInIt, ()) {
  const nanoseconds duration = *any_duration();
  const auto middle = lifetime_of({duration}).percentile(50);
  const auto error = std::chrono::abs(middle - duration);
  RC_ASSERT(error <= std::max(duration / 8, 32ns));
}

TEST(HistogramSnapshot, EveryStatisticIsZeroWithoutRecords) {
  const HistogramSnapshot empty = Histogram().lifetime();
  EXPECT_EQ(empty.count(), 0U);
  EXPECT_EQ(empty.mean(), 0ns);
  EXPECT_EQ(empty.percentile(99), 0ns);
  EXPECT_EQ(empty.max(), 0ns);
  EXPECT_EQ(empty, Histogram().recent(kStart));
}

TEST(HistogramSnapshot, MeanIsExact) {
  EXPECT_EQ(lifetime_of({100ns, 200ns, 900ns}).mean(), 400ns);
}

TEST(HistogramSnapshot, MaxIsAnUpperBoundOfAllRecords) {
  const auto snapshot = lifetime_of({5ns, 1'000ns, 70ns});
  EXPECT_GT(snapshot.max(), 1'000ns);
  EXPECT_LE(snapshot.max(), 1'250ns);
  EXPECT_EQ(lifetime_of({1000h}).max(), nanoseconds::max());
}

TEST(HistogramSnapshot, ANegativeDurationCountsAsZero) {
  const auto snapshot = lifetime_of({-5s, 10ns});
  EXPECT_EQ(snapshot.count(), 2U);
  EXPECT_EQ(snapshot.sum, 10ns);
}

TEST(HistogramSnapshot, MeanStaysWithinTheFilledBucketsWhenTheSumIsTorn) {
  auto snapshot = lifetime_of({1ms, 2ms});
  snapshot.sum = 0ns;
  EXPECT_GT(snapshot.mean(), 800us);
  snapshot.sum = 1h;
  EXPECT_LT(snapshot.mean(), 3ms);
}

TEST(HistogramSnapshot, HighPercentilesFindOneOutlierInAThousand) {
  std::vector<nanoseconds> durations(999, 1us);
  durations.push_back(1s);
  const auto snapshot = lifetime_of(durations);
  EXPECT_LT(snapshot.percentile(99.9), 2us);
  EXPECT_GT(snapshot.percentile(99.95), 800ms);
  EXPECT_EQ(snapshot.percentile(100), snapshot.percentile(1e9));
}

RC_GTEST_PROP(HistogramSnapshot, PercentilesAreWithinAnEighthOfTheSortedRecords, ()) {
  auto durations = *rc::gen::nonEmpty(rc::gen::container<std::vector<nanoseconds>>(any_duration()));
  const auto snapshot = lifetime_of(durations);
  std::ranges::sort(durations);
  RC_ASSERT(snapshot.count() == durations.size());
  RC_ASSERT(snapshot.max() > durations.back());
  for (const double percent : {0.0, 1.0, 25.0, 50.0, 90.0, 99.0, 99.9, 100.0}) {
    const auto rank = std::ceil(percent * static_cast<double>(durations.size()) / 100);
    const auto truth = durations[rank < 1 ? 0 : static_cast<std::size_t>(rank) - 1];
    const auto error = std::chrono::abs(snapshot.percentile(percent) - truth);
    RC_ASSERT(error <= std::max(truth / 8, 32ns));
  }
}

RC_GTEST_PROP(HistogramSnapshot, AMergeEqualsASnapshotOfAllRecords, ()) {
  const auto mine = *rc::gen::container<std::vector<nanoseconds>>(any_duration());
  const auto yours = *rc::gen::container<std::vector<nanoseconds>>(any_duration());
  auto merged = lifetime_of(mine);
  merged += lifetime_of(yours);
  auto all = mine;
  all.insert(all.end(), yours.begin(), yours.end());
  RC_ASSERT(merged == lifetime_of(all));
}

TEST(Histogram, RecentExpiresRecordsAndLifetimeKeepsThem) {
  Histogram histogram(60s);
  histogram.record(kStart, 1ms);
  EXPECT_EQ(histogram.recent(kStart + 59s).count(), 1U);
  EXPECT_EQ(histogram.recent(kStart + 60s).count(), 0U);  // although nothing was recorded after it
  histogram.record(kStart + 200s, 1s);
  EXPECT_EQ(histogram.recent(kStart + 200s).count(), 1U);
  EXPECT_EQ(histogram.recent(kStart + 200s).mean(), 1s);
  EXPECT_EQ(histogram.lifetime().count(), 2U);
  EXPECT_EQ(histogram.lifetime().sum, 1001ms);
}

RC_GTEST_PROP(Histogram, RecentKeepsARecordForHalfAWindowAndNeverBeyondAFullWindow, ()) {
  const nanoseconds window(*rc::gen::inRange(1, 1'000));  // often tiny
  Histogram histogram(window);
  std::vector<Instant> recorded;
  Instant now = kStart;
  for (int i = 0; i < 200; ++i) {
    now += nanoseconds(pick<std::int64_t>(0, window.count()));
    if (pick(0, 4) > 0) {
      histogram.record(now, 1us);
      recorded.push_back(now);
    }
    const auto recent = histogram.recent(now);
    const auto younger_than = [&](nanoseconds age) {
      return static_cast<std::uint64_t>(
          std::ranges::count_if(recorded, [&](Instant at) { return now - at < age; }));
    };
    RC_ASSERT(recent.count() >= younger_than(window - window / 2));
    RC_ASSERT(recent.count() <= younger_than(window));
    RC_ASSERT(recent.sum == recent.count() * 1us);
    RC_ASSERT(histogram.lifetime().count() == recorded.size());
  }
}

TEST(Histogram, AReaderNeverSeesGarbageWhileTheWriterRecords) {
  constexpr std::uint64_t kRecords = 200'000;
  Histogram histogram(4ns);  // a new mark every other record, for as many races as possible
  std::atomic<std::int64_t> time = kStart.time_since_epoch().count();
  std::atomic<bool> done = false;
  std::jthread writer([&] {
    for (std::uint64_t i = 0; i < kRecords; ++i) {
      histogram.record(Instant(nanoseconds(++time)), i % 8 == 0 ? 2us : 1us);
    }
    done = true;
  });
  HistogramSnapshot last;
  while (!done) {
    const Instant now(nanoseconds(time.load()));  // stale at once: the marks change meanwhile
    const auto recent = histogram.recent(now);
    ASSERT_LE(recent.count(), kRecords);
    if (recent.count() > 0) {
      for (const auto answer : {recent.mean(), recent.percentile(0), recent.percentile(100)}) {
        ASSERT_GE(answer, HistogramScale::lower(HistogramScale::bucket_of(1us)));
        ASSERT_LE(answer, HistogramScale::upper(HistogramScale::bucket_of(2us)));
      }
    }
    const auto lifetime = histogram.lifetime();
    ASSERT_TRUE(std::ranges::equal(last.counts, lifetime.counts, std::less_equal<>()));
    ASSERT_LE(last.sum, lifetime.sum);
    last = lifetime;
  }
  writer.join();
  EXPECT_EQ(histogram.lifetime().count(), kRecords);
}

}  // namespace
}  // namespace tidemill::engine
