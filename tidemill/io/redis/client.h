// Client: one conversation with the Redis that holds the keys of one job. hiredis parses; the
// socket is ours, so that every call has a deadline, TLS works, and a stop ends any wait.
//
//   ask(commands) ──► connected? else connect: resolve, TLS, AUTH, SELECT, who is master / which
//   slot
//                 ──► all commands are written, all replies are read, by one deadline
//
// A deadline is for the whole call: connecting, writing, reading. No call takes longer than twice
// its deadline, whatever the network does (names are resolved in that time too).
//
// Nothing is ever sent a second time behind the caller's back, except what the server has surely
// not carried out: a pipeline whose every reply is a MOVED or ASK, and an EVALSHA without its
// script (a MOVED in the middle, or inside of MULTI and EXEC, fails with Cure::retry). When the
// connection breaks in the middle, nobody knows what was carried out: the call fails with
// Cure::retry, the connection is gone, and the next call makes a new one. `connections()` tells
// that it is a new one, and a caller for whom that matters looks what the server has.
//
// Failures have the step "redis". Cure::retry: not reachable, timed out, connection lost, LOADING,
// READONLY, CLUSTERDOWN, TRYAGAIN, MASTERDOWN, NOREPLICAS, BUSY, OOM. Cure::give_up: wrong
// password, no permission, no such master, wrong type, a certificate that is not accepted, a reply
// that makes no sense. Cure::resume: stopped; if something was on its way, the connection is gone.
// Kinds: unreachable, timed_out, starting (LOADING), unauthenticated (NOAUTH), wrong_type and
// unsupported (no cluster); else other.
// Reasons name the server, never a secret.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <memory>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "tidemill/base/clock.h"
#include "tidemill/base/result.h"
#include "tidemill/io/redis/address.h"
#include "tidemill/io/redis/reply.h"

namespace tidemill::redis {

// Commands on their way, as the bytes that go out. Reused for pipeline after pipeline; one thread.
class Commands {
 public:
  // One command: its words.
  void add(std::initializer_list<std::string_view> words);
  void add(std::span<const std::string_view> words);
  [[nodiscard]] std::size_t size() const { return count_; }
  [[nodiscard]] std::string_view bytes() const { return bytes_; }
  void clear() {
    bytes_.clear();
    count_ = 0;
  }

 private:
  std::string bytes_;
  std::size_t count_ = 0;
};

// A Lua script and its contract (which KEYS and ARGV), kept beside it. Immutable.
class Script {
 public:
  explicit Script(std::string_view text);
  [[nodiscard]] const std::string& text() const { return text_; }
  [[nodiscard]] const std::string& sha1() const { return sha1_; }

 private:
  std::string text_;
  std::string sha1_;  // in hex
};

struct TlsOptions {
  std::string authorities{};  // a file of certificates; empty: those of the system
  std::string certificate{};  // ours, and its key, if the server wants one
  std::string key{};
  std::string name{};  // that the server's certificate must have; empty: the host
};

struct ClientOptions {
  Address address{};
  TlsOptions tls{};
  // In a cluster: the client talks to the node of this key, and to no other. All keys of a job
  // share a hash tag.
  std::string home{};
  std::string name{};                        // CLIENT SETNAME: so that CLIENT LIST tells who is who
  std::chrono::milliseconds timeout{5'000};  // of a call
  // Of the sentinels themselves. Without: that of the address, for a sentinel that wants one.
  std::string sentinel_user{};
  Secret sentinel_password{};
  // In a cluster: a pipeline that came to a node which has the keys no longer fails (Cure::retry),
  // instead of going to the node that has them. For a caller who must look what that one has before
  // it sends anything there.
  bool fails_on_move = false;
  std::uint64_t seed = 0;  // of the jitter; 0: chance
};

// One thread.
class Client {
 public:
  // Does not connect yet. The clock must outlive it.
  [[nodiscard]] static Result<std::unique_ptr<Client>> make(ClientOptions options,
                                                            const Clock& clock);
  virtual ~Client() = default;

  // All commands, then all replies, in their order. An error of the server is a reply here, unless
  // it is about the connection as a whole (LOADING, READONLY, …). The token is looked at while
  // waiting.
  [[nodiscard]] virtual Result<std::vector<Reply>> ask(const Commands& commands,
                                                       const std::stop_token& stop) = 0;
  // As ask(), but a reply is handed over and forgotten: for long pipelines.
  using OnReply = std::function<void(std::size_t index, const Reply& reply)>;
  [[nodiscard]] virtual Result<void> ask(const Commands& commands, const OnReply& on_reply,
                                         const std::stop_token& stop) = 0;

  // One command; an error of the server is a Failure.
  [[nodiscard]] Result<Reply> call(std::initializer_list<std::string_view> words,
                                   const std::stop_token& stop = {});
  // EVALSHA, and EVAL when the server does not know the script.
  [[nodiscard]] Result<Reply> eval(const Script& script, std::span<const std::string_view> keys,
                                   std::span<const std::string_view> arguments,
                                   const std::stop_token& stop = {});

  // Tries until it is connected, waiting between with backoff and jitter; ends when `until` has
  // come, at a failure that will not pass, or by the token. `on_wait` hears why it waits.
  using OnWait = std::function<void(const Failure&, std::chrono::milliseconds)>;
  [[nodiscard]] virtual Result<void> connect_until(Instant until, const std::stop_token& stop,
                                                   const OnWait& on_wait) = 0;

  // Whether a server has ever answered, be it that it is loading its data: then the address is
  // right, and what fails may pass.
  [[nodiscard]] virtual bool has_answered() const = 0;
  // How often a connection was made.
  [[nodiscard]] virtual std::uint64_t connections() const = 0;
  // "redis://127.0.0.1:6379", of the server in use.
  [[nodiscard]] virtual std::string server() const = 0;
  virtual void disconnect() = 0;
};

// What an error of the server means.
[[nodiscard]] Failure failure_of(std::string_view error, const std::string& server);

}  // namespace tidemill::redis
