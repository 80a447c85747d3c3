#include "tidemill/testing/redis_fleet.h"

#include <poll.h>

#include <algorithm>
#include <cstdlib>
#include <iostream>

#include "tidemill/testing/eventually.h"

namespace tidemill::testing {
namespace {

constexpr std::uint16_t kSlots = 16'384;

// A fleet needs seconds to agree, so it is polled at intervals.
template <class Condition>
void wait_for(std::string_view what, Condition condition) {
  const auto is_so = [&] { return condition() || (::poll(nullptr, 0, 10), false); };
  if (eventually(is_so)) return;
  std::cerr << "a fleet of redis-servers: " << what << " did not come about\n";
  std::abort();
}

std::string host_of(const RedisServer& server) {
  return "127.0.0.1:" + std::to_string(server.port());
}

// "$9\r\nsome text\r\n" -> "some text".
std::string text_in(const std::string& reply) {
  const std::size_t start = reply.find('\n') + 1;
  return reply.substr(start, reply.rfind('\r') - start);
}

// The value after a field of a list: "…$10\r\nnum-slaves\r\n$1\r\n1\r\n…".
std::string field_in(const std::string& reply, const std::string& field) {
  const std::size_t found = reply.find("\r\n" + field + "\r\n$");
  if (found == std::string::npos) return "";
  const std::size_t start = reply.find('\n', found + field.size() + 4) + 1;
  return reply.substr(start, reply.find('\r', start) - start);
}

}  // namespace

RedisSentinels::RedisSentinels(const RedisOptions& options) {
  first_ = std::make_unique<RedisServer>(options);
  RedisOptions replica = options;
  replica.settings.push_back("replicaof 127.0.0.1 " + std::to_string(first_->port()));
  second_ = std::make_unique<RedisServer>(replica);
  wait_for("a replica's link", [&] { return second_->info("master_link_status") == "up"; });

  RedisOptions watch{.is_sentinel = true};
  watch.settings = {
      "sentinel monitor mill 127.0.0.1 " + std::to_string(first_->port()) + " 2",
      "sentinel down-after-milliseconds mill 3000",
      "sentinel failover-timeout mill 3000",
  };
  for (auto& sentinel : sentinels_) sentinel = std::make_unique<RedisServer>(watch);
  wait_for("an agreement of the sentinels", [&] {
    return std::ranges::all_of(sentinels_, [](const auto& sentinel) {
      const std::string seen = sentinel->say({"SENTINEL", "MASTER", "mill"});
      return field_in(seen, "num-other-sentinels") == "2" && field_in(seen, "num-slaves") == "1";
    });
  });
}

std::string RedisSentinels::url() const {
  return "redis+sentinel://" + host_of(*sentinels_[0]) + "," + host_of(*sentinels_[1]) + "," +
         host_of(*sentinels_[2]) + "/mill";
}

RedisCluster::RedisCluster(const RedisOptions& options) {
  RedisOptions node = options;
  node.settings.insert(node.settings.end(), {"cluster-enabled yes", "cluster-node-timeout 30000",
                                             "cluster-require-full-coverage no"});
  for (std::size_t i = 0; i < kNodes; ++i) nodes_.push_back(std::make_unique<RedisServer>(node));
  for (std::size_t i = 0; i < kNodes; ++i) {
    const std::size_t first = (kSlots * i + kNodes - 1) / kNodes;
    const std::size_t end = (kSlots * (i + 1) + kNodes - 1) / kNodes;
    nodes_[i]->say({"CLUSTER", "SET-CONFIG-EPOCH", std::to_string(i + 1)});
    nodes_[i]->say({"CLUSTER", "ADDSLOTSRANGE", std::to_string(first), std::to_string(end - 1)});
    nodes_[0]->say({"CLUSTER", "MEET", "127.0.0.1", std::to_string(nodes_[i]->port())});
  }
  wait_for("a cluster", [&] {
    return std::ranges::all_of(nodes_, [](const auto& one) {
      const std::string seen = one->say({"CLUSTER", "INFO"});
      return seen.contains("cluster_state:ok") && seen.contains("cluster_slots_assigned:16384") &&
             seen.contains("cluster_known_nodes:3");
    });
  });
}

std::string RedisCluster::url() const {
  return "redis+cluster://" + host_of(*nodes_[0]) + "," + host_of(*nodes_[1]) + "," +
         host_of(*nodes_[2]);
}

std::size_t RedisCluster::owner_of(std::uint16_t slot) { return slot * kNodes / kSlots; }

std::string RedisCluster::id_of(std::size_t index) const {
  return text_in(nodes_.at(index)->say({"CLUSTER", "MYID"}));
}

void RedisCluster::give(std::uint16_t slot, std::size_t to) {
  const std::string id = id_of(to);
  nodes_.at(to)->say({"CLUSTER", "SETSLOT", std::to_string(slot), "NODE", id});
  for (const auto& node : nodes_) {
    node->say({"CLUSTER", "SETSLOT", std::to_string(slot), "NODE", id});
  }
}

}  // namespace tidemill::testing
