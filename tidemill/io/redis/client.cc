#include "tidemill/io/redis/client.h"

#include <sys/eventfd.h>
#include <sys/random.h>

#include <algorithm>
#include <cerrno>
#include <optional>
#include <utility>

#include "tidemill/base/descriptor.h"
#include "tidemill/base/dice.h"
#include "tidemill/base/guarded.h"
#include "tidemill/base/try.h"
#include "tidemill/io/redis/call_deadline.h"
#include "tidemill/io/redis/connection.h"
#include "tidemill/io/redis/pipelined_exchange.h"
#include "tidemill/io/redis/route.h"

namespace tidemill::redis {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kFirstPause{200};
constexpr milliseconds kLongestPause{5'000};
constexpr int kMostMoves = 5;

std::uint64_t seed_of(std::uint64_t seed_option) {
  if (seed_option != 0) return seed_option;
  std::uint64_t seed = 0;
  (void)!::getrandom(&seed, sizeof seed, GRND_NONBLOCK);
  return seed;
}

class NetworkClient final : public Client {
 public:
  NetworkClient(ClientOptions options, const Clock& clock, Descriptor bell, std::optional<Tls> tls)
      : options_(std::move(options)),
        clock_(clock),
        bell_(std::move(bell)),
        dialer_(std::move(tls)),
        route_(route_of(options_, dialer_)),
        dice_(seed_of(options_.seed)) {}

  [[nodiscard]] Result<std::vector<Reply>> ask(const Commands& commands,
                                               const std::stop_token& stop) override {
    std::vector<Reply> replies;
    replies.reserve(commands.size());
    TRY(run_pipeline(
        commands, [&](std::size_t, Reply& reply) { replies.push_back(std::move(reply)); }, stop));
    return replies;
  }

  [[nodiscard]] Result<void> ask(const Commands& commands, const OnReply& on_reply,
                                 const std::stop_token& stop) override {
    return run_pipeline(
        commands, [&](std::size_t index, Reply& reply) { on_reply(index, reply); }, stop);
  }

  [[nodiscard]] Result<void> connect_until(Instant until, const std::stop_token& stop,
                                           const OnWait& on_wait) override {
    milliseconds ceiling = kFirstPause;
    while (true) {
      const auto left = std::chrono::ceil<milliseconds>(until - clock_.now());
      CallDeadline deadline(clock_, std::clamp(left, milliseconds(1), options_.timeout), stop,
                            bell_.number());
      auto done = connect(deadline);
      if (done || done.error().cure != Cure::retry) return done;
      const milliseconds pause(
          static_cast<milliseconds::rep>(dice_.draw() * static_cast<double>(ceiling.count())));
      ceiling = std::min(ceiling * 2, kLongestPause);
      const Instant again = clock_.now() + pause;
      if (again >= until) return done;
      if (on_wait) on_wait(done.error(), pause);
      TRY(pause_until(again, stop));
    }
  }

  [[nodiscard]] bool has_answered() const override { return has_answered_; }
  [[nodiscard]] std::uint64_t connections() const override { return connections_; }
  [[nodiscard]] std::string server() const override { return server_; }
  void disconnect() override { connection_.reset(); }

 private:
  [[nodiscard]] Result<void> connect(CallDeadline& deadline) {
    TRY(deadline.check());
    if (connection_ != nullptr) return {};
    auto made = route_->connect(deadline);
    has_answered_ = has_answered_ || made || made.error().kind == FailureKind::starting;
    if (!made) return std::unexpected(std::move(made).error());
    connection_ = *std::move(made);
    ++connections_;
    server_ = connection_->name();
    return {};
  }

  [[nodiscard]] Result<void> pause_until(Instant until, const std::stop_token& stop) const {
    Guarded<bool> is_stopped;
    const std::stop_callback wake(stop, [&] { is_stopped.update([](bool& is) { is = true; }); });
    if (is_stopped.lock().wait_until(clock_, until, [](bool is) { return is; })) {
      return fail_stopped();
    }
    return {};
  }

  [[nodiscard]] Result<void> run_pipeline(const Commands& commands, const Taker& taker,
                                          const std::stop_token& stop) {
    if (commands.size() == 0) return {};
    CallDeadline deadline(clock_, options_.timeout, stop, bell_.number());
    for (int moves = 0; moves <= kMostMoves; ++moves) {
      TRY(connect(deadline));
      LET(const auto redirect, send(commands, taker, deadline));
      if (!redirect) return {};
      if (!redirect->is_for_good) return send_asking(commands, *redirect, taker, deadline);
      route_->moved_to(redirect->host);
      connection_.reset();
      if (options_.fails_on_move) {
        return fail(Cure::retry, server_ + ": the keys have moved to another node");
      }
    }
    return fail(Cure::retry, server_ + ": sent from node to node");
  }

  // Returns a redirect when none of the commands was executed.
  [[nodiscard]] Result<std::optional<Redirect>> send(const Commands& commands, const Taker& taker,
                                                     const CallDeadline& deadline) {
    PipelinedExchange exchange(*connection_, taker, options_.address.topology == Topology::cluster);
    auto done = exchange.run(commands.bytes(), commands.size(), deadline);
    if (!done) connection_.reset();
    return done;
  }

  // The slot is being migrated: sends this one pipeline to the target node, and keeps the current
  // connection, because the slot does not belong to the target yet.
  [[nodiscard]] Result<void> send_asking(const Commands& commands, const Redirect& redirect,
                                         const Taker& taker, CallDeadline& deadline) {
    LET(const auto there, dialer_.dial({.host = redirect.host}, greeting_of(options_), deadline));
    const Taker every_second = [&](std::size_t index, Reply& reply) {
      if (index % 2 == 1) taker(index / 2, reply);
    };
    PipelinedExchange exchange(*there, every_second, true);
    LET(const auto again,
        exchange.run(with_asking(commands.bytes()), commands.size() * 2, deadline));
    if (again)
      return fail(Cure::retry, there->name() + ": the keys are being moved to another node");
    return {};
  }

  const ClientOptions options_;
  const Clock& clock_;
  const Descriptor bell_;
  Dialer dialer_;
  const std::unique_ptr<Route> route_;
  SeededDice dice_;
  std::unique_ptr<RedisConnection> connection_{};
  std::uint64_t connections_ = 0;
  bool has_answered_ = false;
  std::string server_ = text_of(options_.address);
};

}  // namespace

Result<std::unique_ptr<Client>> Client::make(ClientOptions options, const Clock& clock) {
  const RedisAddress& address = options.address;
  const bool is_socket = address.topology == Topology::single && !address.socket.empty();
  if (address.hosts.empty() && !is_socket) return fail(Cure::give_up, "no server given");
  if (address.topology == Topology::cluster && options.home.empty()) {
    return fail(Cure::give_up, "a cluster client needs a key");
  }
  options.timeout = std::max(options.timeout, milliseconds(1));
  Descriptor bell(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  if (!bell.is_open()) return fail_errno("eventfd", errno);
  std::optional<Tls> tls;
  if (address.has_tls) {
    LET(tls, Tls::make(options.tls));
  }
  return std::make_unique<NetworkClient>(std::move(options), clock, std::move(bell),
                                         std::move(tls));
}

Result<Reply> Client::call(std::initializer_list<std::string_view> words,
                           const std::stop_token& stop) {
  Commands commands;
  commands.add(words);
  LET(auto replies, ask(commands, stop));
  if (replies.front().is_error()) {
    return std::unexpected(failure_of(replies.front().text, server()));
  }
  return std::move(replies.front());
}

Result<Reply> Client::eval(const Script& script, std::span<const std::string_view> keys,
                           std::span<const std::string_view> arguments,
                           const std::stop_token& stop) {
  const std::string count = std::to_string(keys.size());
  std::vector<std::string_view> words = {"EVALSHA", script.sha1(), count};
  words.insert(words.end(), keys.begin(), keys.end());
  words.insert(words.end(), arguments.begin(), arguments.end());
  Commands commands;
  commands.add(words);
  LET(auto replies, ask(commands, stop));
  if (replies.front().is_error() && replies.front().text.starts_with("NOSCRIPT")) {
    words[0] = "EVAL";
    words[1] = script.text();
    commands.clear();
    commands.add(words);
    LET(replies, ask(commands, stop));
  }
  if (replies.front().is_error()) {
    return std::unexpected(failure_of(replies.front().text, server()));
  }
  return std::move(replies.front());
}

}  // namespace tidemill::redis
