// Lobby: where connections wait for their next request, and the one thread that waits with all of
// them. It lets clients in, reads what they send, hands over who has a whole request (or one that
// is refused), and shows out who takes too long. Who comes from an address that has as many
// connections as it may is shown out at once.
#pragma once

#include <poll.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <stop_token>
#include <vector>

#include "tidemill/base/clock.h"
#include "tidemill/base/descriptor.h"
#include "tidemill/base/guarded.h"
#include "tidemill/base/result.h"
#include "tidemill/io/web/address_limit.h"
#include "tidemill/io/web/listener.h"
#include "tidemill/io/web/request_reader.h"

namespace tidemill::web {

struct Connection {
  Descriptor socket;
  RequestReader reader;
  AddressLimit::Slot slot{};
  // The one deadline: of the silence before a request, of its arrival, and of the answers to all
  // that came with it.
  Instant until{};
  std::size_t counted = 0;  // bytes that it holds, as the lobby has counted them
  bool is_leaving = false;  // told that it is refused: what it still sends is thrown away
};

// Thread-safe: run() is for one thread, the rest for all.
class Lobby {
 public:
  // Called by the thread of run().
  using HandOver = std::function<void(Connection)>;

  [[nodiscard]] static Result<Descriptor> make_bell();  // an event to wake run() with

  Lobby(Descriptor door, Descriptor bell, ListenerOptions options, HandOver served_by);

  void run(const std::stop_token& stop);

  // A connection that was handed over has been served.
  void take_back(Connection connection);  // it waits for its next request
  void let_go(Connection connection);     // it is closed
  void ring();

 private:
  enum class Stay : std::uint8_t { waits, served, gone };

  void wait();
  [[nodiscard]] bool has_place() const;
  [[nodiscard]] std::size_t held() const;
  [[nodiscard]] int patience() const;  // for poll(): until the next one must be shown out
  void let_in();
  void read_all();
  [[nodiscard]] Stay read_from(Connection& connection);
  void collect_returned();
  void hand_over(Connection connection);
  void forget(std::size_t counted);

  const ListenerOptions options_;
  const SystemClock clock_;
  const HandOver served_by_;
  AddressLimit by_address_;

  // Of the thread of run().
  Descriptor door_;
  std::vector<Connection> waiting_;
  Instant closed_until_{};       // no descriptors left: nobody is let in for a moment
  std::vector<pollfd> watched_;  // the bell, the door, then those who wait
  std::vector<char> buffer_;

  const Descriptor bell_;
  Guarded<std::vector<Connection>> returned_;
  std::atomic<std::size_t> outside_ = 0;       // connections handed over
  std::atomic<std::size_t> held_outside_ = 0;  // bytes of theirs
};

}  // namespace tidemill::web
