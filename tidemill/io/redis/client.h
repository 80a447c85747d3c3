// Client: a connection to the Redis server that holds the keys of one job. hiredis only parses; the
// socket is ours, so that every call has a deadline, TLS works, and a stop ends any wait.
//
//   ask(commands) ──► connect if needed: resolve, TLS, AUTH, SELECT, find the master or the slot
//                 ──► write all commands, read all replies, within one deadline
//
// The deadline covers the complete call: connecting, writing, reading. No call takes longer than
// twice its deadline, whatever the network does (host name lookup included).
//
// The client resends only what the server has certainly not executed: a pipeline whose every reply
// is a MOVED or ASK, and an EVALSHA whose script is missing. A MOVED in the middle of a pipeline,
// or inside MULTI and EXEC, fails with Cure::retry. When the connection breaks during a call, it is
// unknown which commands were executed: the call fails with Cure::retry, the connection is dropped,
// and the next call makes a new one. connections() then increases, so that a caller for whom it
// matters can check the state of the server.
//
// Failures have the step "redis". Cure::retry: not reachable, timed out, connection lost, LOADING,
// READONLY, CLUSTERDOWN, TRYAGAIN, MASTERDOWN, NOREPLICAS, BUSY, OOM, MISCONF, too many clients.
// Cure::give_up: wrong password, no permission, no such master, wrong type, a certificate that is
// not accepted, an invalid reply. Cure::resume: stopped; if a call was in progress, the connection
// is dropped. Kinds: unreachable, timed_out, starting (LOADING), unauthenticated (NOAUTH),
// wrong_type and unsupported (cluster support disabled); otherwise other. Reasons name the server,
// never a secret.
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

// A pipeline of commands, encoded as the bytes to send. Reusable. One thread.
class Commands {
 public:
  // Adds one command: its name and arguments.
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

// A Lua script; document its KEYS and ARGV beside it. Immutable.
class Script {
 public:
  explicit Script(std::string_view text);
  [[nodiscard]] const std::string& text() const { return text_; }
  [[nodiscard]] const std::string& sha1() const { return sha1_; }

 private:
  std::string text_;
  std::string sha1_;  // in hex; empty where SHA-1 is disabled
};

struct TlsOptions {
  std::string authorities{};  // a file of CA certificates; empty: those of the system
  std::string certificate{};  // of this client, with `key`, if the server requires one
  std::string key{};
  std::string name{};  // expected in the server's certificate; empty: the host
};

struct ClientOptions {
  RedisAddress address{};
  TlsOptions tls{};
  // In a cluster: a key of the job. The client talks to the node of this key only; all keys of a
  // job share a hash tag.
  std::string home{};
  std::string name{};                        // for CLIENT SETNAME, shown by CLIENT LIST
  std::chrono::milliseconds timeout{5'000};  // per call
  // Credentials for the sentinels. If empty, a sentinel that requires them gets those of the
  // address.
  std::string sentinel_user{};
  HiddenText sentinel_password{};
  // In a cluster: a pipeline sent to a node that no longer has the keys fails (Cure::retry) instead
  // of being redirected. For a caller that must check the state of the new node before it sends
  // anything.
  bool fails_on_move = false;
  std::uint64_t seed = 0;  // of the jitter; 0: random
};

// One thread.
class Client {
 public:
  // Does not connect yet. The clock must outlive it.
  [[nodiscard]] static Result<std::unique_ptr<Client>> make(ClientOptions options,
                                                            const Clock& clock);
  virtual ~Client() = default;

  // Sends all commands and returns all replies, in order. An error from the server is a reply here,
  // unless it is about the server itself (LOADING, READONLY, …). The token is checked while
  // waiting.
  [[nodiscard]] virtual Result<std::vector<Reply>> ask(const Commands& commands,
                                                       const std::stop_token& stop) = 0;
  // The same, but passes each reply to `on_reply` and does not store it: for long pipelines.
  using OnReply = std::function<void(std::size_t index, const Reply& reply)>;
  [[nodiscard]] virtual Result<void> ask(const Commands& commands, const OnReply& on_reply,
                                         const std::stop_token& stop) = 0;

  // Sends one command; an error from the server is a Failure.
  [[nodiscard]] Result<Reply> call(std::initializer_list<std::string_view> words,
                                   const std::stop_token& stop = {});
  // EVALSHA, then EVAL if the server does not have the script.
  [[nodiscard]] Result<Reply> eval(const Script& script, std::span<const std::string_view> keys,
                                   std::span<const std::string_view> arguments,
                                   const std::stop_token& stop = {});

  // Tries to connect, with backoff and jitter between attempts, until it succeeds, a failure is not
  // transient, `until` would pass, or a stop. Calls `on_wait` with the reason before each wait.
  using OnWait = std::function<void(const Failure&, std::chrono::milliseconds)>;
  [[nodiscard]] virtual Result<void> connect_until(Instant until, const std::stop_token& stop,
                                                   const OnWait& on_wait) = 0;

  // Whether a server has ever answered, even with LOADING: then the address is right and failures
  // may be transient.
  [[nodiscard]] virtual bool has_answered() const = 0;
  // Number of connections made so far.
  [[nodiscard]] virtual std::uint64_t connections() const = 0;
  // The current server: "redis://127.0.0.1:6379".
  [[nodiscard]] virtual std::string server() const = 0;
  virtual void disconnect() = 0;
};

// Classifies an error reply of the server.
[[nodiscard]] Failure failure_of(std::string_view error, const std::string& server);

}  // namespace tidemill::redis
