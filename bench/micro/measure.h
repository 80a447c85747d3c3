// Measuring: what a stretch of work cost the whole process, and fair turns for those compared.
//
// The figure that counts is process CPU time: on a shared machine the wall clock mostly tells what
// the neighbours did. Every round plays each entrant once, in an order drawn anew, so that a slow
// minute hits all of them alike; see bench/README.md.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <functional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "tidemill/base/dice.h"

namespace tidemill::bench {

using Nanoseconds = std::chrono::duration<double, std::nano>;

struct Cost {
  Nanoseconds cpu{0};
  Nanoseconds wall{0};
};

// Exact for threads that have ended or sleep; one that runs on another core is up to a tick behind.
// So a stretch begins and ends with no other thread at work.
[[nodiscard]] inline Nanoseconds process_cpu() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return std::chrono::seconds(now.tv_sec) + std::chrono::nanoseconds(now.tv_nsec);
}

// Immutable: runs from its construction.
class Stopwatch {
 public:
  [[nodiscard]] Cost elapsed() const {
    return {.cpu = process_cpu() - cpu_, .wall = std::chrono::steady_clock::now() - wall_};
  }

 private:
  Nanoseconds cpu_ = process_cpu();
  std::chrono::steady_clock::time_point wall_ = std::chrono::steady_clock::now();
};

// For what makes the figures worthless (a lost task, a pool that does not start): may be called on
// any thread, so nothing is destroyed.
[[noreturn]] inline void broken(const std::string& why) {
  std::printf("BROKEN: %s\n", why.c_str());
  std::fflush(stdout);
  std::_Exit(1);
}

// `share` 0.5 is the median, 0.99 the 99th percentile; 0 when there is nothing.
[[nodiscard]] inline double percentile(std::vector<double> values, double share) {
  if (values.empty()) return 0;
  const auto last = static_cast<double>(values.size() - 1);
  const auto rank = static_cast<std::ptrdiff_t>(share * last + 0.5);
  std::nth_element(values.begin(), values.begin() + rank, values.end());
  return values[static_cast<std::size_t>(rank)];
}

[[nodiscard]] inline double median(std::vector<double> values) {
  return percentile(std::move(values), 0.5);
}

// Some libraries keep threads that look for work a while after their pool is gone. Waits until
// the process is quiet, so that nobody pays for the one before.
inline void settle() {
  for (int turn = 0; turn < 50; ++turn) {
    const Nanoseconds before = process_cpu();
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
    if (process_cpu() - before < std::chrono::microseconds(100)) return;
  }
}

template <class T>
void shuffle(std::vector<T>& items, SeededDice& dice) {
  for (std::size_t left = items.size(); left > 1; --left) {
    std::swap(items[left - 1], items[dice.next() % left]);
  }
}

// One of those compared, and what it cost in each round.
struct Entrant {
  std::string name;
  std::function<Cost()> run;
  std::vector<Cost> rounds{};

  [[nodiscard]] std::vector<double> cpu() const {
    std::vector<double> values;
    for (const Cost& cost : rounds) values.push_back(cost.cpu.count());
    return values;
  }
  [[nodiscard]] std::vector<double> wall() const {
    std::vector<double> values;
    for (const Cost& cost : rounds) values.push_back(cost.wall.count());
    return values;
  }
};

// The first round warms caches and allocators and is thrown away.
inline void play(std::vector<Entrant>& entrants, std::size_t rounds, SeededDice& dice) {
  std::vector<std::size_t> order(entrants.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  for (std::size_t round = 0; round <= rounds; ++round) {
    shuffle(order, dice);
    for (const std::size_t who : order) {
      settle();
      const Cost cost = entrants[who].run();
      if (round > 0) entrants[who].rounds.push_back(cost);
    }
  }
}

// Round by round, how much `ours` cost of what `theirs` cost.
[[nodiscard]] inline std::vector<double> ratios(const std::vector<double>& ours,
                                                const std::vector<double>& theirs) {
  std::vector<double> values;
  for (std::size_t i = 0; i < std::min(ours.size(), theirs.size()); ++i) {
    values.push_back(ours[i] / theirs[i]);
  }
  return values;
}

}  // namespace tidemill::bench
