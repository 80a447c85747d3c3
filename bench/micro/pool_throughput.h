// Scenarios 1, 2, 3 and 7: what it costs to bring many tasks to two workers.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <string>
#include <thread>
#include <vector>

#include "bench/micro/contestants.h"
#include "bench/micro/flags.h"
#include "bench/micro/grind.h"
#include "bench/micro/report.h"

namespace tidemill::bench {

inline constexpr std::size_t kNeverFull = std::size_t{1} << 22U;

struct Flood {
  std::size_t tasks;
  std::size_t producers;
  std::size_t capacity;
};

// `producers` threads submit `tasks` copies of `body` between them; ends when all are run and the
// pool is gone.
template <class Pool, class Body>
[[nodiscard]] Cost flood(const Flood& shape, Body body) {
  const Stopwatch watch;
  {
    Pool pool(shape.capacity);
    {
      std::vector<std::jthread> producers;
      for (std::size_t i = 0; i < shape.producers; ++i) {
        producers.emplace_back([&] {
          for (std::size_t left = shape.tasks / shape.producers; left > 0; --left) {
            pool.submit(body);
          }
        });
      }
    }
    pool.finish();
  }
  return watch.elapsed();
}

// The empty task: one atomic increment, which also shows that none was lost.
template <class Pool>
[[nodiscard]] Entrant empty_tasks(const std::string& name, Flood shape) {
  return {.name = name, .run = [shape, name] {
            std::atomic<std::size_t> ran{0};
            const Cost cost =
                flood<Pool>(shape, [&ran] { ran.fetch_add(1, std::memory_order_relaxed); });
            if (ran != shape.tasks) broken(name + " lost tasks");
            return cost;
          }};
}

inline void bounded_flood(std::size_t scenario, const Flags& flags, SeededDice& dice,
                          Score& score) {
  const Flood shape{.tasks = 1'000'000 / flags.shrink, .producers = 4, .capacity = 1024};
  print_title(scenario, "4 producers, a queue of 1024, " + std::to_string(shape.tasks) +
                            " empty tasks (the others: a semaphore in front)");
  std::vector<Entrant> entrants = {
      empty_tasks<OurPool>(OurPool::kName, shape),
      empty_tasks<Bounded<AsioPool, StdSemaphore>>("asio+semaphore", shape),
      empty_tasks<Bounded<AsioPool, LightSemaphore>>("asio+lightweight", shape),
      empty_tasks<Bounded<TbbPool, StdSemaphore>>("tbb+semaphore", shape),
      empty_tasks<Bounded<TbbPool, LightSemaphore>>("tbb+lightweight", shape),
      empty_tasks<Bounded<MoodycamelPool, StdSemaphore>>("moodycamel+semaphore", shape),
      empty_tasks<Bounded<MoodycamelPool, LightSemaphore>>("moodycamel+lightweight", shape),
  };
  play(entrants, flags.rounds, dice);
  print_costs(entrants, static_cast<double>(shape.tasks));
  judge_cpu(score, scenario, entrants, "asio+semaphore", 0.65);
}

[[nodiscard]] inline std::vector<Entrant> play_unbounded(const Flood& shape, const Flags& flags,
                                                         SeededDice& dice) {
  std::vector<Entrant> entrants = {
      empty_tasks<OurPool>(OurPool::kName, shape),
      empty_tasks<AsioPool>(AsioPool::kName, shape),
      empty_tasks<TbbPool>(TbbPool::kName, shape),
      empty_tasks<MoodycamelPool>(MoodycamelPool::kName, shape),
  };
  play(entrants, flags.rounds, dice);
  print_costs(entrants, static_cast<double>(shape.tasks));
  return entrants;
}

inline void single_producer(std::size_t scenario, const Flags& flags, SeededDice& dice,
                            Score& score) {
  const Flood shape{.tasks = 1'000'000 / flags.shrink, .producers = 1, .capacity = kNeverFull};
  print_title(scenario, "1 producer, never full, " + std::to_string(shape.tasks) + " empty tasks");
  const std::vector<Entrant> entrants = play_unbounded(shape, flags, dice);
  judge_cpu(score, scenario, entrants, AsioPool::kName, 0.9);
}

inline void four_producers(std::size_t scenario, const Flags& flags, SeededDice& dice) {
  const Flood shape{.tasks = 1'000'000 / flags.shrink, .producers = 4, .capacity = kNeverFull};
  print_title(scenario, "for information: 4 producers, never full, " + std::to_string(shape.tasks) +
                            " empty tasks");
  (void)play_unbounded(shape, flags, dice);
}

// The least two workers can cost: no queue, an index.
[[nodiscard]] inline Cost bare_threads(std::size_t tasks, std::uint64_t turns) {
  const Stopwatch watch;
  std::atomic<std::size_t> next{0};
  {
    std::vector<std::jthread> workers;
    for (std::size_t i = 0; i < kWorkers; ++i) {
      workers.emplace_back([&] {
        while (next.fetch_add(1, std::memory_order_relaxed) < tasks) grind(turns);
      });
    }
  }
  return watch.elapsed();
}

template <class Pool>
[[nodiscard]] Entrant grinding_tasks(Flood shape, std::uint64_t turns) {
  return {.name = Pool::kName,
          .run = [shape, turns] { return flood<Pool>(shape, [turns] { grind(turns); }); }};
}

// Short tasks that do something: how much of the CPU goes to the pool.
inline std::vector<Entrant> overhead(std::size_t scenario, std::chrono::microseconds length,
                                     std::size_t tasks, const Flags& flags, SeededDice& dice) {
  const std::uint64_t turns = turns_for(length);
  const Flood shape{.tasks = tasks, .producers = 1, .capacity = kNeverFull};
  print_title(scenario, std::to_string(length.count()) + " µs tasks, 1 producer, " +
                            std::to_string(tasks) + " tasks of " + std::to_string(turns) +
                            " turns");
  const char* const limit = "two bare threads";
  std::vector<Entrant> entrants = {
      grinding_tasks<OurPool>(shape, turns),
      {.name = limit, .run = [=] { return bare_threads(tasks, turns); }},
      grinding_tasks<AsioPool>(shape, turns),
      grinding_tasks<TbbPool>(shape, turns),
      grinding_tasks<MoodycamelPool>(shape, turns),
  };
  play(entrants, flags.rounds, dice);
  print_costs(entrants, static_cast<double>(tasks));
  return entrants;
}

inline void short_tasks(std::size_t scenario, const Flags& flags, SeededDice& dice, Score& score) {
  using std::chrono::microseconds;
  const auto entrants = overhead(scenario, microseconds(10), 50'000 / flags.shrink, flags, dice);
  judge_cpu(score, scenario, entrants, "two bare threads", 1.02);
  std::printf("\n");
  (void)overhead(scenario, microseconds(100), 5'000 / flags.shrink, flags, dice);
}

}  // namespace tidemill::bench
