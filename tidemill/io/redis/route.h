// Route: how the server that has the keys is found. One kind for each Topology; each asks anew
// whenever a connection is wanted, because the answer changes.
#pragma once

#include <memory>

#include "tidemill/base/result.h"
#include "tidemill/io/redis/client.h"
#include "tidemill/io/redis/connection.h"
#include "tidemill/io/redis/patience.h"

namespace tidemill::redis {

// One thread.
class Route {
 public:
  virtual ~Route() = default;
  [[nodiscard]] virtual Result<std::unique_ptr<Connection>> connect(Patience& patience) = 0;
  // Of a cluster: a node says that the keys are there now. To be tried first, once.
  virtual void moved_to(const Host& /*host*/) {}
};

// The options and the dialer must outlive it.
[[nodiscard]] std::unique_ptr<Route> route_of(const ClientOptions& options, Dialer& dialer);

[[nodiscard]] std::unique_ptr<Route> single_route(const ClientOptions& options, Dialer& dialer);
[[nodiscard]] std::unique_ptr<Route> sentinel_route(const ClientOptions& options, Dialer& dialer);
[[nodiscard]] std::unique_ptr<Route> cluster_route(const ClientOptions& options, Dialer& dialer);

// To the server with the keys.
[[nodiscard]] Greeting greeting_of(const ClientOptions& options);

}  // namespace tidemill::redis
