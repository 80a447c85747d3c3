#include "tidemill/state/queue/view.h"

#include <gtest/gtest.h>

#include <string>

#include "tidemill/testing/redis_server.h"

namespace tidemill::queue {
namespace {

using redis::Reply;
using std::chrono::milliseconds;
using testing::RedisServer;

class QueueViewTest : public ::testing::Test {
 protected:
  void SetUp() override {
    TIDEMILL_NEEDS_REDIS();
    server_.emplace();
    view_.emplace(*QueueView::open({.client = {.address = address()}, .stream = "s"}, clock_));
  }

  [[nodiscard]] redis::RedisAddress address() {
    return *redis::parse_address(server_->url(), redis::Origin::hidden);
  }
  Reply ask(std::initializer_list<std::string_view> words) {
    if (!client_) client_ = *redis::Client::make({.address = address()}, clock_);
    auto reply = client_->call(words);
    EXPECT_TRUE(reply) << text_of(reply.error());
    return reply.value_or(Reply{});
  }
  void put(std::string_view entry, std::string_view id) {
    const auto at = std::chrono::duration_cast<milliseconds>(
        (clock_.wall() - std::chrono::hours(1)).time_since_epoch());
    ask({"XADD", "s", entry, "id", id, "at", std::to_string(at.count()), "batch", "{}"});
  }
  // As examples/consumers/dead.lua does it; returns the entry.
  std::string bury(std::string_view id, std::string_view reason = "broken") {
    return ask({"XADD", "{s}:dead", "*", "id", id, "source", "7-1000000", "reason", reason,
                "consumer", "w1", "deliveries", "3", "batch", "{\"id\":1}"})
        .text;
  }
  // The id of the last entry in the stream.
  std::string last() {
    return ask({"XREVRANGE", "s", "+", "-", "COUNT", "1"}).items[0].items[0].text;
  }

