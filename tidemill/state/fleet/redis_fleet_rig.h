// RedisFleetRig: a real Redis server with one run of a fleet, for tests.
#pragma once

#include <array>
#include <chrono>
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "tidemill/base/clock.h"
#include "tidemill/io/redis/address.h"
#include "tidemill/io/redis/client.h"
#include "tidemill/state/fleet/redis_fleet.h"
#include "tidemill/testing/fleet_contract.h"
#include "tidemill/testing/own_folder.h"
#include "tidemill/testing/redis_server.h"

namespace tidemill::fleet {

[[nodiscard]] inline FleetKey new_key() {
  const testing::OwnFolder folder;
  EXPECT_TRUE(FleetKey::create(folder / "key"));
  return FleetKey::read(folder / "key").value();
}

// One thread.
class RedisFleetRig final : public testing::FleetRig {
 public:
  explicit RedisFleetRig(FleetKey key = {}, testing::RedisOptions options = {.on_socket = true})
      : server(std::move(options)),
        place{.fleet = "mill", .run = "run-1", .key = std::move(key)},
        observer_(redis::Client::make(client(), clock).value()) {}

  [[nodiscard]] redis::ClientOptions client(
      std::chrono::milliseconds timeout = std::chrono::seconds(30)) const {
    return {.address = *redis::parse_address(server.url(), redis::Origin::hidden),
            .timeout = timeout};
  }
  [[nodiscard]] redis::Client& new_client(std::chrono::milliseconds timeout) {
    clients_.push_back(redis::Client::make(client(timeout), clock).value());
    return *clients_.back();
  }

  [[nodiscard]] std::unique_ptr<RedisFleet> dispatcher(
      std::chrono::milliseconds timeout = std::chrono::seconds(30)) const {
    return RedisFleet::make(client(timeout), place, clock).value();
  }
  [[nodiscard]] std::unique_ptr<RedisFleetMember> member(
      std::string name, std::chrono::milliseconds timeout = std::chrono::seconds(30)) {
    return std::make_unique<RedisFleetMember>(new_client(timeout), place, std::move(name));
  }

  [[nodiscard]] std::unique_ptr<engine::Fleet> connect() override { return dispatcher(); }
  [[nodiscard]] std::unique_ptr<engine::FleetMember> join(std::string name) override {
    return member(std::move(name));
  }
  void forget() override { (void)call({"FLUSHALL"}); }

  // Nothing waits: everything that the server has of the past becomes older.
  void pass(std::chrono::milliseconds time) override {
    static const redis::Script script(R"lua(
if redis.call('EXISTS', KEYS[1]) == 1 then
  for _, p in ipairs(redis.call('XPENDING', KEYS[1], 'w', '-', '+', 100000)) do
    redis.call('XCLAIM', KEYS[1], 'w', p[2], 0, p[1], 'IDLE', p[3] + ARGV[1], 'JUSTID')
  end
end
local cards = redis.call('HGETALL', KEYS[2])
for i = 1, #cards, 2 do
  local time, card = string.match(cards[i + 1], '^(%d+) (.*)$')
  redis.call('HSET', KEYS[2], cards[i], string.format('%.0f', time - ARGV[1]) .. ' ' .. card)
end
return 1
)lua");
    const FleetRunKeys named(place.fleet, place.run);
    const std::array<std::string_view, 2> names = {named.parcels, named.workers};
    const std::string text = std::to_string(time.count());
    const std::array<std::string_view, 1> arguments = {text};
    const auto passed = observer_->eval(script, names, arguments);
    EXPECT_TRUE(passed) << text_of(passed.error());
  }

  // The reply to one command; an error is a reply of that kind.
  redis::Reply call(std::initializer_list<std::string_view> words) {
    redis::Commands commands;
    commands.add(words);
    auto replies = observer_->ask(commands, {});
    EXPECT_TRUE(replies) << text_of(replies.error());
    return replies ? std::move(replies->front()) : redis::Reply{};
  }

  testing::RedisServer server;
  SystemClock clock;
  FleetPlace place;
  const FleetRunKeys keys{"mill", "run-1"};

 private:
  std::unique_ptr<redis::Client> observer_;
  std::vector<std::unique_ptr<redis::Client>> clients_;
};

}  // namespace tidemill::fleet
