#include "tidemill/io/redis/connection.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "tidemill/base/try.h"
#include "tidemill/io/redis/client.h"

namespace tidemill::redis {
namespace {

// The server's words are not repeated: one that does not know AUTH echoes what it was given.
Failure refused(const Reply& reply, const std::string& server, const Secret& password) {
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

enum class Said : std::uint8_t { who, database, name, role, ping };

Commands commands_of(const Greeting& greeting, std::vector<Said>& said) {
  Commands commands;
  if (!greeting.user.empty()) {
    commands.add({"AUTH", greeting.user, greeting.password.reveal()});
    said.push_back(Said::who);
  } else if (!greeting.password.is_empty()) {
    commands.add({"AUTH", greeting.password.reveal()});
    said.push_back(Said::who);
  }
  if (greeting.database != 0) {
    commands.add({"SELECT", std::to_string(greeting.database)});
    said.push_back(Said::database);
  }
  if (!greeting.name.empty()) {
    commands.add({"CLIENT", "SETNAME", greeting.name});
    said.push_back(Said::name);
  }
  if (greeting.wants_a_master) {
    commands.add({"ROLE"});
    said.push_back(Said::role);
  }
  commands.add({"PING"});
  said.push_back(Said::ping);
  return commands;
}

// Whoever may not ask for the role is told by READONLY.
bool is_replica(const Reply& role) {
  return role.kind == Reply::Kind::list && !role.items.empty() && role.items[0].text != "master";
}

std::optional<Failure> wrong_with(Said said, const Reply& reply, const Greeting& greeting,
                                  const std::string& server) {
  switch (said) {
    case Said::who:
      if (reply.is_error()) return refused(reply, server, greeting.password);
      break;
    case Said::database:
      if (reply.is_error()) return failure_of(reply.text, server);
      break;
    case Said::name:  // a courtesy
      break;
    case Said::role:
      if (is_replica(reply)) return fail(Cure::retry, server + ": not a master").error();
      break;
    case Said::ping:  // who may not even say that is known all the same
      if (reply.is_error() && !reply.text.starts_with("NOPERM")) {
        return failure_of(reply.text, server);
      }
      break;
  }
  return std::nullopt;
}

}  // namespace

Result<void> Connection::exchange(std::string_view bytes, std::size_t count, const Sink& sink,
                                  const Patience& patience) {
  auto done = talk(bytes, count, sink, patience);
  if (!done && done.error().cure != Cure::resume) {
    done.error().reason = name_ + ": " + done.error().reason;
  }
  return done;
}

Result<void> Connection::talk(std::string_view bytes, std::size_t count, const Sink& sink,
                              const Patience& patience) {
  std::size_t heard = 0;
  Flow flow = Flow::going;
  while (flow == Flow::going || !bytes.empty()) {
    if (auto written = write(bytes); !written) {
      // A server that hung up may have said why.
      auto last = hear(heard, count, sink);
      if (last && *last == Flow::left) return {};
      const bool says_why = !last && last.error().cure == Cure::give_up;
      return std::unexpected(says_why ? std::move(last).error() : std::move(written).error());
    }
    if (bytes.empty() && flow == Flow::done) break;
    TRY(wire_.wait(!bytes.empty(), patience));
    LET(flow, hear(heard, count, sink));
    if (flow == Flow::left) return {};
  }
  if (!parser_.is_empty()) return fail(Cure::give_up, "unexpected reply");
  return {};
}

Result<void> Connection::write(std::string_view& bytes) {
  while (!bytes.empty()) {
    LET(const std::size_t size, wire_.write(bytes));
    if (size == 0) break;
    bytes.remove_prefix(size);
  }
  return {};
}

Result<Connection::Flow> Connection::hear(std::size_t& heard, std::size_t count, const Sink& sink) {
  std::size_t size = 0;
  do {
    LET(size, wire_.read(block_));
    if (size == 0) break;
    TRY(parser_.feed({block_.data(), size}));
    while (heard < count) {
      LET(Reply* const reply, parser_.next());
      if (reply == nullptr) break;
      if (!sink(heard++, *reply)) return Flow::left;
    }
  } while (heard < count && wire_.has_more(size, block_.size()));
  return heard == count ? Flow::done : Flow::going;
}

Result<void> Connection::greet(const Greeting& greeting, const Patience& patience) {
  std::vector<Said> said;
  const Commands commands = commands_of(greeting, said);
  std::optional<Failure> failure;
  const Sink sink = [&](std::size_t index, const Reply& reply) {
    failure = wrong_with(said[index], reply, greeting, name_);
    return !failure.has_value();
  };
  TRY(exchange(commands.bytes(), commands.size(), sink, patience));
  if (!failure) return {};
  const std::string& secret = greeting.password.reveal();
  // failure text: the secret must not be in it
  if (!secret.empty() && failure->reason.contains(secret)) failure->reason = name_ + ": refused";
  return std::unexpected(*std::move(failure));
}

std::string Dialer::name_of(const Endpoint& endpoint) const {
  Address address{.has_tls = tls_.has_value(), .socket = endpoint.socket};
  address.hosts = {endpoint.host};
  return text_of(address);
}

Result<std::unique_ptr<Connection>> Dialer::dial(const Endpoint& endpoint, const Greeting& greeting,
                                                 Patience& patience) {
  const std::string name = name_of(endpoint);
  const bool is_plain = !tls_ || !endpoint.socket.empty();
  auto wire = Wire::connect(endpoint, is_plain ? nullptr : &*tls_, resolver_, patience);
  if (!wire) {
    Failure failure = std::move(wire).error();
    if (failure.cure != Cure::resume) failure.reason = name + ": " + failure.reason;
    return std::unexpected(std::move(failure));
  }
  auto connection = std::make_unique<Connection>(name, endpoint, *std::move(wire));
  TRY(connection->greet(greeting, patience));
  return connection;
}

}  // namespace tidemill::redis
