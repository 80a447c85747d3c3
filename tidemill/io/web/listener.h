// Listener: a small HTTP server for one purpose. It reads a request whole, within limits, hands it
// over, and sends back what it is given.
//
//   clients ──► one thread that waits for all of them ──► whole requests ──► `threads` that answer
//                        ▲                                                            │
//                        └──────────────── connections that stay open ────────────────┘
//
// A client that sends nothing, or a byte now and then, holds no thread: only a place, of which
// there are `connections`, and for at most twice `read_timeout`. While all places are taken nobody
// new is let in; they wait in the system's queue. Who has `per_address` of the places already is
// closed at once: the others stay for the others. Memory is bounded by `most_held`: beyond it no
// more is read until something was answered or timed out.
//
// A client that sends many requests at once gets one answer, and stands behind all other clients
// for the next; all of them are answered before its deadline, or it is closed. A client that does
// not read holds no thread either: an answer that its socket does not take at once ends the
// connection. So an answer is small; 32 KiB fit always into the socket of a client that reads.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tidemill/base/bytes.h"
#include "tidemill/base/result.h"

namespace tidemill::web {

struct Incoming {
  std::string method{};
  std::string path{};                                          // without the query
  std::vector<std::pair<std::string, std::string>> headers{};  // names in lower case
  std::string body{};

  // The first with this name (lower case); null when there is none.
  [[nodiscard]] const std::string* header(std::string_view name) const;
};

struct Reply {
  int status = 200;
  std::string body{};
  std::string allow{};  // of a 405: the methods that there are
};

// Called by several threads at once. What it throws is answered 500.
using Answer = std::function<Reply(const Incoming&)>;

struct ListenerOptions {
  std::string address = "127.0.0.1:0";  // host:port, [::1]:port; port 0: any free one
  std::size_t threads = 8;
  Bytes most_body = mib(4);                       // more is answered 413
  std::chrono::milliseconds read_timeout{5'000};  // of a whole request, and of silence before it
  std::size_t connections = 256;
  // Of one address, the loopback too. A proxy in front is one address: it needs one for each
  // request that is under way at the same time, and those it keeps open for the next.
  std::size_t per_address = 64;
  Bytes most_held = mib(32);  // of all requests that are not answered yet
};

// Thread-safe.
class Listener {
 public:
  // Failure, step "listen": the address makes no sense (give_up) or is taken (give_up).
  [[nodiscard]] static Result<std::unique_ptr<Listener>> start(const ListenerOptions& options,
                                                               Answer answer);
  Listener(const Listener&) = delete;
  Listener& operator=(const Listener&) = delete;
  // Requests that have come whole are answered first; others are cut off.
  ~Listener();

  [[nodiscard]] std::uint16_t port() const;

 private:
  struct Parts;

  explicit Listener(std::unique_ptr<Parts> parts);

  std::unique_ptr<Parts> parts_;
};

}  // namespace tidemill::web
