// RawClient: a connection to a server on this machine that sends what it is told, byte for byte,
// and reads what comes back. Calls block, for a minute at most.
#pragma once

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>

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
  // Comes from the address 127.0.0.`host`.
  explicit RawClient(std::uint16_t port, std::uint8_t host = 1)
      : socket_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    const sockaddr_in own = loopback(host, 0);
    const sockaddr_in name = loopback(1, port);
    // NOLINTBEGIN(cppcoreguidelines-pro-type-reinterpret-cast): that is how sockets have it
    if (bind(socket_.number(), reinterpret_cast<const sockaddr*>(&own), sizeof own) != 0 ||
        connect(socket_.number(), reinterpret_cast<const sockaddr*>(&name), sizeof name) != 0) {
      socket_.close();
    }
    // NOLINTEND(cppcoreguidelines-pro-type-reinterpret-cast)
  }

  [[nodiscard]] bool is_connected() const { return socket_.is_open(); }

  // False: not all of it went out.
  bool send(std::string_view bytes) {
    while (!bytes.empty()) {
      const ssize_t sent = ::send(socket_.number(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (sent <= 0) return false;
      bytes.remove_prefix(static_cast<std::size_t>(sent));
    }
    return true;
  }

  // The status of the next answer; 0 when the connection ended, or a minute passed, before it was
  // whole. An answer has its size in its head.
  [[nodiscard]] int status() {
    static constexpr std::string_view kSize = "Content-Length: ";
    while (true) {
      const auto head = come_.find("\r\n\r\n");
      if (head != std::string::npos) {
        const auto named = come_.find(kSize);
        const std::size_t size = named < head ? number_at(named + kSize.size()) : 0;
        if (come_.size() >= head + 4 + size) {
          const int status = static_cast<int>(number_at(come_.find(' ') + 1));
          body_ = come_.substr(head + 4, size);
          come_.erase(0, head + 4 + size);
          return status;
        }
      }
      if (!receive()) return 0;
    }
  }
  [[nodiscard]] const std::string& body() const { return body_; }  // of the last answer

  // Whether the server ends the connection, with nothing more said.
  [[nodiscard]] bool sees_end() { return !receive() && come_.empty(); }

  // Whether nothing comes for so long.
  [[nodiscard]] bool hears_nothing(std::chrono::milliseconds within) const {
    pollfd ready{.fd = socket_.number(), .events = POLLIN, .revents = 0};
    return come_.empty() && poll(&ready, 1, static_cast<int>(within.count())) == 0;
  }

  void leave() { socket_.close(); }

  // Gone at once, without a word to the server.
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
    std::from_chars(come_.data() + at, come_.data() + come_.size(), number);
    return number;
  }

  bool receive() {
    static constexpr int kMinute = 60'000;
    pollfd ready{.fd = socket_.number(), .events = POLLIN, .revents = 0};
    if (poll(&ready, 1, kMinute) != 1) return false;
    std::array<char, 4096> piece{};
    const ssize_t size = recv(socket_.number(), piece.data(), piece.size(), 0);
    if (size <= 0) return false;
    come_.append(piece.data(), static_cast<std::size_t>(size));
    return true;
  }

  Descriptor socket_;
  std::string come_;
  std::string body_;
};

}  // namespace tidemill::testing
