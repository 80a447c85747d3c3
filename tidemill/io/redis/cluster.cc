// Route through a cluster: any node knows which node serves a slot.
#include <algorithm>
#include <utility>

#include "tidemill/base/try.h"
#include "tidemill/io/redis/number_of.h"
#include "tidemill/io/redis/redirect.h"
#include "tidemill/io/redis/route.h"

namespace tidemill::redis {
namespace {

constexpr std::size_t kMostKnown = 64;  // nodes; enough to find even a very large cluster

class ClusterRoute final : public Route {
 public:
  ClusterRoute(const ClientOptions& options, Dialer& dialer)
      : options_(options), dialer_(dialer), known_(options.address.hosts) {}

  [[nodiscard]] Result<std::unique_ptr<RedisConnection>> connect(CallDeadline& deadline) override {
    if (const auto hint = std::exchange(hint_, std::nullopt)) {
      const CallDeadline::Share share(deadline, 2);
      auto connection = dial(*hint, deadline);
      if (connection || connection.error().cure != Cure::retry) return connection;
    }
    return search(deadline);
  }

  void moved_to(const Host& host) override { hint_ = host; }

 private:
  // Asks each known node until one names the owner of the slot.
  [[nodiscard]] Result<std::unique_ptr<RedisConnection>> search(CallDeadline& deadline) {
    Failure failure = fail(Cure::retry, "no node of the cluster is reachable").error();
    const std::vector<Host> nodes = known_;  // connect_by() adds to known_
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      const CallDeadline::Share share(deadline, nodes.size() - i);
      auto connection = connect_by(nodes[i], deadline);
      if (connection || connection.error().cure != Cure::retry) return connection;
      failure = std::move(connection).error();
    }
    return std::unexpected(std::move(failure));
  }

  [[nodiscard]] Result<std::unique_ptr<RedisConnection>> connect_by(const Host& node,
                                                                    CallDeadline& deadline) {
    LET(auto connection, dial(node, deadline));
    LET(const Host owner, owner_by(*connection, deadline));
    if (owner == node) return connection;
    return dial(owner, deadline);
  }

  [[nodiscard]] Result<std::unique_ptr<RedisConnection>> dial(const Host& host,
                                                              CallDeadline& deadline) {
    return dialer_.dial({.host = host}, greeting_of(options_), deadline);
  }

  // CLUSTER SLOTS: lists of [first, last, [host, port, …] of the master, … of its replicas].
  [[nodiscard]] Result<Host> owner_by(RedisConnection& connection, CallDeadline& deadline) {
    Commands commands;
    commands.add({"CLUSTER", "SLOTS"});
    Reply answer;
    const RedisConnection::Sink sink = [&](std::size_t, Reply& reply) {
      answer = std::move(reply);
      return true;
    };
    TRY(connection.exchange(commands.bytes(), commands.size(), sink, deadline));
    if (answer.is_error()) return std::unexpected(failure_of(answer.text, connection.name()));
    const std::int64_t slot = slot_of(options_.home);
    std::optional<Host> owner;
    for (const Reply& range : answer.items) {
      const auto host = master_in(range, connection.endpoint().host);
      if (!host) return fail(Cure::give_up, connection.name() + ": invalid slot table");
      learn(*host);
      if (range.items[0].number <= slot && slot <= range.items[1].number) owner = host;
    }
    if (!owner) {
      return fail(Cure::retry, connection.name() + ": no node serves slot " + std::to_string(slot));
    }
    return *owner;
  }

  // A node that does not know its own address omits it: then it is the one that we are connected
  // to.
  [[nodiscard]] static std::optional<Host> master_in(const Reply& range, const Host& speaker) {
    if (range.items.size() < 3 || range.items[2].items.size() < 2) return std::nullopt;
    const Reply& name = range.items[2].items[0];
    const std::int64_t port = range.items[2].items[1].number;
    if (port < 1 || port > 65'535) return std::nullopt;
    const bool is_unknown = name.is_nil() || name.text.empty() || name.text == "?";
    return Host{.name = is_unknown ? speaker.name : name.text,
                .port = static_cast<std::uint16_t>(port)};
  }

  void learn(const Host& host) {
    if (known_.size() < kMostKnown && std::ranges::find(known_, host) == known_.end())
      known_.push_back(host);
  }

  const ClientOptions& options_;
  Dialer& dialer_;
  std::vector<Host> known_;
  std::optional<Host> hint_{};
};

}  // namespace

std::optional<Redirect> redirect_of(std::string_view error) {
  const bool is_for_good = error.starts_with("MOVED ");
  if (!is_for_good && !error.starts_with("ASK ")) return std::nullopt;
  const std::string_view where = error.substr(error.rfind(' ') + 1);
  const std::size_t colon = where.rfind(':');  // the last one: an IPv6 address has several
  if (colon == std::string_view::npos) return std::nullopt;
  const auto port = number_of<std::size_t>(where.substr(colon + 1));
  if (!port || *port == 0 || *port > 65'535) return std::nullopt;
  return Redirect{.is_for_good = is_for_good,
                  .host = {.name = std::string(where.substr(0, colon)),
                           .port = static_cast<std::uint16_t>(*port)}};
}

// The input is our own encoding, "*2\r\n$3\r\nGET\r\n$1\r\nk\r\n", so every number is valid.
std::string with_asking(std::string_view commands) {
  constexpr std::string_view kAsking = "*1\r\n$6\r\nASKING\r\n";
  const auto head = [&](std::size_t from) {
    const std::size_t end = commands.find('\r', from);
    return std::pair(number_of<std::size_t>(commands.substr(from + 1, end - from - 1)).value_or(0),
                     end + 2);
  };
  std::string out;
  while (!commands.empty()) {
    auto [words, end] = head(0);
    for (; words > 0; --words) {
      const auto [size, start] = head(end);
      end = start + size + 2;
    }
    out += kAsking;
    out += commands.substr(0, end);
    commands.remove_prefix(end);
  }
  return out;
}

std::unique_ptr<Route> cluster_route(const ClientOptions& options, Dialer& dialer) {
  return std::make_unique<ClusterRoute>(options, dialer);
}

}  // namespace tidemill::redis
