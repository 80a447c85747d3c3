// spawn_loop: what starting children costs at the least, and what a Runner adds to it.
//
//   spawn_loop N THREADS PROGRAM                    N children, bare: posix_spawn and waitpid
//   spawn_loop --runner N THREADS PROGRAM           the same through proc::Runner, with capture
//   spawn_loop --compare ROUNDS N THREADS PROGRAM   both in turn, and the ratio of their CPU time
//
// Child i is `PROGRAM i`. CPU time is that of this process and of its children, so that other load
// on the machine hardly counts; the wall time is for information.
#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <charconv>
#include <chrono>
#include <cstddef>
#include <cstdio>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "tidemill/io/proc/program.h"
#include "tidemill/io/proc/runner.h"

namespace {

using tidemill::proc::Launch;
using tidemill::proc::Runner;

struct Task {
  std::size_t children = 0;
  std::size_t threads = 1;
  std::string program;
};

struct Cost {
  double cpu = 0;  // seconds
  double wall = 0;
  std::size_t failed = 0;
};

// One child after another for one thread, as lean as it can be.
std::size_t run_bare(const Task& task, std::atomic<std::size_t>& next) {
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setpgroup(&attributes, 0);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
  std::string program = task.program;
  std::size_t failed = 0;
  for (std::size_t i = next++; i < task.children; i = next++) {
    std::string number = std::to_string(i);
    char* arguments[] = {program.data(), number.data(), nullptr};
    pid_t pid = -1;
    int status = 0;
    const bool is_started =
        posix_spawn(&pid, program.c_str(), nullptr, &attributes, arguments, environ) == 0;
    if (!is_started || waitpid(pid, &status, 0) != pid || status != 0) ++failed;
  }
  posix_spawnattr_destroy(&attributes);
  return failed;
}

std::size_t run_through_runner(const Task& task, std::atomic<std::size_t>& next) {
  auto runner = Runner::make({.spill_folder = "/tmp"});
  if (!runner) return task.children;
  Launch launch{.path = task.program, .arguments = {task.program, ""}, .additions = {""}};
  std::size_t failed = 0;
  for (std::size_t i = next++; i < task.children; i = next++) {
    launch.arguments[1] = std::to_string(i);
    launch.additions[0] = "TIDEMILL_TASK=" + launch.arguments[1];
    const auto finished = (*runner)->run(launch, launch.arguments[1]);
    if (!finished || !finished->exit.is_success()) ++failed;
  }
  return failed;
}

double cpu_of(int who) {
  rusage usage{};
  getrusage(who, &usage);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6;
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

template <class Loop>
Cost measure(const Task& task, Loop loop) {
  const auto started = std::chrono::steady_clock::now();
  const double cpu = cpu_of(RUSAGE_SELF) + cpu_of(RUSAGE_CHILDREN);
  std::atomic<std::size_t> next = 0;
  std::atomic<std::size_t> failed = 0;
  {
    std::vector<std::jthread> threads;
    for (std::size_t i = 0; i < task.threads; ++i) {
      threads.emplace_back([&] { failed += loop(task, next); });
    }
  }
  const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - started;
  return {.cpu = cpu_of(RUSAGE_SELF) + cpu_of(RUSAGE_CHILDREN) - cpu,
          .wall = wall.count(),
          .failed = failed};
}

void print(const char* name, const Task& task, const Cost& cost) {
  const double each = 1e6 / static_cast<double>(task.children);
  std::printf("%-7s cpu %7.1f us a child, wall %7.1f us, failed %zu\n", name, cost.cpu * each,
              cost.wall * each, cost.failed);
}

int compare(const Task& task, std::size_t rounds) {
  std::vector<double> ratios;
  for (std::size_t round = 0; round < rounds; ++round) {
    Cost bare;
    Cost runner;
    // Turn about, so that a drift of the machine favours neither.
    if (round % 2 == 0) bare = measure(task, run_bare);
    runner = measure(task, run_through_runner);
    if (round % 2 != 0) bare = measure(task, run_bare);
    print("bare", task, bare);
    print("runner", task, runner);
    if (bare.failed + runner.failed > 0) return 1;
    ratios.push_back(runner.cpu / bare.cpu);
  }
  std::ranges::sort(ratios);
  std::printf("runner / bare cpu: median %.3f, least %.3f, most %.3f\n", ratios[rounds / 2],
              ratios.front(), ratios.back());
  return 0;
}

bool read_number(std::string_view text, std::size_t& number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size() && number > 0;
}

int usage() {
  std::fprintf(stderr, "usage: spawn_loop [--runner | --compare ROUNDS] N THREADS PROGRAM\n");
  return 2;
}

}  // namespace

int main(int argc, char** argv) {
  std::vector<std::string_view> words(argv + 1, argv + argc);
  std::size_t rounds = 0;
  bool is_runner = false;
  if (!words.empty() && words[0] == "--runner") {
    is_runner = true;
    words.erase(words.begin());
  } else if (words.size() > 1 && words[0] == "--compare") {
    if (!read_number(words[1], rounds)) return usage();
    words.erase(words.begin(), words.begin() + 2);
  }
  Task task;
  if (words.size() != 3 || !read_number(words[0], task.children) ||
      !read_number(words[1], task.threads)) {
    return usage();
  }
  auto program = tidemill::proc::resolve_program(words[2]);
  if (!program) {
    std::fprintf(stderr, "%s\n", text_of(program.error()).c_str());
    return 1;
  }
  task.program = *program;
  if (rounds > 0) return compare(task, rounds);
  const Cost cost = measure(task, is_runner ? run_through_runner : run_bare);
  print(is_runner ? "runner" : "bare", task, cost);
  return cost.failed > 0 ? 1 : 0;
}
