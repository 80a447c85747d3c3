// Route through sentinels: asks a sentinel for the master, then verifies the role with the master
// itself.
#include <algorithm>
#include <charconv>
#include <utility>

#include "tidemill/base/try.h"
#include "tidemill/io/redis/route.h"

namespace tidemill::redis {
namespace {

class SentinelRoute final : public Route {
 public:
  SentinelRoute(const ClientOptions& options, Dialer& dialer)
      : options_(options), dialer_(dialer), sentinels_(options.address.hosts) {}

  // Tries the sentinels in turn, beginning with the one that worked last. An outdated sentinel
  // names a server that is not the master any more: the next one may be current. If all fail,
  // returns the failure of the attempt that got furthest.
  [[nodiscard]] Result<std::unique_ptr<RedisConnection>> connect(CallDeadline& deadline) override {
    Failure failure = fail(Cure::retry, "no sentinel is reachable").error();
    bool was_named = false;
    for (std::size_t left = sentinels_.size(); left > 0; --left) {
      const CallDeadline::Share share(deadline, left);
      auto master = master_by(sentinels_.front(), deadline);
      if (master) {
        auto connection = connect_to(*master, deadline);
        if (connection || connection.error().cure != Cure::retry) return connection;
        failure = std::move(connection).error();
        was_named = true;
      } else {
        if (master.error().cure == Cure::resume) return std::unexpected(std::move(master).error());
        const bool is_first = left == sentinels_.size();
        const bool knows_none = !was_named && master.error().cure == Cure::give_up;
        if (is_first || knows_none) failure = std::move(master).error();
      }
      std::ranges::rotate(sentinels_, sentinels_.begin() + 1);
    }
    return std::unexpected(std::move(failure));
  }

 private:
  [[nodiscard]] Result<std::unique_ptr<RedisConnection>> connect_to(const Host& master,
                                                                    CallDeadline& deadline) {
    Greeting greeting = greeting_of(options_);
    greeting.wants_a_master = true;
    return dialer_.dial({.host = master}, greeting, deadline);
  }

  [[nodiscard]] Result<Host> master_by(const Host& sentinel, CallDeadline& deadline) {
    const CallDeadline::Share half(deadline, 2);  // the other half is for the master
    LET(const auto connection, greeted(sentinel, deadline));
    Commands commands;
    commands.add({"SENTINEL", "get-master-addr-by-name", options_.address.master});
    Reply answer;
    const RedisConnection::Sink sink = [&](std::size_t, Reply& reply) {
      answer = std::move(reply);
      return true;
    };
    TRY(connection->exchange(commands.bytes(), commands.size(), sink, deadline));
    if (answer.is_error()) {
      return std::unexpected(failure_of(answer.text, connection->name()));
    }
    if (answer.is_nil()) {
      return fail(Cure::give_up, connection->name() + ": the sentinel does not know the master \"" +
                                     options_.address.master + "\"");
    }
    return host_in(answer, connection->name());
  }

  [[nodiscard]] static Result<Host> host_in(const Reply& answer, const std::string& server) {
    if (answer.items.size() == 2) {
      Host host{.name = answer.items[0].text};
      const std::string& port = answer.items[1].text;
      const auto [end, error] = std::from_chars(port.data(), port.data() + port.size(), host.port);
      if (error == std::errc{} && end == port.data() + port.size() && !host.name.empty()) {
        return host;
      }
    }
    return fail(Cure::give_up, server + ": invalid reply of a sentinel");
  }

  // Sentinels have their own credentials, or none. If one requires a password and no sentinel
  // password is set, uses the credentials of the URL.
  [[nodiscard]] Result<std::unique_ptr<RedisConnection>> greeted(const Host& sentinel,
                                                                 CallDeadline& deadline) {
    const Greeting greeting{.user = options_.sentinel_user,
                            .password = options_.sentinel_password,
                            .name = options_.name};
    auto connection = dialer_.dial({.host = sentinel}, greeting, deadline);
    const bool wants_one = !connection && connection.error().cure == Cure::give_up &&
                           connection.error().kind == FailureKind::unauthenticated;
    const RedisAddress& address = options_.address;
    if (!wants_one || !greeting.password.is_empty() || address.password.is_empty()) {
      return connection;
    }
    return dialer_.dial({.host = sentinel},
                        {.user = address.user, .password = address.password, .name = options_.name},
                        deadline);
  }

  const ClientOptions& options_;
  Dialer& dialer_;
  std::vector<Host> sentinels_;  // the next one to ask is first
};

}  // namespace

std::unique_ptr<Route> sentinel_route(const ClientOptions& options, Dialer& dialer) {
  return std::make_unique<SentinelRoute>(options, dialer);
}

}  // namespace tidemill::redis
