#include "tidemill/io/redis/connection.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "tidemill/base/try.h"
#include "tidemill/io/redis/client.h"

namespace tidemill::redis {
namespace {

// Does not repeat the server's message: a server without AUTH echoes its arguments.
Failure refused(const Reply& reply, const std::string& server, const HiddenText& password) {
  Failure failure = failure_of(reply.text, server);
  if (failure.cure == Cure::retry) return failure;
  const std::string_view word = std::string_view(reply.text).substr(0, reply.text.find(' '));
  const bool is_code =
      word.size() <= 16 && std::ranges::all_of(word, [](char c) { return c >= 'A' && c <= 'Z'; });
  failure.reason = server + ": invalid user or password";
  if (is_code && word != password.reveal()) failure.reason += " (" + std::string(word) + ")";
  failure.hint = "check the user and the password";
  return failure;
}

enum class HandshakeStep : std::uint8_t { who, database, name, role, ping };

Commands commands_of(const Greeting& greeting, std::vector<HandshakeStep>& steps) {
  Commands commands;
  if (!greeting.user.empty()) {
    commands.add({"AUTH", greeting.user, greeting.password.reveal()});
    steps.push_back(HandshakeStep::who);
  } else if (!greeting.password.is_empty()) {
    commands.add({"AUTH", greeting.password.reveal()});
    steps.push_back(HandshakeStep::who);
  }
  if (greeting.database != 0) {
    commands.add({"SELECT", std::to_string(greeting.database)});
    steps.push_back(HandshakeStep::database);
  }
  if (!greeting.name.empty()) {
    commands.add({"CLIENT", "SETNAME", greeting.name});
    steps.push_back(HandshakeStep::name);
  }
  if (greeting.wants_a_master) {
    commands.add({"ROLE"});
    steps.push_back(HandshakeStep::role);
  }
  commands.add({"PING"});
  steps.push_back(HandshakeStep::ping);
  return commands;
}

// If ROLE is not permitted, a replica shows later, by READONLY.
bool is_replica(const Reply& role) {
  return role.kind == Reply::Kind::list && !role.items.empty() && role.items[0].text != "master";
}

std::optional<Failure> failure_in(HandshakeStep step, const Reply& reply, const Greeting& greeting,
                                  const std::string& server) {
  switch (step) {
    case HandshakeStep::who:
      if (reply.is_error()) return refused(reply, server, greeting.password);
      break;
    case HandshakeStep::database:
      if (reply.is_error()) return failure_of(reply.text, server);
      break;
    case HandshakeStep::name:  // optional: an error is ignored
      break;
    case HandshakeStep::role:
      if (is_replica(reply)) return fail(Cure::retry, server + ": not a master").error();
      break;
    case HandshakeStep::ping:  // NOPERM: authenticated, but without permission for PING
      if (reply.is_error() && !reply.text.starts_with("NOPERM")) {
        return failure_of(reply.text, server);
      }
      break;
  }
  return std::nullopt;
}

}  // namespace

Result<void> RedisConnection::exchange(std::string_view bytes, std::size_t count, const Sink& sink,
                                       const CallDeadline& deadline) {
  auto done = talk(bytes, count, sink, deadline);
  if (!done && done.error().cure != Cure::resume) {
    done.error().reason = name_ + ": " + done.error().reason;
  }
  return done;
}

Result<void> RedisConnection::talk(std::string_view bytes, std::size_t count, const Sink& sink,
                                   const CallDeadline& deadline) {
  std::size_t received = 0;
  Flow flow = Flow::going;
  while (flow == Flow::going || !bytes.empty()) {
    if (auto written = write(bytes); !written) {
      // A server that closed the connection may have sent the reason first.
      auto last = receive(received, count, sink);
      if (last && *last == Flow::left) return {};
      const bool says_why = !last && last.error().cure == Cure::give_up;
      return std::unexpected(says_why ? std::move(last).error() : std::move(written).error());
    }
    if (bytes.empty() && flow == Flow::done) break;
    TRY(transport_.wait(!bytes.empty(), deadline));
    LET(flow, receive(received, count, sink));
    if (flow == Flow::left) return {};
  }
  if (!parser_.is_empty()) return fail(Cure::give_up, "unexpected reply");
  return {};
}

Result<void> RedisConnection::write(std::string_view& bytes) {
  while (!bytes.empty()) {
    LET(const std::size_t size, transport_.write(bytes));
    if (size == 0) break;
    bytes.remove_prefix(size);
  }
  return {};
}

Result<RedisConnection::Flow> RedisConnection::receive(std::size_t& received, std::size_t count,
                                                       const Sink& sink) {
  std::size_t size = 0;
  do {
    LET(size, transport_.read(block_));
    if (size == 0) break;
    TRY(parser_.feed({block_.data(), size}));
    while (received < count) {
      LET(Reply* const reply, parser_.next());
      if (reply == nullptr) break;
      if (!sink(received++, *reply)) return Flow::left;
    }
  } while (received < count && transport_.has_more(size, block_.size()));
  return received == count ? Flow::done : Flow::going;
}

Result<void> RedisConnection::greet(const Greeting& greeting, const CallDeadline& deadline) {
  std::vector<HandshakeStep> steps;
  const Commands commands = commands_of(greeting, steps);
  std::optional<Failure> failure;
  const Sink sink = [&](std::size_t index, const Reply& reply) {
    failure = failure_in(steps[index], reply, greeting, name_);
    return !failure.has_value();
  };
  TRY(exchange(commands.bytes(), commands.size(), sink, deadline));
  if (!failure) return {};
  const std::string& secret = greeting.password.reveal();
  // failure text: the secret must not be in it
  if (!secret.empty() && failure->reason.contains(secret)) failure->reason = name_ + ": refused";
  return std::unexpected(*std::move(failure));
}

std::string Dialer::name_of(const Endpoint& endpoint) const {
  RedisAddress address{.has_tls = tls_.has_value(), .socket = endpoint.socket};
  address.hosts = {endpoint.host};
  return text_of(address);
}

Result<std::unique_ptr<RedisConnection>> Dialer::dial(const Endpoint& endpoint,
                                                      const Greeting& greeting,
                                                      CallDeadline& deadline) {
  const std::string name = name_of(endpoint);
  const bool is_plain = !tls_ || !endpoint.socket.empty();
  auto transport = Transport::connect(endpoint, is_plain ? nullptr : &*tls_, resolver_, deadline);
  if (!transport) {
    Failure failure = std::move(transport).error();
    if (failure.cure != Cure::resume) failure.reason = name + ": " + failure.reason;
    return std::unexpected(std::move(failure));
  }
  auto connection = std::make_unique<RedisConnection>(name, endpoint, *std::move(transport));
  TRY(connection->greet(greeting, deadline));
  return connection;
}

}  // namespace tidemill::redis
