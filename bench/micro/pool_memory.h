// Scenario 4: what a queued task takes.
//
// Both workers are held at a gate while 100,000 tasks are queued. Each sample runs in a forked
// child with a fresh heap, which ends without tidying up. fork() wants a process without threads:
// this scenario comes before all others.
//
// Two figures for the bytes: what operator new handed out from before the pool was made (exact, but
// blind to oneTBB, which maps its own memory), and the growth of the resident set (sees everything,
// in pages).
#pragma once

#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdio>
#include <fstream>
#include <string>
#include <thread>

#include "bench/micro/allocations.h"
#include "bench/micro/contestants.h"
#include "bench/micro/flags.h"
#include "bench/micro/report.h"

namespace tidemill::bench {

struct Memory {
  double calls = 0;     // of operator new, while submitting
  double bytes = 0;     // by operator new, with the pool itself
  double resident = 0;  // growth of the resident set, with the pool itself
  double pool = 0;      // bytes by operator new before the first task was queued: not per task
};

template <std::size_t kBytes>
struct Payload {
  std::array<std::byte, kBytes> bytes{};
  void operator()() const {}
};

[[nodiscard]] inline double resident_bytes() {
  std::ifstream pages("/proc/self/statm");
  double all = 0;
  double resident = 0;
  pages >> all >> resident;
  return resident * static_cast<double>(sysconf(_SC_PAGESIZE));
}

template <class Pool, class Body>
[[nodiscard]] Memory queue_up(std::size_t tasks) {
  std::atomic<std::size_t> held{0};
  const double resident = resident_bytes();
  allocations_counted = true;

  auto* const pool = new Pool(tasks + kWorkers);  // left behind on purpose
  for (std::size_t i = 0; i < kWorkers; ++i) {
    pool->submit([&] {
      ++held;
      while (true) pause();  // the gate never opens: the child ends with both workers here
    });
  }
  while (held < kWorkers) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  const Allocations before = allocations_now();
  for (std::size_t i = 0; i < tasks; ++i) pool->submit(Body{});
  const Allocations after = allocations_now();

  const auto count = static_cast<double>(tasks);
  return {.calls = static_cast<double>(after.calls - before.calls) / count,
          .bytes = static_cast<double>(after.live) / count,
          .resident = (resident_bytes() - resident) / count,
          .pool = static_cast<double>(before.live)};
}

template <class Pool, std::size_t kBytes>
[[nodiscard]] Memory queued_in_child(std::size_t tasks) {
  int ends[2];
  if (pipe(ends) != 0) broken("no pipe");
  const pid_t child = fork();
  if (child == 0) {
    const Memory found = queue_up<Pool, Payload<kBytes>>(tasks);
    _exit(write(ends[1], &found, sizeof found) == sizeof found ? 0 : 1);
  }
  close(ends[1]);
  Memory memory;
  if (read(ends[0], &memory, sizeof memory) != sizeof memory) {
    broken(std::string(Pool::kName) + " died while tasks were queued");
  }
  close(ends[0]);
  waitpid(child, nullptr, 0);
  return memory;
}

template <class Pool, std::size_t kBytes>
Memory print_queued(std::size_t tasks) {
  const Memory memory = queued_in_child<Pool, kBytes>(tasks);
  std::printf("  %-22s %8zu B %12.4f %14.1f %14.1f %14.0f\n", Pool::kName, kBytes, memory.calls,
              memory.bytes, memory.resident, memory.pool);
  std::fflush(stdout);
  return memory;
}

template <std::size_t kBytes>
void print_rivals(std::size_t tasks) {
  print_queued<AsioPool, kBytes>(tasks);
  print_queued<TbbPool, kBytes>(tasks);
  print_queued<MoodycamelPool, kBytes>(tasks);
}

inline void memory_of_queued(std::size_t scenario, Score& score) {
  constexpr std::size_t kTasks = 100'000;
  print_title(scenario, std::to_string(kTasks) + " tasks queued behind a gate, per task");
  std::printf("  %-22s %10s %12s %14s %14s %14s\n", "", "closure", "new calls", "new bytes",
              "resident bytes", "pool, in all");
  print_queued<OurPool, 8>(kTasks);
  print_rivals<8>(kTasks);
  print_queued<OurPool, 40>(kTasks);
  print_rivals<40>(kTasks);
  const Memory ours = print_queued<OurPool, 48>(kTasks);
  print_rivals<48>(kTasks);
  score.judge(scenario, "48-byte closures: new calls a task < 0.02", ours.calls, 0.02);
  score.judge(scenario, "48-byte closures: bytes a task <= 72", ours.bytes, 72);
}

}  // namespace tidemill::bench
