#include "tidemill/engine/pipeline.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <memory>
#include <new>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include "tidemill/testing/door.h"
#include "tidemill/testing/eventually.h"
#include "tidemill/testing/fake_clock.h"

namespace tidemill::engine {
namespace {

using testing::Door;
using testing::eventually;
using namespace std::chrono_literals;

using Flow = Pipeline<int, std::string>;
using Batch = std::span<Flow::Item>;

Flow::Source numbers(int count) {
  return [count](Flow::Intake& intake) -> Result<void> {
    for (int i = 0; i < count; ++i) {
      if (!intake.feed(i)) break;
    }
    return {};
  };
}

Result<Verdict<std::string>> to_text(int& item, TaskContext&) { return std::to_string(item); }

Result<void> ignore(Batch) { return {}; }

std::unique_ptr<Flow> flow_of(PipelineOptions options, Flow::Stage stage, Flow::Sink sink) {
  auto flow = Flow::make(std::move(options), std::move(stage), std::move(sink));
  EXPECT_TRUE(flow) << flow.error().reason;
  return *std::move(flow);
}

TEST(Pipeline, EveryItemReachesTheSinkOnceWithItsOutcome) {
  std::multiset<std::string> seen;
  const auto stage = [](int& item, TaskContext&) -> Result<Verdict<std::string>> {
    if (item % 10 == 3) return Skip{"unchanged"};
    if (item % 10 == 7) return fail(Cure::give_up, "open", "no permission");
    return std::to_string(item);
  };
  const auto flow = flow_of({.pool = {.workers = 3}}, stage, [&](Batch batch) -> Result<void> {
    for (const auto& item : batch) {
      if (const auto* text = item.done()) seen.insert(*text);
      if (const auto* skip = item.skipped()) seen.insert(skip->reason);
      if (const auto* failure = item.failed()) seen.insert(failure->reason);
    }
    return {};
  });
  const FlowReport report = flow->run(numbers(1'000));
  EXPECT_TRUE(report.is_complete());
  EXPECT_EQ(report.counts.found, 1'000U);
  EXPECT_EQ(report.counts.done, 800U);
  EXPECT_EQ(report.counts.skipped, 100U);
  EXPECT_EQ(report.counts.failed, 100U);
  EXPECT_EQ(seen.size(), 1'000U);
  EXPECT_EQ(seen.count("unchanged"), 100U);
  EXPECT_EQ(seen.count("no permission"), 100U);
  EXPECT_EQ(seen.count("42"), 1U);
}

TEST(Pipeline, TheSinkIsOneThreadAndItsBatchesAreBoundedByCount) {
  std::set<std::thread::id> threads;
  std::size_t largest = 0;
  const auto flow = flow_of({.pool = {.workers = 2}, .batch_items = 16}, to_text,
                            [&](Batch batch) -> Result<void> {
                              threads.insert(std::this_thread::get_id());
                              largest = std::max(largest, batch.size());
                              return {};
                            });
  EXPECT_TRUE(flow->run(numbers(5'000)).is_complete());
  EXPECT_EQ(threads.size(), 1U);
  EXPECT_FALSE(threads.contains(std::this_thread::get_id()));
  EXPECT_LE(largest, 16U);
  EXPECT_GT(largest, 1U) << "batches of one are no batches";
}

TEST(Pipeline, DeliversAPartialBatchWhenItsTimeLimitExpires) {
  testing::FakeClock clock;
  std::atomic<std::size_t> delivered = 0;
  const auto flow = flow_of(
      {.pool = {.workers = 1, .clock = &clock}, .in_flight = {.items = 1}, .batch_time = 50ms},
      to_text, [&](Batch batch) -> Result<void> {
        delivered += batch.size();
        return {};
      });
  const FlowReport report = flow->run([&](Flow::Intake& intake) -> Result<void> {
    EXPECT_TRUE(intake.feed(1));
    EXPECT_TRUE(intake.feed(2));  // there is room: the sink has the first one and waits for more
    clock.advance(49ms);
    EXPECT_EQ(delivered, 0U);
    clock.advance(1ms);
    EXPECT_TRUE(eventually([&] { return delivered > 0; }));
    return {};
  });
  EXPECT_TRUE(report.is_complete());
}

TEST(Pipeline, TheSourceWaitsWhileTooManyItemsAreInFlight) {
  Door door;
  std::atomic<int> fed = 0;
  const auto flow = flow_of(
      {.pool = {.workers = 2}, .in_flight = {.items = 5}},
      [&](int& item, TaskContext& context) -> Result<Verdict<std::string>> {
        (void)door.task()(context);
        return std::to_string(item);
      },
      ignore);
  std::jthread opener([&] {
    EXPECT_TRUE(eventually([&] { return flow->waiting_feeds() == 1; }));
    EXPECT_EQ(fed, 5);
    EXPECT_EQ(flow->counts().found, 5U);
    door.open();
  });
  const FlowReport report = flow->run([&](Flow::Intake& intake) -> Result<void> {
    for (int i = 0; i < 50; ++i, ++fed) EXPECT_TRUE(intake.feed(i));
    return {};
  });
  EXPECT_EQ(report.counts.done, 50U);
}

TEST(Pipeline, TheSourceWaitsWhileTooManyBytesAreInFlight) {
  Door door;
  std::atomic<int> fed = 0;
  const auto flow = flow_of(
      {.pool = {.workers = 2}, .in_flight = {.items = 1'000, .bytes = mib(10)}},
      [&](int& item, TaskContext& context) -> Result<Verdict<std::string>> {
        (void)door.task()(context);
        return std::to_string(item);
      },
      ignore);
  std::jthread opener([&] {
    EXPECT_TRUE(eventually([&] { return flow->waiting_feeds() == 1; }));
    EXPECT_EQ(fed, 3);
    door.open();
  });
  const FlowReport report = flow->run([&](Flow::Intake& intake) -> Result<void> {
    for (int i = 0; i < 12; ++i, ++fed) EXPECT_TRUE(intake.feed(i, mib(i == 11 ? 50 : 3)));
    return {};
  });
  EXPECT_EQ(report.counts.done, 12U) << "one larger than the whole budget passes alone";
  EXPECT_EQ(report.counts.found_bytes, mib(11 * 3 + 50));
  EXPECT_EQ(report.counts.settled_bytes, report.counts.found_bytes);
}

TEST(Pipeline, WorkersWaitForASlowSinkAndLoseNothing) {
  Guarded<bool> sink_may_go{false};
  std::size_t kept = 0;
  const auto flow = flow_of({.pool = {.workers = 2},
                             .in_flight = {.items = 100},
                             .results = {3 * sizeof(Flow::Item)},
                             .batch_items = 1},
                            to_text, [&](Batch batch) -> Result<void> {
                              sink_may_go.lock().wait([](bool may) { return may; });
                              kept += batch.size();
                              return {};
                            });
  std::jthread opener([&] {
    // One is in the sink, three in the channel, one in each worker: all the others wait.
    EXPECT_TRUE(eventually([&] { return flow->stats().completed == 6; }));
    sink_may_go.update([](bool& may) { may = true; });
  });
  EXPECT_TRUE(flow->run(numbers(500)).is_complete());
  EXPECT_EQ(kept, 500U);
}

TEST(Pipeline, RetriesTransientFailuresAndTheSinkSeesOnlyTheFinalOutcome) {
  std::atomic<int> runs = 0;
  std::vector<int> attempts;
  const auto flow = flow_of(
      {.pool = {.workers = 2, .retry = {.max_attempts = 3, .first_delay = 1ms}}},
      [&](int& item, TaskContext& context) -> Result<Verdict<std::string>> {
        ++runs;
        if (context.attempt() <= item) return fail(Cure::retry, "read", "busy");
        return std::string("ok");
      },
      [&](Batch batch) -> Result<void> {
        for (const auto& item : batch) attempts.push_back(item.attempts);
        return {};
      });
  const FlowReport report = flow->run(numbers(4));  // 0, 1 and 2 failures; the last never works
  EXPECT_EQ(report.counts.done, 3U);
  EXPECT_EQ(report.counts.failed, 1U);
  EXPECT_EQ(runs, 1 + 2 + 3 + 3);
  std::ranges::sort(attempts);
  EXPECT_EQ(attempts, (std::vector<int>{1, 2, 3, 3}));
}

TEST(Pipeline, AStageThatThrowsFailsItsItemAlone) {
  const auto flow = flow_of(
      {.pool = {.workers = 2}},
      [](int& item, TaskContext&) -> Result<Verdict<std::string>> {
        if (item == 5) throw std::runtime_error("boom");
        return std::string();
      },
      ignore);
  const FlowReport report = flow->run(numbers(10));
  EXPECT_TRUE(report.is_complete());
  EXPECT_EQ(report.counts.done, 9U);
  EXPECT_EQ(report.counts.failed, 1U);
}

TEST(Pipeline, AFailingSinkStopsTheRunWithItsCause) {
  std::size_t kept = 0;
  const auto flow = flow_of({.pool = {.workers = 2}, .batch_items = 10}, to_text,
                            [&](Batch batch) -> Result<void> {
                              if (kept >= 50) return fail(Cure::give_up, "insert", "disk full");
                              kept += batch.size();
                              return {};
                            });
  const FlowReport report = flow->run(numbers(100'000'000));  // ends only because it is stopped
  ASSERT_TRUE(report.fatal);
  EXPECT_EQ(report.fatal->reason, "disk full");
  EXPECT_TRUE(report.was_stopped);
  EXPECT_EQ(report.counts.done, kept) << "what the sink did not keep is not done";
  EXPECT_GT(report.counts.left(), 0U);
}

TEST(Pipeline, AFatalStageOrSourceStopsTheRunWithItsCause) {
  const auto stage = [](int& item, TaskContext& context) -> Result<Verdict<std::string>> {
    if (item == 100) {
      return context.fatal({.cure = Cure::give_up, .step = "read", .reason = "device gone"});
    }
    return std::string();
  };
  EXPECT_EQ(
      flow_of({.pool = {.workers = 2}}, stage, ignore)->run(numbers(100'000'000)).fatal->reason,
      "device gone");

  const FlowReport report = flow_of({.pool = {.workers = 2}}, to_text, ignore)
                                ->run([](Flow::Intake& intake) -> Result<void> {
                                  EXPECT_TRUE(intake.feed(1));
                                  return fail(Cure::give_up, "walk", "no such folder");
                                });
  ASSERT_TRUE(report.fatal);
  EXPECT_EQ(report.fatal->reason, "no such folder");
}

TEST(Pipeline, ASourceOrSinkThatRunsOutOfMemoryStopsTheRun) {
  const FlowReport fed = flow_of({.pool = {.workers = 2}}, to_text, ignore)
                             ->run([](Flow::Intake& intake) -> Result<void> {
                               EXPECT_TRUE(intake.feed(1));
                               throw std::bad_alloc();
                             });
  ASSERT_TRUE(fed.fatal);
  EXPECT_EQ(fed.fatal->step, "memory");

  const auto full = [](Batch) -> Result<void> { throw std::bad_alloc(); };
  const FlowReport kept =
      flow_of({.pool = {.workers = 2}}, to_text, full)->run(numbers(100'000'000));
  ASSERT_TRUE(kept.fatal);
  EXPECT_EQ(kept.fatal->step, "memory");
}

TEST(Pipeline, StopEndsTheSourceAndKeepsFinishedItems) {
  std::atomic<std::uint64_t> kept = 0;
  const auto flow = flow_of({.pool = {.workers = 2}}, to_text, [&](Batch batch) -> Result<void> {
    kept += batch.size();
    return {};
  });
  std::jthread stopper([&] {
    EXPECT_TRUE(eventually([&] { return kept > 100; }));
    flow->stop();
  });
  const FlowReport report = flow->run(numbers(100'000'000));
  EXPECT_TRUE(report.was_stopped);
  EXPECT_FALSE(report.fatal) << report.fatal->reason;
  EXPECT_EQ(report.counts.done, kept);
  EXPECT_EQ(report.counts.found, report.counts.settled() + report.counts.left());
}

TEST(Pipeline, CountsItemsSkippedByTheSource) {
  const auto flow = flow_of({.pool = {.workers = 1}}, to_text, ignore);
  const FlowReport report = flow->run([](Flow::Intake& intake) -> Result<void> {
    intake.skip(1'000'000);
    EXPECT_TRUE(intake.feed(1));
    return {};
  });
  EXPECT_TRUE(report.is_complete());
  EXPECT_EQ(report.counts.found, 1'000'001U);
  EXPECT_EQ(report.counts.skipped, 1'000'000U);
}

TEST(Pipeline, UnbalancedCountsFailTheRun) {
  PipelineCounts counts;
  for (int i = 0; i < 3; ++i) counts.find({1});
  counts.settle({.done = 1});
  const FlowReport sound = counts.report({.dropped = 2}, true, std::nullopt);
  EXPECT_FALSE(sound.fatal);
  const FlowReport lossy = counts.report({.dropped = 1}, true, std::nullopt);
  ASSERT_TRUE(lossy.fatal);
  EXPECT_EQ(lossy.fatal->step, "balance");
}

// Any mix of outcomes, sizes and bounds, with a stop at any moment: the sums balance, and the sink
// gets each item at most once.
RC_GTEST_PROP(Pipeline, CountsBalanceForAnyMixOfOutcomesAndStops, ()) {
  const int count = *rc::gen::inRange(0, 400);
  const int stop_at = *rc::gen::inRange(-200, 400);
  const auto workers = *rc::gen::inRange<std::size_t>(1, 5);
  const auto items = *rc::gen::inRange<std::size_t>(1, 20);
  const auto bytes = *rc::gen::inRange<std::uint64_t>(1, 64);
  const auto batch = *rc::gen::inRange<std::size_t>(1, 9);
  std::multiset<int> seen;
  Flow* running = nullptr;
  const auto flow = flow_of(
      {.pool = {.workers = workers, .retry = {.max_attempts = 2, .first_delay = 0ms}},
       .in_flight = {.items = items, .bytes = {bytes}},
       .results = {bytes},
       .batch_items = batch,
       .batch_time = 0ms},
      [&](int& item, TaskContext& context) -> Result<Verdict<std::string>> {
        if (item == stop_at) running->stop();
        if (item % 7 == 1) return Skip{};
        if (item % 7 == 2) return fail(Cure::give_up, "s", "r");
        if (item % 7 == 3 && context.attempt() == 1) return fail(Cure::retry, "s", "r");
        if (item % 7 == 4) throw std::runtime_error("x");
        return std::string();
      },
      [&](Batch settled) -> Result<void> {
        for (const auto& item : settled) seen.insert(item.item);
        return {};
      });
  running = flow.get();
  const FlowReport report = flow->run(numbers(count));
  RC_ASSERT(!report.fatal);
  RC_ASSERT(report.counts.settled() == seen.size());
  RC_ASSERT(std::set<int>(seen.begin(), seen.end()).size() == seen.size());
  RC_ASSERT(report.was_stopped || report.counts.settled() == static_cast<std::uint64_t>(count));
}

}  // namespace
}  // namespace tidemill::engine
