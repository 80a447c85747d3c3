#include "tidemill/engine/channel.h"

#include <atomic>
#include <chrono>
#include <memory>
#include <numeric>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "tidemill/testing/eventually.h"
#include "tidemill/testing/fake_clock.h"

namespace tidemill::engine {
namespace {

using testing::eventually;
using namespace std::chrono_literals;

TEST(Channel, PushBlocksAtTheItemLimit) {
  Channel<int> channel({.items = 2});
  EXPECT_EQ(channel.push(1), Push::sent);
  EXPECT_EQ(channel.push(2), Push::sent);
  EXPECT_EQ(channel.try_push(3), Push::full);
  std::atomic<bool> sent = false;
  std::jthread sender([&] { sent = channel.push(3) == Push::sent; });
  ASSERT_TRUE(eventually([&] { return channel.waiting_senders() == 1; }));
  EXPECT_FALSE(sent);
  EXPECT_EQ(channel.pop(), 1);
  sender.join();
  EXPECT_TRUE(sent);
  EXPECT_EQ(channel.pop(), 2);
  EXPECT_EQ(channel.pop(), 3);
}

TEST(Channel, PushBlocksAtTheByteLimit) {
  Channel<int> channel({.items = 100, .bytes = kib(10)});
  EXPECT_EQ(channel.push(1, kib(6)), Push::sent);
  EXPECT_EQ(channel.try_push(2, kib(5)), Push::full);
  EXPECT_EQ(channel.try_push(3, kib(4)), Push::sent);
  EXPECT_EQ(channel.bytes(), kib(10));
  EXPECT_EQ(channel.pop(), 1);
  EXPECT_EQ(channel.bytes(), kib(4));
  EXPECT_EQ(channel.try_push(2, kib(5)), Push::sent);
}

TEST(Channel, AnItemLargerThanTheBoundPassesAlone) {
  Channel<int> channel({.items = 100, .bytes = kib(1)});
  EXPECT_EQ(channel.push(1, mib(5)), Push::sent);
  EXPECT_EQ(channel.try_push(2, {1}), Push::full);
  EXPECT_EQ(channel.pop(), 1);
  EXPECT_EQ(channel.try_push(2, {1}), Push::sent);
  EXPECT_EQ(channel.try_push(3, mib(5)), Push::full);
}

TEST(Channel, CloseLetsReceiversTakeWhatIsLeft) {
  Channel<int> channel({.items = 4});
  EXPECT_EQ(channel.push(1), Push::sent);
  EXPECT_EQ(channel.push(2), Push::sent);
  channel.close();
  EXPECT_EQ(channel.push(3), Push::closed);
  EXPECT_FALSE(channel.is_finished());
  EXPECT_EQ(channel.pop(), 1);
  EXPECT_EQ(channel.pop(), 2);
  EXPECT_EQ(channel.pop(), std::nullopt);
  EXPECT_TRUE(channel.is_finished());
}

TEST(Channel, CloseAndCancelWakeBothSides) {
  for (const bool cancels : {false, true}) {
    Channel<int> full({.items = 1});
    Channel<int> empty({.items = 1});
    EXPECT_EQ(full.push(1), Push::sent);
    std::jthread sender([&] { EXPECT_EQ(full.push(2), Push::closed); });
    std::jthread receiver([&] { EXPECT_EQ(empty.pop(), std::nullopt); });
    ASSERT_TRUE(
        eventually([&] { return full.waiting_senders() == 1 && empty.waiting_receivers() == 1; }));
    if (cancels) {
      EXPECT_EQ(full.cancel(), 1U);
      EXPECT_EQ(empty.cancel(), 0U);
    } else {
      full.close();
      empty.close();
    }
  }
}

TEST(Channel, AStopTokenEndsOnlyItsCallersWaitOnBothSides) {
  Channel<std::unique_ptr<int>> full({.items = 1});
  Channel<int> empty({.items = 1});
  EXPECT_EQ(full.push(std::make_unique<int>(1)), Push::sent);
  std::stop_source stop;
  auto item = std::make_unique<int>(2);
  std::jthread sender(
      [&] { EXPECT_EQ(full.push(std::move(item), {1}, stop.get_token()), Push::cancelled); });
  std::jthread receiver([&] { EXPECT_EQ(empty.pop(stop.get_token()), std::nullopt); });
  ASSERT_TRUE(
      eventually([&] { return full.waiting_senders() == 1 && empty.waiting_receivers() == 1; }));
  stop.request_stop();
  sender.join();
  receiver.join();
  EXPECT_TRUE(item) << "an item that was not sent stays the caller's";
  EXPECT_EQ(empty.push(5), Push::sent) << "the channel itself is still open";
}

TEST(Channel, PushAllSendsInPortionsAndLeavesUnsentItemsWithTheCaller) {
  Channel<int> channel({.items = 4});
  std::vector<Channel<int>::Parcel> parcels;
  for (int i = 0; i < 10; ++i) parcels.push_back({i, {1}});
  std::atomic<bool> closed = false;
  std::jthread sender([&] { closed = channel.push_all(parcels) == Push::closed; });
  ASSERT_TRUE(eventually([&] { return channel.waiting_senders() == 1; }));
  EXPECT_EQ(channel.size(), 4U);
  channel.close();
  sender.join();
  EXPECT_TRUE(closed);
  ASSERT_EQ(parcels.size(), 6U);
  EXPECT_EQ(parcels.front().item, 4);
}

TEST(Channel, PopSomeTakesAtMostWhatWasAskedFor) {
  Channel<int> channel({.items = 10});
  for (int i = 0; i < 5; ++i) EXPECT_EQ(channel.push(int{i}), Push::sent);
  std::vector<int> got;
  EXPECT_EQ(channel.pop_some(got, 3), 3U);
  EXPECT_EQ(channel.pop_some(got, 3), 2U);
  EXPECT_EQ(got, (std::vector<int>{0, 1, 2, 3, 4}));
}

TEST(Channel, PopSomeUntilReturnsAtTheDeadline) {
  testing::FakeClock clock;
  Channel<int> channel({.items = 10});
  std::vector<int> got;
  std::atomic<bool> returned = false;
  const Instant until = clock.now() + 50ms;
  std::jthread receiver([&] {
    EXPECT_EQ(channel.pop_some_until(got, 3, clock, until), 0U);
    returned = true;
  });
  ASSERT_TRUE(eventually([&] { return channel.waiting_receivers() == 1; }));
  EXPECT_FALSE(returned);
  clock.advance(50ms);
  receiver.join();
  EXPECT_FALSE(channel.is_finished());
}

// Many senders and receivers over a tight channel, one at a time and in portions: the sum arrives.
TEST(Channel, NeitherLosesNorDuplicatesItemsUnderLoad) {
  constexpr int kSenders = 4;
  constexpr int kEach = 20'000;
  Channel<int> channel({.items = 16, .bytes = {600}});
  std::atomic<std::int64_t> sum = 0;
  std::atomic<std::int64_t> count = 0;
  {
    std::vector<std::jthread> receivers;
    for (int r = 0; r < 3; ++r) {
      receivers.emplace_back([&, r] {
        std::vector<int> got;
        while (r == 0 ? channel.pop_some(got, 1) : channel.pop_some(got, 7)) {
          sum += std::accumulate(got.begin(), got.end(), std::int64_t{0});
          count += static_cast<std::int64_t>(got.size());
          got.clear();
        }
      });
    }
    std::vector<std::jthread> senders;
    for (int s = 0; s < kSenders; ++s) {
      senders.emplace_back([&, s] {
        std::vector<Channel<int>::Parcel> parcels;
        for (int i = 1; i <= kEach; ++i) {
          if (s % 2 == 0) {
            ASSERT_EQ(channel.push(int{i}, {static_cast<std::uint64_t>(i % 90)}), Push::sent);
          } else {
            parcels.push_back({i, {static_cast<std::uint64_t>(i % 90)}});
            if (parcels.size() == 50 || i == kEach) {
              ASSERT_EQ(channel.push_all(parcels), Push::sent);
              ASSERT_TRUE(parcels.empty());
            }
          }
        }
      });
    }
    senders.clear();
    channel.close();
  }
  EXPECT_EQ(count, kSenders * kEach);
  EXPECT_EQ(sum, std::int64_t{kSenders} * kEach * (kEach + 1) / 2);
}

TEST(Channel, GatherReturnsOnceTheCountIsReached) {
  const SystemClock clock;
  Channel<int> channel({.items = 100});
  std::atomic<bool> has_gathered = false;
  std::jthread receiver([&] {
    channel.gather(3, clock, clock.now() + std::chrono::hours(1));
    has_gathered = true;
  });
  ASSERT_EQ(channel.push(1), Push::sent);
  ASSERT_EQ(channel.push(2), Push::sent);
  EXPECT_FALSE(has_gathered);
  ASSERT_EQ(channel.push(3), Push::sent);
  EXPECT_TRUE(testing::eventually([&] { return has_gathered.load(); }));
  EXPECT_EQ(channel.size(), 3U);
}

TEST(Channel, GatherNeverDelaysASenderOrAClose) {
  const SystemClock clock;
  const Instant later = clock.now() + std::chrono::hours(1);
  Channel<int> half({.items = 4});
  std::jthread one([&] { half.gather(1'000, clock, later); });
  ASSERT_EQ(half.push(1), Push::sent);
  ASSERT_EQ(half.push(2), Push::sent);  // half of what fits
  one.join();

  Channel<int> bytes({.items = 1'000, .bytes = {10}});
  std::jthread other([&] { bytes.gather(1'000, clock, later); });
  ASSERT_EQ(bytes.push(1, {8}), Push::sent);
  std::jthread sender([&] { EXPECT_EQ(bytes.push(2, {8}), Push::sent); });  // has to wait for room
  other.join();
  EXPECT_EQ(bytes.pop(), 1);

  Channel<int> closed({.items = 1'000});
  std::jthread third([&] { closed.gather(1'000, clock, later); });
  closed.close();
  third.join();
}

TEST(Channel, GatherReturnsAtTheDeadline) {
  testing::FakeClock clock;
  const Instant until = clock.now() + std::chrono::seconds(1);
  Channel<int> channel({.items = 100});
  std::jthread receiver([&] { channel.gather(3, clock, until); });
  clock.advance(std::chrono::seconds(2));
  receiver.join();
  EXPECT_EQ(channel.size(), 0U);
}

}  // namespace
}  // namespace tidemill::engine
