// RawClient: a connection to a server on this machine that sends given bytes unchanged and reads
// the responses. Receiving blocks for at most a minute.
#pragma once

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <array>
#include <charconv>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "tidemill/base/descriptor.h"

namespace tidemill::testing {

// One thread.
class RawClient {
 public:
  // Connects from the address 127.0.0.`host`. `room`: how much the system keeps for a client that
  // does not read, at least; 0: its own choice.
  explicit RawClient(std::uint16_t port, std::uint8_t host = 1, int room = 0)
      : socket_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    if (room > 0) (void)setsockopt(socket_.number(), SOL_SOCKET, SO_RCVBUF, &room, sizeof room);
    const sockaddr_in own = loopback(host, 0);
    const sockaddr_in name = loopback(1, port);
    // NOLINTBEGIN(cppcoreguidelines-pro-type-reinterpret-cast): that is how sockets have it
    if (bind(socket_.number(), reinterpret_cast<const sockaddr*>(&own), sizeof own) != 0 ||
        connect(socket_.number(), reinterpret_cast<const sockaddr*>(&name), sizeof name) != 0) {
      socket_.close();
    }
    // NOLINTEND(cppcoreguidelines-pro-type-reinterpret-cast)
  }

  // Connects to the Unix socket at this path.
  explicit RawClient(const std::string& path)
      : socket_(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_un name{.sun_family = AF_UNIX, .sun_path = {}};
    path.copy(name.sun_path, sizeof name.sun_path - 1);
    // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast): that is how sockets have it
    if (connect(socket_.number(), reinterpret_cast<const sockaddr*>(&name), sizeof name) != 0) {
      socket_.close();
    }
  }

  [[nodiscard]] bool is_connected() const { return socket_.is_open(); }

  // False: not all bytes were sent.
  bool send(std::string_view bytes) {
    while (!bytes.empty()) {
      const ssize_t sent = ::send(socket_.number(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (sent <= 0) return false;
      bytes.remove_prefix(static_cast<std::size_t>(sent));
    }
    return true;
  }

  // The status of the next response; 0 if the connection ended, or a minute passed, before it was
  // complete. Without a Content-Length header, a response has no body.
  [[nodiscard]] int status() { return take_response(true); }
  [[nodiscard]] int head_status() { return take_response(false); }  // of a response to HEAD
  [[nodiscard]] const std::string& head() const { return head_; }   // of the last response
  [[nodiscard]] const std::string& body() const { return body_; }   // of the last response

  // The next bytes, at most `most`; none if the connection ended, or a minute passed.
  [[nodiscard]] std::string some(std::size_t most) {
    if (received_.empty() && !receive()) return {};
    std::string bytes = received_.substr(0, most);
    received_.erase(0, most);
    return bytes;
  }

  // Whether the server closes the connection without sending more.
  [[nodiscard]] bool sees_end() { return !receive() && received_.empty(); }

  // Whether nothing arrives in this time.
  [[nodiscard]] bool hears_nothing(std::chrono::milliseconds within) const {
    pollfd ready{.fd = socket_.number(), .events = POLLIN, .revents = 0};
    return received_.empty() && poll(&ready, 1, static_cast<int>(within.count())) == 0;
  }

  // Whether the server has reset the connection, even if received bytes were not read.
  [[nodiscard]] bool is_reset() const {
    pollfd state{.fd = socket_.number(), .events = 0, .revents = 0};
    return poll(&state, 1, 0) == 1 && (state.revents & (POLLERR | POLLHUP)) != 0;
  }

  void end_sending() { (void)shutdown(socket_.number(), SHUT_WR); }
  void leave() { socket_.close(); }

  // Closes the connection with a TCP reset.
  void reset() {
    const linger now{.l_onoff = 1, .l_linger = 0};
    (void)setsockopt(socket_.number(), SOL_SOCKET, SO_LINGER, &now, sizeof now);
    socket_.close();
  }

 private:
  static sockaddr_in loopback(std::uint8_t host, std::uint16_t port) {
    sockaddr_in name{};
    name.sin_family = AF_INET;
    name.sin_port = htons(port);
    name.sin_addr.s_addr = htonl(INADDR_LOOPBACK - 1 + host);
    return name;
  }

  std::size_t number_at(std::size_t at) const {
    std::size_t number = 0;
    std::from_chars(received_.data() + at, received_.data() + received_.size(), number);
    return number;
  }

  int take_response(bool has_body) {
    static constexpr std::string_view kSize = "Content-Length: ";
    while (true) {
      const auto end = received_.find("\r\n\r\n");
      if (end != std::string::npos) {
        const auto named = received_.find(kSize);
        const std::size_t size = has_body && named < end ? number_at(named + kSize.size()) : 0;
        if (received_.size() >= end + 4 + size) {
          const int status = static_cast<int>(number_at(received_.find(' ') + 1));
          head_ = received_.substr(0, end + 2);
          body_ = received_.substr(end + 4, size);
          received_.erase(0, end + 4 + size);
          return status;
        }
      }
      if (!receive()) return 0;
    }
  }

  bool receive() {
    static constexpr int kMinute = 60'000;
    pollfd ready{.fd = socket_.number(), .events = POLLIN, .revents = 0};
    if (poll(&ready, 1, kMinute) != 1) return false;
    std::array<char, 4096> piece{};
    const ssize_t size = recv(socket_.number(), piece.data(), piece.size(), 0);
    if (size <= 0) return false;
    received_.append(piece.data(), static_cast<std::size_t>(size));
    return true;
  }

  Descriptor socket_;
  std::string received_;
  std::string head_;
  std::string body_;
};

}  // namespace tidemill::testing
