// Outgoing: an answer on its way to a client whose socket does not take it at once. It is sent
// piece by piece and never blocks; who sends it decides when, and for how long.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

#include "tidemill/base/clock.h"
#include "tidemill/base/descriptor.h"

namespace tidemill::web {

// One thread.
class Outgoing {
 public:
  enum class State : std::uint8_t {
    sent,   // the socket has all of it
    waits,  // the socket is full
    lost,   // the client is gone
  };

  Outgoing() = default;  // nothing to send
  // is_last: the connection ends after it.
  Outgoing(std::string bytes, bool is_last) : bytes_(std::move(bytes)), is_last_(is_last) {}

  // Sends what the socket takes at once. Never raises SIGPIPE.
  State send_to(const Descriptor& socket, Instant now);

  [[nodiscard]] bool is_pending() const { return sent_ < bytes_.size(); }
  [[nodiscard]] bool is_last() const { return is_last_; }
  [[nodiscard]] std::size_t held() const { return bytes_.size(); }  // bytes in memory
  [[nodiscard]] Instant moved() const { return moved_; }  // when the socket last took some of it

 private:
  std::string bytes_;
  std::size_t sent_ = 0;
  bool is_last_ = false;
  Instant moved_{};
};

// Closes with a reset, so that the kernel keeps no unsent data.
void reset_connection(Descriptor& socket);

}  // namespace tidemill::web
