// Several real Redis servers: a master with its replica and three sentinels, or a cluster. They are
// ready when the constructor returns: linked, known to each other, all slots served.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "tidemill/testing/redis_server.h"

namespace tidemill::testing {

// One thread. The sentinels start a failover after three seconds without an answer: with a shorter
// time, a busy machine could cause one.
class RedisSentinels {
 public:
  explicit RedisSentinels(const RedisOptions& options = {});

  [[nodiscard]] std::string url() const;  // "redis+sentinel://127.0.0.1:1,127.0.0.1:2,…/mill"
  [[nodiscard]] RedisServer& first() { return *first_; }    // master at the start
  [[nodiscard]] RedisServer& second() { return *second_; }  // its replica
  [[nodiscard]] RedisServer& sentinel(std::size_t index) { return *sentinels_.at(index); }

 private:
  std::unique_ptr<RedisServer> first_;
  std::unique_ptr<RedisServer> second_;
  std::array<std::unique_ptr<RedisServer>, 3> sentinels_;
};

// One thread. Three masters without replicas.
class RedisCluster {
 public:
  static constexpr std::size_t kNodes = 3;

  explicit RedisCluster(const RedisOptions& options = {});

  [[nodiscard]] std::string url() const;  // "redis+cluster://127.0.0.1:1,…"
  [[nodiscard]] RedisServer& node(std::size_t index) { return *nodes_.at(index); }
  // The node that serves a slot at the start: a third of the slots each, in order.
  [[nodiscard]] static std::size_t owner_of(std::uint16_t slot);
  // Moves a slot, which must be empty, to another node.
  void give(std::uint16_t slot, std::size_t to);
  [[nodiscard]] std::string id_of(std::size_t index) const;

 private:
  std::vector<std::unique_ptr<RedisServer>> nodes_;
};

}  // namespace tidemill::testing
