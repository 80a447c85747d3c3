#include "tidemill/io/redis/route.h"

namespace tidemill::redis {
namespace {

class SingleRoute final : public Route {
 public:
  SingleRoute(const ClientOptions& options, Dialer& dialer) : options_(options), dialer_(dialer) {}

  [[nodiscard]] Result<std::unique_ptr<RedisConnection>> connect(CallDeadline& deadline) override {
    const RedisAddress& address = options_.address;
    Endpoint endpoint{.socket = address.socket};
    if (address.socket.empty()) endpoint.host = address.hosts.front();
    return dialer_.dial(endpoint, greeting_of(options_), deadline);
  }

 private:
  const ClientOptions& options_;
  Dialer& dialer_;
};

}  // namespace

Greeting greeting_of(const ClientOptions& options) {
  return {.user = options.address.user,
          .password = options.address.password,
          .database = options.address.database,
          .name = options.name};
}

std::unique_ptr<Route> single_route(const ClientOptions& options, Dialer& dialer) {
  return std::make_unique<SingleRoute>(options, dialer);
}

std::unique_ptr<Route> route_of(const ClientOptions& options, Dialer& dialer) {
  switch (options.address.topology) {
    case Topology::single:
      break;
    case Topology::sentinel:
      return sentinel_route(options, dialer);
    case Topology::cluster:
      return cluster_route(options, dialer);
  }
  return single_route(options, dialer);
}

}  // namespace tidemill::redis
