// channel_bench: our channel beside tbb::concurrent_bounded_queue and a bounded moodycamel queue.
//
// 8-byte items through a queue of 1024, with one producer and one consumer, and with four and two;
// item by item, and in batches of 64. The goal is about batches, which are there for tiny items: a
// million of them a second must cost no more than a quarter of one core. Single items are for
// information: on cores that really run at the same time they mostly measure how a cache line
// moves.
#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdio>
#include <optional>
#include <span>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <oneapi/tbb/version.h>

#include "bench/micro/flags.h"
#include "bench/micro/machine.h"
#include "bench/micro/measure.h"
#include "bench/micro/queues.h"
#include "bench/micro/report.h"

namespace tidemill::bench {
namespace {

constexpr std::size_t kCapacity = 1024;
constexpr std::size_t kLargestBatch = 64;
constexpr double kGoal = 250;  // ns of CPU an item

struct Shape {
  std::size_t items;
  std::size_t producers;
  std::size_t consumers;
  std::size_t batch;
};

template <class Queue>
void produce(Queue& queue, const Shape& shape) {
  std::array<Item, kLargestBatch> batch{};
  for (std::size_t left = shape.items / shape.producers; left > 0;) {
    const std::size_t count = std::min(left, shape.batch);
    for (std::size_t i = 0; i < count; ++i) batch[i] = left - i;
    queue.push(std::span<const Item>(batch.data(), count));
    left -= count;
  }
}

template <class Queue>
std::size_t consume(Queue& queue, const Shape& shape) {
  std::array<Item, kLargestBatch> batch{};
  std::size_t taken = 0;
  while (const std::size_t count = queue.pop(std::span<Item>(batch.data(), shape.batch))) {
    taken += count;
  }
  return taken;
}

template <class Queue>
[[nodiscard]] Cost pass(const Shape& shape) {
  const Stopwatch watch;
  Queue queue(kCapacity);
  std::atomic<std::size_t> taken{0};
  {
    std::vector<std::jthread> consumers;
    for (std::size_t i = 0; i < shape.consumers; ++i) {
      consumers.emplace_back([&] { taken += consume(queue, shape); });
    }
    {
      std::vector<std::jthread> producers;
      for (std::size_t i = 0; i < shape.producers; ++i) {
        producers.emplace_back([&] { produce(queue, shape); });
      }
    }
    queue.end(shape.consumers);
  }
  const Cost cost = watch.elapsed();
  if (taken != shape.items) broken(std::string(Queue::kName) + " lost items");
  return cost;
}

template <class Queue>
[[nodiscard]] Entrant passing(Shape shape) {
  return {.name = Queue::kName, .run = [shape] { return pass<Queue>(shape); }};
}

void compare_queues(std::size_t scenario, Shape shape, const Flags& flags, SeededDice& dice,
                    Score& score) {
  shape.items = 1'000'000 / flags.shrink;
  const std::string title = std::to_string(shape.producers) + " to " +
                            std::to_string(shape.consumers) + " threads, " +
                            (shape.batch == 1 ? std::string("single items")
                                              : "batches of " + std::to_string(shape.batch));
  print_title(scenario, title);
  std::vector<Entrant> entrants = {passing<OurChannel>(shape), passing<TbbQueue>(shape),
                                   passing<MoodycamelQueue>(shape)};
  play(entrants, flags.rounds, dice);
  print_costs(entrants, static_cast<double>(shape.items), "ns an item");
  if (shape.batch > 1) {
    score.judge(scenario, title + ": ns of CPU an item <= 250",
                median(entrants.front().cpu()) / static_cast<double>(shape.items), kGoal);
  }
  std::printf("\n");
}

void run(const Flags& flags) {
  print_machine("channel_bench", flags,
                {std::string("oneTBB ") + TBB_runtime_version(),
                 "moodycamel::ConcurrentQueue (its headers carry no version)"});
  SeededDice dice(flags.seed);
  Score score;
  std::size_t scenario = 0;
  for (const std::size_t batch : {std::size_t{1}, kLargestBatch}) {
    for (const auto& [producers, consumers] : {std::pair(1, 1), std::pair(4, 2)}) {
      if (!flags.wants(++scenario)) continue;
      const Shape shape{.items = 0,
                        .producers = static_cast<std::size_t>(producers),
                        .consumers = static_cast<std::size_t>(consumers),
                        .batch = batch};
      compare_queues(scenario, shape, flags, dice, score);
    }
  }
  score.print();
}

}  // namespace
}  // namespace tidemill::bench

int main(int argc, char** argv) {
  const std::optional<tidemill::bench::Flags> flags = tidemill::bench::read_flags(argc, argv);
  if (!flags || flags->help) {
    std::fprintf(flags ? stdout : stderr, "usage: channel_bench [flags]\n%s",
                 tidemill::bench::kUsage);
    return flags ? 0 : 2;
  }
  tidemill::bench::run(*flags);
  return 0;
}
