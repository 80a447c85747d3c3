// Route: finds the server that has the keys. There is one implementation for each Topology; each
// looks up the server again for every new connection, because it can change.
#pragma once

#include <memory>

#include "tidemill/base/result.h"
#include "tidemill/io/redis/call_deadline.h"
#include "tidemill/io/redis/client.h"
#include "tidemill/io/redis/connection.h"

namespace tidemill::redis {

// One thread.
class Route {
 public:
  virtual ~Route() = default;
  [[nodiscard]] virtual Result<std::unique_ptr<RedisConnection>> connect(
      CallDeadline& deadline) = 0;
  // In a cluster, after a MOVED: the next connect() tries this host first, once.
  virtual void moved_to(const Host& /*host*/) {}
};

// The options and the dialer must outlive it.
[[nodiscard]] std::unique_ptr<Route> route_of(const ClientOptions& options, Dialer& dialer);

[[nodiscard]] std::unique_ptr<Route> single_route(const ClientOptions& options, Dialer& dialer);
[[nodiscard]] std::unique_ptr<Route> sentinel_route(const ClientOptions& options, Dialer& dialer);
[[nodiscard]] std::unique_ptr<Route> cluster_route(const ClientOptions& options, Dialer& dialer);

// The handshake for the server with the keys.
[[nodiscard]] Greeting greeting_of(const ClientOptions& options);

}  // namespace tidemill::redis
