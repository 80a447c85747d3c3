// StreamRig: a Redis server with a stream "files", and producers for it.
#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tidemill/base/clock.h"
#include "tidemill/io/redis/address.h"
#include "tidemill/state/queue/redis_outlet.h"
#include "tidemill/testing/recording_log.h"
#include "tidemill/testing/redis_server.h"

namespace tidemill::testing {

// A producer that generates its batches: number 7 has the id b7 and always the same contents.
// One thread.
class StreamProducer {
 public:
  explicit StreamProducer(std::unique_ptr<queue::Outlet> outlet) : outlet_(std::move(outlet)) {}

  Result<std::optional<queue::Standing>> open() {
    auto standing = outlet_->open({});
    if (standing) last_ = *standing ? (*standing)->last : 0;
    return standing;
  }

  // Sends the next `count` batches.
  Result<void> send(std::uint64_t count, std::string_view cursor = "at", std::size_t size = 20) {
    std::vector<std::string> texts;
    for (std::uint64_t i = 1; i <= count; ++i) {
      texts.push_back("b" + std::to_string(last_ + i));
      texts.push_back("{\"id\":\"" + texts.back() + "\"" + std::string(size, ' ') + "}");
    }
    std::vector<queue::Parcel> parcels;
    for (std::uint64_t i = 0; i < count; ++i) {
      parcels.push_back({.number = last_ + i + 1,
                         .id = texts[2 * i],
                         .payload = texts[2 * i + 1],
                         .cursor = cursor});
    }
    auto sent = outlet_->send(parcels, {});
    if (!sent) return std::unexpected(sent.error());
    last_ += count;
    return {};
  }

  [[nodiscard]] std::uint64_t last() const { return last_; }
  queue::Outlet* operator->() const { return outlet_.get(); }

 private:
  std::unique_ptr<queue::Outlet> outlet_;
  std::uint64_t last_ = 0;
};

// One thread.
class StreamRig {
 public:
  explicit StreamRig(RedisOptions options = {.on_socket = true}) : server(std::move(options)) {}

  [[nodiscard]] redis::ClientOptions client() const {
    return {.address = *redis::parse_address(server.url(), redis::Origin::hidden),
            .timeout = std::chrono::seconds(30)};
  }

  // Long leases: no test waits for one to expire.
  [[nodiscard]] StreamProducer producer(const std::string& run, const std::string& job = "job",
                                        std::chrono::milliseconds term = std::chrono::minutes(5)) {
    return producer({.client = client(),
                     .job = job,
                     .run = run,
                     .owner = "host-of-" + run + ":1",
                     .lease = term});
  }
  [[nodiscard]] StreamProducer producer(queue::OutletOptions options) {
    auto outlet = queue::make_stream_outlet(std::move(options), {.stream = "files"}, clock, log);
    if (!outlet) ADD_FAILURE() << text_of(outlet.error());
    return StreamProducer(std::move(outlet).value());
  }

  // As if the lease had expired.
  void end_lease() const { server.say({"DEL", "{files}:lease"}); }

  // Everything that a producer may change, as raw bytes.
  [[nodiscard]] std::string contents() const {
    return server.say({"XINFO", "STREAM", "files"}) + server.say({"XRANGE", "files", "-", "+"}) +
           server.say({"HGETALL", "{files}:progress"});
  }

  // The batches in the stream: "b1 b2 b3".
  [[nodiscard]] std::string batches() {
    const auto asked =
        redis::Client::make(client(), clock).value()->call({"XRANGE", "files", "-", "+"});
    std::string ids;
    if (!asked) return text_of(asked.error());
    for (const redis::Reply& entry : asked->items) {
      const auto& fields = entry.items.at(1).items;
      if (fields.at(0).text == "id") ids += (ids.empty() ? "" : " ") + fields.at(1).text;
    }
    return ids;
  }

  RedisServer server;
  SystemClock clock;
  RecordingLog log;
};

}  // namespace tidemill::testing
