// Chaos: everything at once, many times, with a seed. Several producers, random priorities, bodies
// that throw, fail, time out, defer and submit more; a close or a stop at a random moment.
//
// Invariants: an accepted task was completed exactly once or is counted as dropped, a refused task
// never ran, and the sums match. A million tasks by default; TIDEMILL_CHAOS_TASKS sets the number,
// TIDEMILL_CHAOS_SEED repeats a round.
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "tidemill/base/dice.h"
#include "tidemill/engine/pool.h"
#include "tidemill/testing/pools.h"

namespace tidemill::engine {
namespace {

using namespace std::chrono_literals;
constexpr auto kRelaxed = std::memory_order_relaxed;

std::uint64_t from_environment(const char* name, std::uint64_t otherwise) {
  const char* text = std::getenv(name);  // NOLINT(concurrency-mt-unsafe): nobody sets it here
  return text != nullptr ? std::stoull(text) : otherwise;
}

// What the tasks themselves counted, to compare with the pool's numbers.
struct TaskLog {
  std::atomic<std::uint64_t> brought = 0;
  std::atomic<std::uint64_t> accepted = 0;
  std::atomic<std::uint64_t> settled = 0;
  std::atomic<std::uint64_t> settled_ok = 0;
  std::atomic<std::uint64_t> settled_twice = 0;
  std::atomic<std::uint64_t> ran_at_once_twice = 0;
  std::atomic<std::uint64_t> destroyed_unsettled = 0;
};

struct Round {
  Pool* pool = nullptr;
  TaskLog task_log;
};

// One task. The bits of a random number decide what it does; a mark detects double runs.
class Player {
 public:
  Player(Round& round, std::uint64_t fate, int generations)
      : round_(&round), fate_(fate), generations_(generations) {}
  Player(Player&& other) noexcept
      : round_(std::exchange(other.round_, nullptr)),
        fate_(other.fate_),
        generations_(other.generations_),
        is_accepted_(other.is_accepted_),
        is_running_(other.is_running_),
        is_settled_(other.is_settled_),
        is_deferred_(other.is_deferred_) {}
  Player(const Player&) = delete;
  Player& operator=(const Player&) = delete;
  Player& operator=(Player&&) = delete;
  ~Player() {
    if (round_ != nullptr && is_accepted_ && !is_settled_) {
      round_->task_log.destroyed_unsettled.fetch_add(1, kRelaxed);
    }
  }

  Result<void> operator()(TaskContext& context) {
    if (is_running_) round_->task_log.ran_at_once_twice.fetch_add(1, kRelaxed);
    is_running_ = true;
    is_accepted_ = true;
    const Result<void> outcome = play(context);
    is_running_ = false;
    return outcome;
  }

  void settled(const Settlement& settlement) {
    if (is_settled_) round_->task_log.settled_twice.fetch_add(1, kRelaxed);
    is_settled_ = true;
    round_->task_log.settled.fetch_add(1, kRelaxed);
    if (settlement.ok()) round_->task_log.settled_ok.fetch_add(1, kRelaxed);
  }

  static void bring(Round& round, std::uint64_t fate, int generations, SeededDice* dice) {
    Task task(Player(round, fate, generations), {.type = static_cast<TaskType>(fate >> 8U & 1U),
                                                 .priority = static_cast<Priority>(fate >> 9U & 3U),
                                                 .weight = fate >> 40U});
    round.task_log.brought.fetch_add(1, kRelaxed);
    Admission answer{};
    const std::uint64_t way = dice != nullptr ? dice->next() % 8 : 0;
    if (way == 1) {
      answer = round.pool->try_submit(std::move(task));
    } else if (way == 2) {
      answer = round.pool->submit(std::move(task), std::chrono::steady_clock::now() + 50us);
    } else {
      answer = round.pool->submit(std::move(task));
    }
    if (answer == Admission::accepted) {
      round.task_log.accepted.fetch_add(1, kRelaxed);
    } else {
      EXPECT_TRUE(task.body) << "a refused task must stay the caller's";
    }
  }

