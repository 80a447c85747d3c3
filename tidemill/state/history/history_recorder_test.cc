#include "tidemill/state/history/history_recorder.h"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "tidemill/state/history/attempt_times.h"
#include "tidemill/state/history/history_file.h"
#include "tidemill/testing/fake_clock.h"
#include "tidemill/testing/own_folder.h"

namespace tidemill::history {
namespace {

using std::chrono::milliseconds;
using std::chrono::nanoseconds;
using std::chrono::seconds;
using testing::FakeClock;
using testing::OwnFolder;

engine::ProgressSnapshot snapshot_of(std::uint64_t done, bool is_last = false) {
  return {.counts = {.found = 100, .done = done}, .is_last = is_last, .workers = 2, .busy = 1};
}

Timings timings(std::uint64_t tasks, std::vector<std::int64_t> slow) {
  Timings all;
  Durations durations{.type = "command"};
  durations.times.counts[40] = tasks;
  durations.times.sum = nanoseconds(tasks * 1'000);
  all.durations.push_back(durations);
  for (const std::int64_t took : slow) {
    all.slowest.push_back(
        {.attempt = {.task = static_cast<engine::TaskId>(took), .took = nanoseconds(took)}});
  }
  return all;
}

// A store that counts, and can fail.
class MemoryStore final : public Store {
 public:
  [[nodiscard]] Result<RunHistory> history() const override { return earlier; }
  [[nodiscard]] Result<void> keep(const HistoryChange& change) override {
    changes.push_back(change);
    if (fails) return fail(Cure::retry, "store", "full");
    return {};
  }
  RunHistory earlier;
  bool fails = false;
  std::vector<HistoryChange> changes;
};

TEST(HistoryRecorder, WritesEveryFiveSecondsAndAtTheEnd) {
  MemoryStore store;
  FakeClock clock;
  HistoryRecorder recorder(&store, clock);
  for (std::uint64_t i = 0; i < 119; ++i) {
    recorder.observe(snapshot_of(i));
    clock.advance(milliseconds(100));
  }
  EXPECT_EQ(store.changes.size(), 2U);
  recorder.observe(snapshot_of(100, true));
  ASSERT_EQ(store.changes.size(), 3U);
  EXPECT_EQ(store.changes[2].samples.front().series.samples.back().done, 100U);
}

TEST(HistoryRecorder, WhatCouldNotBeWrittenIsWrittenNextTime) {
  MemoryStore store;
  FakeClock clock;
  HistoryRecorder recorder(&store, clock, [] { return timings(3, {7}); });
  recorder.observe(snapshot_of(0));
  store.fails = true;
  clock.advance(seconds(5));
  recorder.observe(snapshot_of(1));
  store.fails = false;
  clock.advance(seconds(5));
  recorder.observe(snapshot_of(2));
  ASSERT_EQ(store.changes.size(), 2U);
  EXPECT_EQ(store.changes[1].samples.front().series.samples.size(), 3U);
  EXPECT_EQ(store.changes[1].durations.size(), 1U);
  EXPECT_TRUE(store.changes[1].slowest);
  clock.advance(seconds(5));
  recorder.observe(snapshot_of(3));
  EXPECT_EQ(store.changes[2].samples.front().series.samples.size(), 1U);
  EXPECT_TRUE(store.changes[2].durations.empty());  // unchanged since
  EXPECT_FALSE(store.changes[2].slowest);
}

TEST(HistoryRecorder, AResumedRunAddsToItsHistory) {
  const OwnFolder folder;
  FakeClock clock;
  for (int session = 0; session < 2; ++session) {
    HistoryFile file(folder / "history.db");
    HistoryRecorder recorder(&file, clock, [&] { return timings(3, {7, 9 + session}); });
    recorder.observe(snapshot_of(session == 0 ? 0 : 40));
    clock.advance(seconds(1));
    recorder.observe(snapshot_of(session == 0 ? 40 : 100, true));
    clock.advance(std::chrono::hours(1));
  }
  const RunHistory history = HistoryFile(folder / "history.db").history().value();
  ASSERT_EQ(history.series.size(), 1U);
  const auto& samples = history.series.front().samples;
  ASSERT_EQ(samples.size(), 4U);
  EXPECT_EQ(samples[1].session, 1U);
  EXPECT_EQ(samples[2].session, 2U);
  EXPECT_EQ(samples[3].done, 100U);
  EXPECT_EQ(samples[3].at - samples[0].at, std::chrono::hours(1) + seconds(2));
  ASSERT_EQ(history.sessions.size(), 2U);
  EXPECT_EQ(history.sessions[1].number, 2U);
  EXPECT_GT(history.sessions[1].cores, 0U);
  ASSERT_EQ(history.durations.size(), 1U);
  EXPECT_EQ(history.durations.front().times.count(), 6U);
  EXPECT_EQ(history.durations.front().times.sum, nanoseconds(6'000));
  std::vector<std::uint64_t> slow;
  for (const SlowTask& one : history.slowest) slow.push_back(one.attempt.task);
  EXPECT_EQ(slow, (std::vector<std::uint64_t>{10, 9, 7, 7}));
}

TEST(HistoryRecorder, KeepsTheHundredSlowestOfAllSessions) {
  MemoryStore store;
  for (std::int64_t i = 0; i < 100; ++i) {
    store.earlier.slowest.push_back({.attempt = {.took = nanoseconds(2'000 - 2 * i)}});
  }
  FakeClock clock;
  HistoryRecorder recorder(&store, clock, [] { return timings(1, {1'999, 5}); });
  recorder.observe(snapshot_of(1, true));
  const auto& slowest = store.changes.at(0).slowest.value();
  ASSERT_EQ(slowest.size(), 100U);
  EXPECT_EQ(slowest[1].attempt.took, nanoseconds(1'999));
  EXPECT_EQ(slowest[99].attempt.took, nanoseconds(2'000 - 2 * 98));
}

TEST(HistoryRecorder, WithoutAStoreItDoesNothing) {
  const FakeClock clock;
  HistoryRecorder recorder(nullptr, clock);
  recorder.observe(snapshot_of(1, true));
}

TEST(HistoryRecorder, KeepsASeriesForEachHostOfAFleet) {
  const OwnFolder folder;
  FakeClock clock;
  HistoryFile file(folder / "history.db");
  {
    HistoryRecorder recorder(&file, clock);
    for (int second = 0; second <= 60; ++second) {
      std::vector<HostObservation> hosts = {{.host = "desk", .busy = 2, .places = 4}};
      const bool is_nas_there = second < 20 || second > 40;
      if (is_nas_there) hosts.push_back({.host = "nas", .busy = 8, .places = 8});
      recorder.observe(snapshot_of(static_cast<std::uint64_t>(second), second == 60), hosts);
      clock.advance(seconds(1));
    }
  }
  const RunHistory history = file.history().value();
  ASSERT_EQ(history.series.size(), 3U);
  EXPECT_EQ(history.series[0].samples.back().places, 12U);
  EXPECT_EQ(history.series[0].samples.back().busy, 10);
  EXPECT_EQ(history.series[1].host, "desk");
  EXPECT_EQ(history.series[1].samples.size(), 16U);  // every four seconds
  const auto& nas = history.series[2].samples;
  EXPECT_EQ(nas.back().places, 8U);
  seconds longest{0};
  for (std::size_t i = 1; i < nas.size(); ++i) {
    longest = std::max(longest, std::chrono::duration_cast<seconds>(nas[i].at - nas[i - 1].at));
  }
  EXPECT_GT(longest, seconds(20));  // while it was away
}

TEST(HistoryRecorder, FurtherHostsAreNotKeptApart) {
  MemoryStore store;
  const FakeClock clock;
  HistoryRecorder recorder(&store, clock);
  std::vector<HostObservation> hosts;
  for (std::size_t i = 0; i < kMostHosts + 9; ++i) hosts.push_back({.host = std::to_string(i)});
  recorder.observe(snapshot_of(1, true), hosts);
  EXPECT_EQ(store.changes.at(0).samples.size(), kMostHosts + 1);
}

TEST(AttemptTimes, KeepsTheSlowestAndCountsAllByType) {
  AttemptTimes times;
  for (std::size_t i = 1; i <= 1'000; ++i) {
    const std::size_t took = i * 7'919 % 1'009;
    times.add({.task = took, .type = i % 4 == 0 ? "copy" : "hash", .took = nanoseconds(took)});
  }
  const Timings all = times.timings();
  ASSERT_EQ(all.durations.size(), 2U);
  EXPECT_EQ(all.durations[0].times.count(), 250U);
  EXPECT_EQ(all.durations[1].times.count(), 750U);
  ASSERT_EQ(all.slowest.size(), kMostSlow);
  std::size_t slower = 0;  // than the fastest of the list
  for (std::size_t i = 1; i <= 1'000; ++i) {
    if (nanoseconds(i * 7'919 % 1'009) > all.slowest.back().attempt.took) ++slower;
  }
  EXPECT_EQ(slower, kMostSlow - 1);
}

TEST(HistoryFile, ReadsBackWhatWasKept) {
  const OwnFolder folder;
  const HistoryPart part{.name = "rejects",
                         .title = "Rejected lines",
                         .label = "Reason",
                         .form = PartForm::bars,
                         .columns = {{"lines", HistoryUnit::count}, {"size", HistoryUnit::bytes}},
                         .rows = {{"a \xff\n", {4, 9}, "f.jsonl:7"}, {"b", {1}, ""}},
                         .left_out = 12};
  const RunSession session{.number = 3, .host = "nas", .system = "Linux", .cores = 2, .memory = 5};
  const HistoryChange change{
      .session = session,
      .samples = {{.series = {.interval = seconds(1), .samples = {{.session = 1, .busy = 0.25}}}},
                  {.series = {.host = "nas", .samples = {{.session = 1, .bytes = 8}}}}},
      .durations = timings(3, {}).durations,
      .slowest = timings(0, {8, 5}).slowest,
      .parts = {part}};
  HistoryFile file(folder / "history.db");
  EXPECT_EQ(file.history().value(), RunHistory{});
  ASSERT_TRUE(file.keep(change));
  const RunHistory expected{.sessions = {session},
                            .series = {change.samples[0].series, change.samples[1].series},
                            .durations = change.durations,
                            .slowest = *change.slowest,
                            .parts = {part}};
  EXPECT_EQ(file.history().value(), expected);
  ASSERT_TRUE(file.keep({.parts = {HistoryPart{.name = "rejects"}}}));
  EXPECT_EQ(file.history().value().parts, (std::vector{HistoryPart{.name = "rejects"}}));
}

TEST(HistoryFile, APartKeepsABoundedNumberOfRowsAndSaysHowManyAreMissing) {
  const OwnFolder folder;
  HistoryPart part{.name = "p", .rows = std::vector<HistoryRow>(kMostRows + 5), .left_out = 2};
  HistoryFile file(folder / "history.db");
  ASSERT_TRUE(file.keep({.parts = {part}}));
  const HistoryPart kept = file.history().value().parts.at(0);
  EXPECT_EQ(kept.rows.size(), kMostRows);
  EXPECT_EQ(kept.left_out, 7U);
}

TEST(HistoryFile, ReplacedSamplesAreAllThereAre) {
  const OwnFolder folder;
  HistoryFile file(folder / "history.db");
  const auto with = [](std::size_t count, bool replaces_all) {
    return HistoryChange{.samples = {{.series = {.samples = std::vector<Sample>(count)},
                                      .replaces_all = replaces_all}}};
  };
  ASSERT_TRUE(file.keep(with(5, false)));
  ASSERT_TRUE(file.keep(with(2, false)));
  EXPECT_EQ(file.history().value().series.at(0).samples.size(), 7U);
  ASSERT_TRUE(file.keep(with(3, true)));
  EXPECT_EQ(file.history().value().series.at(0).samples.size(), 3U);
}

}  // namespace
}  // namespace tidemill::history
