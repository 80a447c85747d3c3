// ConnectionPoller: holds the connections that wait for their next request, or for their client to
// read an answer; one thread polls all of them. It accepts clients, reads what they send, hands
// over connections with a complete or refused request, sends the rest of long answers, and closes
// those that take too long. A client whose address has reached its limit of connections is closed
// at once.
#pragma once

#include <poll.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <stop_token>
#include <vector>

#include "tidemill/base/clock.h"
#include "tidemill/base/descriptor.h"
#include "tidemill/base/guarded.h"
#include "tidemill/base/result.h"
#include "tidemill/io/web/address_limit.h"
#include "tidemill/io/web/listener.h"
#include "tidemill/io/web/outgoing.h"
#include "tidemill/io/web/request_reader.h"

namespace tidemill::web {

struct WebConnection {
  Descriptor socket;
  RequestReader reader;
  AddressLimit::Slot slot{};
  std::optional<std::uint32_t> peer_user{};  // at a Unix socket
  // One deadline for the silence before a request, for its arrival, and for the answers to all
  // requests that arrived with it. It is moved once if the client reads them slowly.
  Instant until{};
  bool is_late = false;  // it was moved
  Outgoing outgoing{};
  std::size_t counted = 0;  // bytes of this connection in held_outside_
  bool is_leaving = false;  // refused and answered: further input is discarded
};

// Whether a request can be answered, or its refusal sent.
[[nodiscard]] bool has_next(const WebConnection& connection);

// Thread-safe; run() is called by one thread.
class ConnectionPoller {
 public:
  // Called on the thread of run().
  using HandOver = std::function<void(WebConnection)>;

  [[nodiscard]] static Result<Descriptor> make_bell();  // an eventfd that wakes run()

  ConnectionPoller(Descriptor listening, Descriptor bell, ListenerOptions options,
                   HandOver served_by);

  void run(const std::stop_token& stop);

  // Return a connection that was handed over, after it was served.
  // Keep it open: send the rest of its answer, then wait for its next request.
  void take_back(WebConnection connection);
  void let_go(WebConnection connection);  // close it
  void ring();

 private:
  enum class Stay : std::uint8_t { waits, served, gone };

  void wait();
  [[nodiscard]] bool has_place() const;
  [[nodiscard]] std::size_t held() const;
  [[nodiscard]] int poll_timeout() const;  // for poll(): until the next deadline
  void accept_clients();
  void serve_polled();
  [[nodiscard]] Stay read_from(WebConnection& connection);
  [[nodiscard]] Stay write_to(WebConnection& connection);
  void collect_returned();
  [[nodiscard]] std::size_t unsent() const;
  void close_slowest_reader();
  void hand_over(WebConnection connection);
  void forget(std::size_t counted);

  const ListenerOptions options_;
  const SystemClock clock_;
  const HandOver served_by_;
  AddressLimit by_address_;

  // Used only by the thread of run().
  Descriptor listening_;
  std::vector<WebConnection> waiting_;
  Instant closed_until_{};       // no descriptors left: accept no client until then
  std::vector<pollfd> watched_;  // the bell, the listening socket, then waiting_
  std::vector<char> buffer_;

  struct Returned {
    std::vector<WebConnection> connections{};
    std::size_t unsent = 0;  // bytes of their answers
  };

  const Descriptor bell_;
  Guarded<Returned> returned_;
  std::atomic<std::size_t> outside_ = 0;       // connections handed over
  std::atomic<std::size_t> held_outside_ = 0;  // bytes they hold
};

}  // namespace tidemill::web
