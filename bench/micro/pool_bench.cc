// pool_bench: our pool beside oneTBB, Asio and a moodycamel queue with two threads.
//
//   contestants.h      the four pools behind the same functions
//   pool_throughput.h  1 bounded, 2 one producer, 3 short tasks, 7 four producers
//   pool_memory.h      4 bytes and allocations of a queued task
//   pool_response.h    5 cancel, 6 wake-up from idle, 7 short lives
//   measure.h          CPU time, interleaved rounds;  report.h  tables and goals
//
// Figures are for people: a missed goal is printed and does not change the exit code.
#include <cstddef>
#include <cstdio>
#include <optional>
#include <string>
#include <vector>

#include <oneapi/tbb/version.h>
#include <asio/version.hpp>

#include "bench/micro/flags.h"
#include "bench/micro/machine.h"
#include "bench/micro/pool_memory.h"
#include "bench/micro/pool_response.h"
#include "bench/micro/pool_throughput.h"
#include "bench/micro/report.h"

namespace tidemill::bench {
namespace {

[[nodiscard]] std::vector<std::string> libraries() {
  return {std::string("oneTBB ") + TBB_runtime_version(),
          "Asio " + std::to_string(ASIO_VERSION / 100000) + "." +
              std::to_string(ASIO_VERSION / 100 % 1000) + "." + std::to_string(ASIO_VERSION % 100),
          "moodycamel::ConcurrentQueue (its headers carry no version)"};
}

void run(const Flags& flags) {
  print_machine("pool_bench", flags, libraries());
  SeededDice dice(flags.seed);
  Score score;
  const auto scenario = [&](std::size_t number, auto body) {
    if (!flags.wants(number)) return;
    body();
    std::printf("\n");
    std::fflush(stdout);
  };
  scenario(4, [&] { memory_of_queued(4, score); });  // first: it forks, see pool_memory.h
  scenario(1, [&] { bounded_flood(1, flags, dice, score); });
  scenario(2, [&] { single_producer(2, flags, dice, score); });
  scenario(3, [&] { short_tasks(3, flags, dice, score); });
  scenario(5, [&] { cancel_queued(5, flags, dice, score); });
  scenario(6, [&] { idle_wake_up(6, flags, dice, score); });
  scenario(7, [&] { four_producers(7, flags, dice); });
  scenario(7, [&] { short_lives(7, flags, dice); });
  score.print();
}

}  // namespace
}  // namespace tidemill::bench

int main(int argc, char** argv) {
  const std::optional<tidemill::bench::Flags> flags = tidemill::bench::read_flags(argc, argv);
  if (!flags || flags->help) {
    std::fprintf(flags ? stdout : stderr, "usage: pool_bench [flags]\n%s", tidemill::bench::kUsage);
    return flags ? 0 : 2;
  }
  tidemill::bench::run(*flags);
  return 0;
}