  SystemClock clock_;
  std::optional<RedisServer> server_;
  std::unique_ptr<redis::Client> client_;
  std::optional<QueueView> view_;
};

TEST_F(QueueViewTest, MissingStreamIsEmpty) {
  const auto standing = view_->standing({});
  ASSERT_TRUE(standing) << text_of(standing.error());
  EXPECT_EQ(standing->depth, 0U);
  EXPECT_EQ(standing->oldest_age, std::nullopt);
  EXPECT_TRUE(standing->groups.empty());
  EXPECT_EQ(standing->dead, 0U);
  EXPECT_EQ(standing->holder, "");
  EXPECT_TRUE(view_->dead("", 10, {})->empty());
}

TEST_F(QueueViewTest, ShowsGroupsConsumersAndTheLeaseHolder) {
  ask({"XGROUP", "CREATE", "s", "tidemill", "0", "MKSTREAM"});
  ask({"XGROUP", "CREATE", "s", "audit", "0"});
  for (const std::string_view n : {"1", "2", "3", "4", "5"}) {
    put("9-" + std::string(n) + "000000", n);
  }
  ask({"XREADGROUP", "GROUP", "tidemill", "a", "COUNT", "2", "STREAMS", "s", ">"});
  ask({"XREADGROUP", "GROUP", "tidemill", "b", "COUNT", "1", "STREAMS", "s", ">"});
  ask({"XCLAIM", "s", "tidemill", "a", "0", "9-1000000", "IDLE", "90000", "RETRYCOUNT", "4"});
  ask({"SET", "{s}:lease", "run1 9 host:17", "PX", "30000"});
  bury("x");

  const auto standing = view_->standing({});
  ASSERT_TRUE(standing) << text_of(standing.error());
  EXPECT_EQ(standing->depth, 5U);
  ASSERT_TRUE(standing->oldest_age);
  EXPECT_GE(*standing->oldest_age, std::chrono::minutes(60));
  EXPECT_LT(*standing->oldest_age, std::chrono::minutes(70));
  EXPECT_EQ(standing->dead, 1U);
  EXPECT_EQ(standing->holder, "host:17, epoch 9");
  EXPECT_GT(standing->holds_for, milliseconds(10'000));

  ASSERT_EQ(standing->groups.size(), 2U);
  EXPECT_EQ(standing->groups[0].name, "audit");
  EXPECT_EQ(standing->groups[0].waiting, 5U);
  const GroupView& group = standing->groups[1];
  EXPECT_EQ(group.name, "tidemill");
  EXPECT_EQ(group.pending, 3U);
  EXPECT_EQ(group.waiting, 2U);
  ASSERT_EQ(group.consumers.size(), 2U);
  EXPECT_EQ(group.consumers[0].name, "a");
  EXPECT_EQ(group.consumers[0].pending, 2U);
  EXPECT_GE(group.consumers[0].oldest_idle, milliseconds(90'000));
  EXPECT_EQ(group.consumers[0].most_deliveries, 4U);
  EXPECT_EQ(group.consumers[1].pending, 1U);
  EXPECT_LT(group.consumers[1].oldest_idle, milliseconds(60'000));
  EXPECT_EQ(group.consumers[1].most_deliveries, 1U);
}

TEST_F(QueueViewTest, ReadsManyPendingEntriesInPages) {
  ask({"XGROUP", "CREATE", "s", "tidemill", "0", "MKSTREAM"});
  for (int n = 1; n <= 250; ++n) put("9-" + std::to_string(n) + "000000", "b");
  ask({"XREADGROUP", "GROUP", "tidemill", "a", "COUNT", "250", "STREAMS", "s", ">"});
  ask({"XCLAIM", "s", "tidemill", "a", "0", "9-230000000", "IDLE", "90000", "RETRYCOUNT", "7"});
  const auto standing = view_->standing({});
  ASSERT_TRUE(standing) << text_of(standing.error());
  EXPECT_EQ(standing->groups[0].consumers[0].most_deliveries, 7U);
  EXPECT_EQ(standing->groups[0].waiting, 0U);
}

TEST_F(QueueViewTest, ReportsNoWaitingCountWhenTheServerHasNone) {
  put("9-1000000", "1");
  put("9-2000000", "2");
  put("9-3000000", "3");
  ask({"XGROUP", "CREATE", "s", "tidemill", "0"});
  ask({"XDEL", "s", "9-2000000"});
  EXPECT_EQ(view_->standing({})->groups[0].waiting, std::nullopt);
}

TEST_F(QueueViewTest, PagesDeadBatchesInOrderOfFailure) {
  const std::string first = bury("1", "line\nend");
  const std::string second = bury("2");
  bury("3");
  const auto page = view_->dead("", 2, {});
  ASSERT_EQ(page->size(), 2U);
  const DeadBatch& dead = page->front();
  EXPECT_EQ(dead.entry, first);
  EXPECT_EQ(dead.id, "1");
  EXPECT_EQ(dead.source, "7-1000000");
  EXPECT_EQ(dead.reason, "line\nend");
  EXPECT_EQ(dead.consumer, "w1");
  EXPECT_EQ(dead.deliveries, 3U);
  EXPECT_EQ(dead.payload, "{\"id\":1}");
  EXPECT_LT(std::chrono::abs(clock_.wall() - dead.at), std::chrono::minutes(10));
  const auto rest = view_->dead(second, 2, {});
  ASSERT_EQ(rest->size(), 1U);
  EXPECT_EQ(rest->front().id, "3");
  EXPECT_EQ(view_->dead("x", 2, {}).error().step, "usage");
}

TEST_F(QueueViewTest, RetryAppendsADeadBatchAfterTheLastEntry) {
  put("9-1000000", "1");
  put("9-2000000", "2");
  ask({"XDEL", "s", "9-2000000"});  // it was the last, and is done
  const std::string entry = bury("x");
  ASSERT_TRUE(*view_->retry(entry, {}));
  EXPECT_EQ(last(), "9-2000001");
  const auto fields = ask({"XRANGE", "s", "9-2000001", "+"}).items[0].items[1].items;
  EXPECT_EQ(fields[0].text + fields[1].text, "idx");
  EXPECT_EQ(fields[2].text, "at");
  EXPECT_EQ(fields[4].text + fields[5].text, "batch{\"id\":1}");
  EXPECT_EQ(ask({"XLEN", "{s}:dead"}).number, 0);
  EXPECT_FALSE(*view_->retry(entry, {}));
  put("9-3000000", "3");  // the producer's next is not refused
  EXPECT_EQ(last(), "9-3000000");
}

TEST_F(QueueViewTest, RetryFailsWhileNoIdIsFreeBeforeTheNextBatch) {
  put("9-1999998", "1");
  const std::string first = bury("x");
  const std::string second = bury("y");
  EXPECT_TRUE(*view_->retry(first, {}));
  EXPECT_EQ(last(), "9-1999999");
  const auto refused = view_->retry(second, {});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().step, "busy");
  EXPECT_EQ(refused.error().cure, Cure::retry);
  EXPECT_EQ(ask({"XLEN", "{s}:dead"}).number, 1);
  put("9-2000000", "2");
  EXPECT_TRUE(*view_->retry(second, {}));
}

TEST_F(QueueViewTest, RetryRecreatesAMissingStream) {
  ASSERT_TRUE(*view_->retry(bury("x"), {}));
  EXPECT_EQ(last(), "0-1");
}

TEST_F(QueueViewTest, DropRemovesADeadBatch) {
  const std::string entry = bury("x");
  EXPECT_TRUE(*view_->drop(entry, {}));
  EXPECT_FALSE(*view_->drop(entry, {}));
  EXPECT_FALSE(*view_->drop("*", {}));
  EXPECT_FALSE(*view_->retry("-", {}));
  EXPECT_EQ(view_->standing({})->dead, 0U);
}

}  // namespace
}  // namespace tidemill::queue
