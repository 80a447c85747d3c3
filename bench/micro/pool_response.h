// Scenarios 5, 6 and the second half of 7: how fast a pool reacts.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "bench/micro/contestants.h"
#include "bench/micro/flags.h"
#include "bench/micro/grind.h"
#include "bench/micro/report.h"

namespace tidemill::bench {

// The running tasks look at a flag every 10 µs, so the time is the pool's own.
template <class Pool>
[[nodiscard]] Entrant cancelled(std::size_t tasks, std::uint64_t turns) {
  return {.name = Pool::kName, .run = [tasks, turns] {
            std::atomic<bool> stop{false};
            std::atomic<std::size_t> started{0};
            Pool pool(tasks + kWorkers);
            for (std::size_t i = 0; i < tasks; ++i) {
              pool.submit([&, turns] {
                started.fetch_add(1, std::memory_order_relaxed);
                grind_until(turns, stop);
              });
            }
            while (started < kWorkers) std::this_thread::yield();
            const Stopwatch watch;
            stop = true;
            pool.cancel();
            return watch.elapsed();
          }};
}

inline void cancel_queued(std::size_t scenario, const Flags& flags, SeededDice& dice,
                          Score& score) {
  const std::size_t tasks = 20'000 / flags.shrink;
  const std::uint64_t turns = turns_for(std::chrono::microseconds(200));
  print_title(scenario, "cancel with " + std::to_string(tasks) +
                            " tasks of 200 µs queued: call to all workers ended");
  std::vector<Entrant> entrants = {
      cancelled<OurPool>(tasks, turns),
      cancelled<AsioPool>(tasks, turns),
      cancelled<TbbPool>(tasks, turns),
      cancelled<MoodycamelPool>(tasks, turns),
  };
  play(entrants, flags.rounds, dice);
  // No CPU time here: the workers run when the watch starts, see process_cpu.
  std::printf("  %-22s %13s %10s\n", "µs", "wall median", "wall min");
  for (const Entrant& entrant : entrants) {
    const std::vector<double> wall = entrant.wall();
    std::printf("  %-22s %13.1f %10.1f\n", entrant.name.c_str(), median(wall) / 1e3,
                percentile(wall, 0) / 1e3);
  }
  score.judge(scenario, "cancel, median in ms <= 1", median(entrants.front().wall()) / 1e6, 1);
}

// One after the other, with a pause in which the workers fall asleep: from the call of submit to
// the first instruction of the task.
template <class Pool>
[[nodiscard]] std::vector<double> wake_ups(std::size_t count) {
  using std::chrono::microseconds;
  using std::chrono::steady_clock;
  std::vector<double> latencies;
  Pool pool(1024);
  for (std::size_t i = 0; i < count + 2; ++i) {
    std::atomic<bool> ran{false};
    steady_clock::time_point start;
    const auto call = steady_clock::now();
    pool.submit([&] {
      start = steady_clock::now();
      ran.store(true, std::memory_order_release);
    });
    do {
      std::this_thread::sleep_for(microseconds(200));
    } while (!ran.load(std::memory_order_acquire));
    if (i >= 2) latencies.push_back(Nanoseconds(start - call).count());  // two to warm up
  }
  pool.finish();
  return latencies;
}

struct Sleeper {
  std::string name;
  std::function<std::vector<double>(std::size_t)> run;
  std::vector<double> latencies{};
};

inline void print_sleepers(const std::vector<Sleeper>& sleepers) {
  std::printf("  %-22s %10s %10s %10s\n", "µs", "p50", "p99", "min");
  for (const Sleeper& sleeper : sleepers) {
    std::printf("  %-22s %10.2f %10.2f %10.2f\n", sleeper.name.c_str(),
                median(sleeper.latencies) / 1e3, percentile(sleeper.latencies, 0.99) / 1e3,
                percentile(sleeper.latencies, 0) / 1e3);
  }
}

inline void idle_wake_up(std::size_t scenario, const Flags& flags, SeededDice& dice, Score& score) {
  constexpr std::size_t kBlock = 50;
  const std::size_t blocks = 40 / flags.shrink;
  print_title(scenario, "idle pool, submit to start, " + std::to_string(blocks * kBlock) +
                            " samples in blocks of " + std::to_string(kBlock));
  std::vector<Sleeper> sleepers = {{OurPool::kName, wake_ups<OurPool>},
                                   {AsioPool::kName, wake_ups<AsioPool>},
                                   {TbbPool::kName, wake_ups<TbbPool>},
                                   {MoodycamelPool::kName, wake_ups<MoodycamelPool>}};
  std::vector<std::size_t> order = {0, 1, 2, 3};
  for (std::size_t block = 0; block < blocks; ++block) {
    shuffle(order, dice);
    for (const std::size_t who : order) {
      settle();
      for (const double latency : sleepers[who].run(kBlock)) {
        sleepers[who].latencies.push_back(latency);
      }
    }
  }
  print_sleepers(sleepers);
  double best = median(sleepers[1].latencies);
  for (std::size_t i = 2; i < sleepers.size(); ++i) {
    best = std::min(best, median(sleepers[i].latencies));
  }
  score.judge(scenario, "p50 <= 1.25 x the best of the others",
              median(sleepers.front().latencies) / best, 1.25);
}

template <class Pool>
[[nodiscard]] Entrant short_life(std::size_t lives) {
  return {.name = Pool::kName, .run = [lives] {
            std::atomic<std::size_t> ran{0};
            const Stopwatch watch;
            for (std::size_t i = 0; i < lives; ++i) {
              Pool pool(1024);
              pool.submit([&ran] { ++ran; });
              pool.finish();
            }
            return watch.elapsed();
          }};
}

inline void short_lives(std::size_t scenario, const Flags& flags, SeededDice& dice) {
  const std::size_t lives = 500 / flags.shrink;
  print_title(scenario,
              "for information: create, run 1 task, destroy (" + std::to_string(lives) + " times)");
  std::vector<Entrant> entrants = {short_life<OurPool>(lives), short_life<AsioPool>(lives),
                                   short_life<TbbPool>(lives), short_life<MoodycamelPool>(lives)};
  play(entrants, flags.rounds, dice);
  print_costs(entrants, static_cast<double>(lives));
}

}  // namespace tidemill::bench
