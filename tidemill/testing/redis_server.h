// RedisServer: a real redis-server for one test, on loopback or in a socket of the file system.
//
//   TIDEMILL_NEEDS_REDIS();                         // skips, loudly, where there is none
//   RedisServer server;                             // answers when the constructor returns
//   auto client = redis::Client::make({.address = *redis::parse_address(server.url(), …)}, clock);
//   server.kill();  …  server.restart();            // the same port, the same folder
//
// It lives in a folder of its own under the temporary folder, both are gone with the object, and
// the server dies with the thread that started it, however that ends. What cannot be set up is a
// message with the server's log, and the end of the test program.
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
  bool on_socket = false;               // no port, only a socket in the file system
  bool has_tls = false;                 // the port speaks TLS, and nothing else
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
  // There is always one, however clients are meant to come.
  [[nodiscard]] std::string socket() const { return folder_ + "/redis.sock"; }
  [[nodiscard]] pid_t pid() const { return pid_; }  // -1: ended

  void kill();          // -9, and gone when this returns
  void stop();          // with SIGTERM, and gone when this returns
  void freeze() const;  // SIGSTOP: takes connections and bytes, and never answers
  void thaw() const;    // SIGCONT
  void restart();       // after an end, or instead of one: kill() and start again

  // One command through the socket, on a connection of its own; the bytes of the reply as they
  // come: "+PONG\r\n". Empty when there is nobody.
  std::string say(std::initializer_list<std::string_view> words) const;
  // "field:value" of INFO; empty when there is none.
  [[nodiscard]] std::string info(std::string_view field) const;

  // With has_tls: the certificate of who signed the server's. That is for 127.0.0.1, localhost and
  // redis.test.
  [[nodiscard]] std::string authorities() const { return folder_ + "/ca.crt"; }

 private:
  [[nodiscard]] bool start();
  void write_settings() const;
  void end_with(int signal);
  [[noreturn]] void despair(const std::string& why) const;

  RedisOptions options_;
  std::string folder_;
  std::uint16_t port_ = 0;
  pid_t pid_ = -1;
  Descriptor pidfd_;
};

// A certificate and its authority, in the folder: ca.crt, server.crt, server.key. False: openssl is
// missing or failed.
[[nodiscard]] bool make_certificates(const std::string& folder);

}  // namespace tidemill::testing
