// What the history of a run costs the process that works on it: an hour of a run whose counts,
// durations and slowest tasks change all the time, with a clock that is moved by hand. 36,000
// observations and 720 durable commits.
//
//   history_bench JOURNAL     a new file on the disk in question
#include <sys/resource.h>

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

#include "tidemill/state/history/history_recorder.h"
#include "tidemill/state/journal/sqlite_journal.h"
#include "tidemill/testing/fake_clock.h"

namespace {

using namespace tidemill;

constexpr int kSeconds = 3'600;
constexpr int kObservations = 10;  // per second

double cpu_seconds() {
  rusage used{};
  ::getrusage(RUSAGE_SELF, &used);
  const auto of = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
  };
  return of(used.ru_utime) + of(used.ru_stime);
}

// Of a pool that runs commands of 1 to 100 ms, and finds a slower one with every write.
class Readings {
 public:
  Readings() {
    stats_.types.push_back({.name = "command"});
    for (int i = 0; i < 100; ++i) {
      slowest_.push_back({.task = static_cast<engine::TaskId>(i),
                          .type = "command",
                          .note = "/data/photos/2024/05/IMG_0000.jpg",
                          .took = std::chrono::milliseconds(2'000 - i)});
    }
  }
  history::Timings next() {
    for (std::size_t i = 60; i < 110; ++i) stats_.types.front().lifetime.counts[i] += i;
    slowest_.back().took += std::chrono::nanoseconds(1);
    return history::timings_of(stats_, slowest_);
  }

 private:
  engine::PoolStats stats_;
  std::vector<engine::SlowAttempt> slowest_;
};

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fputs("usage: history_bench JOURNAL\n", stderr);
    return 2;
  }
  const auto journal =
      journal::SqliteJournal::open({.path = argv[1], .access = journal::Access::create});
  if (!journal) {
    std::fprintf(stderr, "history_bench: %s\n", text_of(journal.error()).c_str());
    return 1;
  }
  testing::FakeClock clock;
  Readings readings;
  history::HistoryRecorder recorder(journal->get(), clock, [&] { return readings.next(); });
  const double began = cpu_seconds();
  for (int i = 0; i < kSeconds * kObservations; ++i) {
    recorder.observe(
        {.counts = {.found = 1'000'000'000, .done = static_cast<std::uint64_t>(i) * 80},
         .workers = 2,
         .busy = 2});
    clock.advance(std::chrono::milliseconds(1'000) / kObservations);
  }
  const double spent = cpu_seconds() - began;
  std::printf("an hour: %.3f s of CPU, %.4f %% of one core\n", spent, 100 * spent / kSeconds);
  return 0;
}
