#include "tidemill/io/web/outgoing.h"

#include <sys/socket.h>

#include <cerrno>
#include <string_view>

namespace tidemill::web {

Outgoing::State Outgoing::send_to(const Descriptor& socket, Instant now) {
  const std::string_view left = std::string_view(bytes_).substr(sent_);
  const ssize_t size = send(socket.number(), left.data(), left.size(), MSG_NOSIGNAL);
  if (size < 0 && errno != EAGAIN && errno != EINTR) return State::lost;
  if (size > 0 || sent_ == 0) moved_ = now;
  if (size > 0) sent_ += static_cast<std::size_t>(size);
  return is_pending() ? State::waits : State::sent;
}

void reset_connection(Descriptor& socket) {
  const linger now{.l_onoff = 1, .l_linger = 0};
  (void)setsockopt(socket.number(), SOL_SOCKET, SO_LINGER, &now, sizeof now);
  socket.close();
}

}  // namespace tidemill::web
