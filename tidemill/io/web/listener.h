// Listener: a small HTTP server for webhooks and pages. It reads complete requests within limits,
// passes them to a function, and sends back the result.
//
//   clients ──► one thread that polls all of them ──► complete requests ──► `threads` that answer
//                        ▲                                                            │
//                        └──────────────── connections that stay open ────────────────┘
//
// A slow or silent client occupies no thread, only one of the `connections` places, and for at most
// twice `read_timeout`. While all places are taken, new clients wait in the backlog of the system.
// A client whose address already has `per_address` connections is closed at once, so that the
// remaining places stay free for others. Memory is bounded by `most_held`: above it, nothing is
// read until a request was answered or timed out.
//
// A client that sends many requests at once gets one answer, then queues behind all other clients
// for the next; all of them are answered before its deadline, or the connection is closed. A client
// that does not read occupies no thread either: what its socket does not take of an answer at once
// goes to the polling thread, which sends the rest whenever the client has read some of it, for at
// most `send_timeout`. Of such answers `most_unsent` is held: above it, the connection is closed
// that has waited longest for its client to read. Without `most_unsent`, answers must be small, and
// a connection whose socket is full is closed; 32 KiB always fit into the socket of a client that
// reads.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "tidemill/base/bytes.h"
#include "tidemill/base/result.h"
#include "tidemill/io/web/incoming.h"
#include "tidemill/io/web/web_reply.h"

namespace tidemill::web {

// Called by several threads at once. An exception is answered with 500. HEAD arrives as GET, and
// its answer is sent without the body.
using Answer = std::function<WebReply(const Incoming&)>;

struct ListenerOptions {
  // host:port or [::1]:port; port 0: any free port. unix:/path: a socket for this user only.
  std::string address = "127.0.0.1:0";
  std::size_t threads = 8;
  Bytes most_body = mib(4);  // more is answered with 413
  // A smaller limit for some requests, such as none for GET and HEAD. Empty: one limit for all.
  BodyLimit most_body_of{};
  std::chrono::milliseconds read_timeout{5'000};  // of a request, and of silence before it
  std::size_t connections = 256;
  // Connections per client address, including loopback; clients of a Unix socket have none. A
  // reverse proxy counts as one address: it needs one for each concurrent request, and those that
  // it keeps open.
  std::size_t per_address = 64;
  Bytes most_held = mib(32);  // by all requests that are not answered yet
  // By answers that clients have not read yet; for a moment twice as much, while they pass from one
  // thread to another. A larger answer ends its connection. 0: answers are sent at once or not.
  Bytes most_unsent{};
  // For a client to read the answers to all requests that arrived together.
  std::chrono::milliseconds send_timeout{30'000};
};

// Thread-safe.
class Listener {
 public:
  // Fails with step "listen" and Cure::give_up when the address is invalid or in use. A Unix socket
  // that a dead process left is replaced; see unix_name.h.
  [[nodiscard]] static Result<std::unique_ptr<Listener>> start(const ListenerOptions& options,
                                                               Answer answer);
  Listener(const Listener&) = delete;
  Listener& operator=(const Listener&) = delete;
  // Answers the requests that are complete; drops the others, and what clients have not read yet.
  ~Listener();

  [[nodiscard]] std::uint16_t port() const;  // 0 of a Unix socket

 private:
  struct State;

  explicit Listener(std::unique_ptr<State> state);

  std::unique_ptr<State> state_;
};

}  // namespace tidemill::web
