#include "tidemill/engine/conveyor.h"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <random>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "tidemill/testing/eventually.h"

namespace tidemill::engine {
namespace {

using testing::eventually;
using Belt = Conveyor<int>;

Belt::Ticket taken(Belt& belt) {
  return belt.take().value_or(Belt::Ticket{.place = 0, .item = -1});
}

TEST(Conveyor, DeliversItemsInInputOrderWhateverOrderWorkersFinish) {
  Belt belt({.items = 8});
  for (const int item : {1, 2, 3}) ASSERT_TRUE(belt.put(item));
  auto first = taken(belt);
  auto second = taken(belt);
  auto third = taken(belt);
  EXPECT_EQ(first.item, 1);
  EXPECT_EQ(third.place, 2U);
  third.item *= 10;
  belt.give(std::move(third));
  belt.give(std::move(second));
  EXPECT_EQ(belt.counts().given, 2U);
  std::optional<int> got;
  std::jthread taker([&] { got = belt.next(); });
  ASSERT_TRUE(eventually([&] { return belt.counts().taker_waits; }));
  belt.give(std::move(first));
  taker.join();
  EXPECT_EQ(got, 1);
  EXPECT_EQ(belt.next(), 2);
  EXPECT_EQ(belt.next(), 30);
  belt.close();
  EXPECT_EQ(belt.next(), std::nullopt);
  EXPECT_EQ(belt.take(), std::nullopt);
  EXPECT_FALSE(belt.put(4));
  EXPECT_EQ(belt.counts().put, 3U);
  EXPECT_EQ(belt.counts().taken, 3U);
  EXPECT_EQ(belt.counts().under_way, Bytes{});
}

// The second of two puts, waiting for room.
struct Squeeze {
  Belt belt;
  std::atomic<bool> is_put = false;
  std::jthread feeder{};

