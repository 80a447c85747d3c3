// RedisServer: a real redis-server for one test, on loopback or on a Unix socket.
//
//   TIDEMILL_NEEDS_REDIS();                         // skips the test if there is none
//   RedisServer server;                             // ready when the constructor returns
//   auto client = redis::Client::make({.address = *redis::parse_address(server.url(), …)}, clock);
//   server.kill();  …  server.restart();            // the same port, the same folder
//
// It has its own temporary folder; server and folder are removed with the object, and the server
// dies with the thread that started it, however that ends. If the setup fails, the test program
// prints the server's log and aborts.
#pragma once

#include <gtest/gtest.h>
#include <sys/types.h>

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "tidemill/base/descriptor.h"

#define TIDEMILL_NEEDS_REDIS()           \
  if (!::tidemill::testing::has_redis()) \
  GTEST_SKIP() << "NOT TESTED: there is no redis-server here (Debian: redis-server)"

namespace tidemill::testing {

[[nodiscard]] bool has_redis();

struct RedisOptions {
  bool on_socket = false;               // no port, only a Unix socket
  bool has_tls = false;                 // the port accepts only TLS
  bool keeps = false;                   // append-only file, synced at every write: survives kill()
  bool is_sentinel = false;             // started with --sentinel
  std::string password{};               // of the default user
  std::vector<std::string> settings{};  // more lines of redis.conf
};

// One thread.
class RedisServer {
 public:
  explicit RedisServer(RedisOptions options = {});
  RedisServer(const RedisServer&) = delete;
  RedisServer& operator=(const RedisServer&) = delete;
  ~RedisServer();

  // "redis://127.0.0.1:7001", "rediss://…" or "unix:///tmp/…", without a password.
  [[nodiscard]] std::string url() const;
  [[nodiscard]] std::uint16_t port() const { return port_; }
  [[nodiscard]] const std::string& folder() const { return folder_; }
  // Exists with every option.
  [[nodiscard]] std::string socket() const { return folder_ + "/redis.sock"; }
  [[nodiscard]] pid_t pid() const { return pid_; }  // -1: not running

  void kill();          // SIGKILL; returns when it has ended
  void stop();          // SIGTERM; returns when it has ended
  void freeze() const;  // SIGSTOP: accepts connections and bytes, but does not answer
  void thaw() const;    // SIGCONT
  void restart();       // kill() if it still runs, then start again

  // Sends one command through the socket, on a new connection; returns the raw bytes of the reply:
  // "+PONG\r\n". Empty if the server does not run.
  std::string say(std::initializer_list<std::string_view> words) const;
  // The value of a field of INFO; empty if there is none.
  [[nodiscard]] std::string info(std::string_view field) const;

  // With has_tls: the CA certificate. The server's certificate is for 127.0.0.1, localhost and
  // redis.test.
  [[nodiscard]] std::string authorities() const { return folder_ + "/ca.crt"; }

 private:
  [[nodiscard]] bool start();
  void write_settings() const;
  void end_with(int signal);
  [[noreturn]] void abort_test(const std::string& why) const;

  RedisOptions options_;
  std::string folder_;
  std::uint16_t port_ = 0;
  pid_t pid_ = -1;
  Descriptor pidfd_;
};

// Writes a CA and a server certificate to the folder: ca.crt, server.crt, server.key. False:
// openssl is missing or failed.
[[nodiscard]] bool make_certificates(const std::string& folder);

}  // namespace tidemill::testing