 private:
  Result<void> play(TaskContext& context) {
    const std::uint64_t lot = fate_ % 512;
    if (lot < 8) {
      is_running_ = false;
      throw std::runtime_error("chaos");
    }
    if (lot < 16) return fail(Cure::give_up, "play", "no use");
    if (lot < 32 && context.attempt() < 3) return fail(Cure::retry, "play", "again");
    if (lot < 32) return {};
    if (lot < 40) return fail(Cure::retry, "play", "never works");
    if (lot < 42) {  // until its deadline, or the stop
      while (!context.should_stop()) std::this_thread::yield();
      return context.stopped();
    }
    if (lot < 50 && !is_deferred_) {
      is_deferred_ = true;
      return context.defer(0ms, "not now");
    }
    if (lot < 80) grow();
    return {};
  }

  // Its children submit children too, down to the last generation.
  void grow() const {
    if (generations_ == 0) return;
    SeededDice dice(fate_);
    for (std::uint64_t i = dice.next() % 8; i > 0; --i) {
      bring(*round_, (dice.next() & ~std::uint64_t{511}) | (50 + i), generations_ - 1, nullptr);
    }
  }

  Round* round_;
  std::uint64_t fate_;
  int generations_;
  bool is_accepted_ = false;
  bool is_running_ = false;
  bool is_settled_ = false;
  bool is_deferred_ = false;
};

// One pool from start to end; returns how many tasks it accepted.
std::uint64_t play_round(std::uint64_t seed, std::uint64_t tasks_each) {
  SCOPED_TRACE("TIDEMILL_CHAOS_SEED=" + std::to_string(seed));
  SeededDice dice(seed);
  Round round;
  auto pool = testing::pool_of(
      {.workers = 1 + dice.next() % 4,
       .capacity = 1 + dice.next() % 64,
       .reserve = dice.next() % 16,
       .order = dice.next() % 4 == 0 ? TaskOrder::smallest_first : TaskOrder::first_come,
       .ageing = static_cast<unsigned>(1 + dice.next() % 16),
       .types = {{"plain", 2ms}, {"other", 2ms}},
       .retry = {.max_attempts = 3, .first_delay = 1ms, .max_delay = 2ms},
       .watchdog = {.stall_after = 50ms}});
  round.pool = &pool;
  const bool stops = dice.next() % 2 == 0;
  const std::uint64_t producers = 1 + dice.next() % 4;
  const std::uint64_t end_after = dice.next() % (producers * tasks_each);
  {
    std::vector<std::jthread> threads;
    for (std::uint64_t p = 0; p < producers; ++p) {
      threads.emplace_back([&round, tasks_each, own = dice.next()] {
        SeededDice mine(own);
        for (std::uint64_t i = 0; i < tasks_each; ++i) {
          Player::bring(round, mine.next(), 3, &mine);
        }
      });
    }
    if (stops) {  // midway, by count and not by time
      threads.emplace_back([&] {
        while (round.task_log.brought < end_after) std::this_thread::yield();
        pool.stop();
      });
    }
  }
  pool.close();
  const PoolReport report = pool.wait();
  testing::expect_balanced(report);
  const TaskLog& seen = round.task_log;
  EXPECT_EQ(report.accepted, seen.accepted);
  EXPECT_EQ(report.completed, seen.settled_ok);
  EXPECT_EQ(report.completed + report.failed, seen.settled);
  EXPECT_EQ(seen.settled_twice, 0U);
  EXPECT_EQ(seen.ran_at_once_twice, 0U);
  EXPECT_LE(seen.destroyed_unsettled, report.dropped);
  EXPECT_TRUE(stops || report.dropped == 0);
  const PoolStats stats = pool.stats();
  EXPECT_EQ(stats.queued + stats.waiting + stats.active, 0U);
  return report.accepted;
}

TEST(PoolChaos, EveryAcceptedTaskIsSettledOnceOrCountedAsDropped) {
  const std::uint64_t wanted = from_environment("TIDEMILL_CHAOS_TASKS", 1'000'000);
  std::uint64_t seed = from_environment("TIDEMILL_CHAOS_SEED", 1);
  std::uint64_t done = 0;
  int rounds = 0;
  while (done < wanted && !::testing::Test::HasFailure()) {
    done += play_round(seed++, 2'000);
    ++rounds;
  }
  RecordProperty("tasks", std::to_string(done));
  std::cout << done << " tasks in " << rounds << " rounds\n";
}

}  // namespace
}  // namespace tidemill::engine