  Squeeze(ConveyorOptions options, Bytes first, Bytes second) : belt(options) {
    EXPECT_TRUE(belt.put(1, first));
    feeder = std::jthread([this, second] { is_put = belt.put(2, second); });
    EXPECT_TRUE(eventually([&] { return belt.counts().feeder_waits; }));
  }
};

TEST(Conveyor, PutBlocksUntilTheTakerReceivesAnItem) {
  Squeeze squeeze({.items = 1}, {1}, {1});
  squeeze.belt.give(taken(squeeze.belt));
  EXPECT_TRUE(squeeze.belt.counts().feeder_waits);
  EXPECT_FALSE(squeeze.is_put);
  EXPECT_EQ(squeeze.belt.next(), 1);
  squeeze.feeder.join();
  EXPECT_TRUE(squeeze.is_put);
}

TEST(Conveyor, PutBlocksAtTheByteLimit) {
  Squeeze squeeze({.items = 100, .bytes = kib(10)}, kib(6), kib(5));
  squeeze.belt.give(taken(squeeze.belt));
  EXPECT_EQ(squeeze.belt.counts().under_way, kib(6));
  EXPECT_EQ(squeeze.belt.next(), 1);
  squeeze.feeder.join();
  EXPECT_EQ(squeeze.belt.counts().under_way, kib(5));
}

TEST(Conveyor, AnItemLargerThanTheBoundPassesAlone) {
  Squeeze squeeze({.items = 100, .bytes = kib(10)}, {1}, mib(5));
  squeeze.belt.give(taken(squeeze.belt));
  EXPECT_EQ(squeeze.belt.next(), 1);
  squeeze.feeder.join();
  EXPECT_TRUE(squeeze.is_put);
  EXPECT_EQ(squeeze.belt.counts().under_way, mib(5));
}

TEST(Conveyor, ItemsFetchedAheadByTheTakerStillCountTowardsTheLimit) {
  Belt belt({.items = 8});  // a basket of two
  for (int i = 0; i < 8; ++i) ASSERT_TRUE(belt.put(i));
  for (int i = 0; i < 8; ++i) belt.give(taken(belt));
  EXPECT_EQ(belt.next(), 0);
  std::atomic<bool> is_put = false;
  std::jthread feeder([&] { is_put = belt.put(8); });
  ASSERT_TRUE(eventually([&] { return is_put || belt.counts().feeder_waits; }));
  EXPECT_FALSE(is_put);
  for (int i = 1; i < 8; ++i) EXPECT_EQ(belt.next(), i);
  feeder.join();
  EXPECT_TRUE(is_put);
}

TEST(Conveyor, AnIdleWorkerWakesTheFeederEvenWhenMoreThanHalfFull) {
  Belt belt({.items = 4});
  for (const int item : {1, 2, 3, 4}) ASSERT_TRUE(belt.put(item));
  std::jthread feeder([&] { EXPECT_TRUE(belt.put(5)); });
  ASSERT_TRUE(eventually([&] { return belt.counts().feeder_waits; }));
  belt.give(taken(belt));
  std::vector<Belt::Ticket> held;
  for (int i = 0; i < 3; ++i) held.push_back(taken(belt));
  EXPECT_EQ(belt.next(), 1);  // three are left, the oldest held by a slow worker
  EXPECT_TRUE(belt.counts().feeder_waits);
  EXPECT_EQ(taken(belt).item, 5);
}

TEST(Conveyor, TakeSomeLeavesItemsForOtherWorkers) {
  Belt belt({.items = 100});
  for (int i = 0; i < 16; ++i) ASSERT_TRUE(belt.put(i, {10}));
  std::vector<Belt::Ticket> group;
  EXPECT_EQ(belt.take_some(group, 64, {1'000}), 4U);
  EXPECT_EQ(belt.take_some(group, 2, {1'000}), 2U);
  EXPECT_EQ(belt.take_some(group, 64, {11}), 2U);
  EXPECT_EQ(belt.take_some(group, 64, {0}), 1U);
  ASSERT_EQ(group.size(), 9U);
  for (std::size_t i = 0; i < group.size(); ++i) EXPECT_EQ(group[i].item, static_cast<int>(i));
  belt.give_all(group);
  EXPECT_TRUE(group.empty());
  for (int i = 0; i < 9; ++i) EXPECT_EQ(belt.next(), i);
}

TEST(Conveyor, CloseLetsEverybodyFinish) {
  Belt belt({.items = 8});
  ASSERT_TRUE(belt.put(1));
  auto ticket = taken(belt);
  std::jthread worker([&] { EXPECT_EQ(belt.take(), std::nullopt); });
  std::vector<int> got;
  std::jthread taker([&] {
    while (auto item = belt.next()) got.push_back(*item);
  });
  ASSERT_TRUE(
      eventually([&] { return belt.counts().waiting_workers == 1 && belt.counts().taker_waits; }));
  belt.close();
  worker.join();
  belt.give(std::move(ticket));
  taker.join();
  EXPECT_EQ(got, std::vector<int>{1});
}

TEST(Conveyor, CancelWakesAllWaitersAndDiscardsItemsInFlight) {
  Conveyor<std::shared_ptr<int>> belt({.items = 2});
  auto item = std::make_shared<int>(1);
  ASSERT_TRUE(belt.put(item));
  ASSERT_TRUE(belt.put(item));
  auto ticket = belt.take();
  ASSERT_TRUE(ticket && belt.take());
  std::jthread feeder([&] { EXPECT_FALSE(belt.put(nullptr)); });
  std::jthread worker([&] { EXPECT_EQ(belt.take(), std::nullopt); });
  std::jthread taker([&] { EXPECT_EQ(belt.next(), std::nullopt); });
  ASSERT_TRUE(eventually([&] {
    const auto counts = belt.counts();
    return counts.feeder_waits && counts.waiting_workers == 1 && counts.taker_waits;
  }));
  belt.cancel();
  feeder.join();
  worker.join();
  taker.join();
  belt.give(*std::move(ticket));
  ticket.reset();
  EXPECT_EQ(item.use_count(), 1);
  EXPECT_TRUE(belt.is_cancelled());
}

TEST(Conveyor, CancelDiscardsItemsFetchedAheadByTheTaker) {
  Belt belt({.items = 100});
  std::vector<Belt::Ticket> group;
  for (int i = 0; i < 8; ++i) {
    ASSERT_TRUE(belt.put(i));
    group.push_back(taken(belt));
  }
  belt.give_all(group);
  EXPECT_EQ(belt.next(), 0);
  belt.cancel();
  EXPECT_EQ(belt.next(), std::nullopt);
}

// Order, bounds and the end, with workers of varying speed.
struct Storm {
  struct Load {
    std::uint64_t number = 0;
    std::uint64_t weight = 0;
    std::uint64_t worked = 0;
  };
  static constexpr std::uint64_t kLoads = 10'000;
  static constexpr Bytes kHeavy = {5'000};  // more than the bound

  const ConveyorOptions options;
  Conveyor<Load> belt{options};
  std::atomic<bool> is_over_bounds = false;

  void feed() {
    std::mt19937_64 dice(7);
    for (std::uint64_t i = 0; i < kLoads; ++i) {
      const std::uint64_t weight = dice() % 500 == 0 ? kHeavy.count : dice() % 100;
      if (!belt.put({.number = i, .weight = weight}, {weight})) return;
      const auto counts = belt.counts();
      if (counts.under_way > std::max(options.bytes, kHeavy)) is_over_bounds = true;
      if (counts.put - counts.taken > options.items + 1) is_over_bounds = true;  // 1: being taken
    }
    belt.close();
  }

  void work(unsigned seed) {
    std::mt19937_64 dice(seed);
    std::vector<Conveyor<Load>::Ticket> group;
    while (belt.take_some(group, 1 + dice() % 8, {400}) > 0) {
      if (dice() % 100 == 0) std::this_thread::yield();
      for (auto& ticket : group) ticket.item.worked = ticket.item.number * 3 + 1;
      std::ranges::shuffle(group, dice);
      if (dice() % 2 == 0) belt.give_all(group);
      for (auto& ticket : group) belt.give(std::move(ticket));
      group.clear();
    }
  }

  std::uint64_t run(std::uint64_t most) {
    std::vector<std::jthread> threads;
    threads.emplace_back([this] { feed(); });
    for (unsigned i = 0; i < 4; ++i) threads.emplace_back([this, i] { work(i); });
    std::uint64_t count = 0;
    while (auto load = belt.next()) {
      EXPECT_EQ(load->number, count);
      EXPECT_EQ(load->worked, count * 3 + 1);
      if (++count == most) belt.cancel();
    }
    return count;
  }
};

TEST(Conveyor, KeepsOrderAndLimitsUnderLoad) {
  for (const Bytes bytes : {Bytes{2'000}, mib(1)}) {
    for (const std::size_t items : {1U, 2U, 7U, 300U}) {
      Storm storm{.options = {.items = items, .bytes = bytes}};
      EXPECT_EQ(storm.run(Storm::kLoads), Storm::kLoads) << items;
      EXPECT_FALSE(storm.is_over_bounds) << items;
      EXPECT_EQ(storm.belt.counts().given, Storm::kLoads);
    }
  }
}

TEST(Conveyor, CancelUnderLoadEndsAllThreads) {
  for (const std::uint64_t most : {1U, 100U, 5'000U}) {
    Storm storm{.options = {.items = 64, .bytes = {2'000}}};
    EXPECT_EQ(storm.run(most), most);
  }
}

}  // namespace
}  // namespace tidemill::engine
