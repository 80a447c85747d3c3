// For tests. ScriptedServer: a server on the loopback interface that sends scripted answers, one
// per connection, repeats the last one, and records the requests. WireRig: such a server, and
// clients for it.
#pragma once

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <stop_token>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "tidemill/base/clock.h"
#include "tidemill/base/descriptor.h"
#include "tidemill/base/guarded.h"
#include "tidemill/jobs/docs/server/docs_server.h"

namespace tidemill::docs {

[[nodiscard]] inline std::string reply(int status, std::string_view body,
                                       std::string_view headers = {}) {
  return "HTTP/1.1 " + std::to_string(status) + " As scripted\r\n" + std::string(headers) +
         "Content-Length: " + std::to_string(body.size()) + "\r\nConnection: close\r\n\r\n" +
         std::string(body);
}

struct SentRequest {
  std::string head{};
  std::string body{};
};

// Thread-safe.
class ScriptedServer {
 public:
  explicit ScriptedServer(std::vector<std::string> replies) : replies_(std::move(replies)) {
    listener_ = Descriptor(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    address_.sin_family = AF_INET;
    address_.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address_;
    auto* const address = reinterpret_cast<sockaddr*>(&address_);
    EXPECT_EQ(::bind(listener_.number(), address, size), 0);
    EXPECT_EQ(::getsockname(listener_.number(), address, &size), 0);
    EXPECT_EQ(::listen(listener_.number(), 8), 0);
    thread_ = std::jthread([this] { receive(); });
  }
  ~ScriptedServer() { ::shutdown(listener_.number(), SHUT_RDWR); }
  ScriptedServer(const ScriptedServer&) = delete;
  ScriptedServer& operator=(const ScriptedServer&) = delete;

  [[nodiscard]] std::string url() const {
    return "http://127.0.0.1:" + std::to_string(ntohs(address_.sin_port));
  }
  [[nodiscard]] std::vector<SentRequest> received() { return *received_.lock(); }

 private:
  void receive() {
    for (std::size_t visit = 0;; ++visit) {
      const Descriptor line(::accept4(listener_.number(), nullptr, nullptr, SOCK_CLOEXEC));
      if (!line.is_open()) return;
      received_.lock()->push_back(read_from(line));
      const std::string& bytes = replies_[std::min(visit, replies_.size() - 1)];
      (void)::send(line.number(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
    }
  }

  static SentRequest read_from(const Descriptor& line) {
    std::string bytes;
    std::array<char, 65536> block{};
    while (!is_whole(bytes)) {
      const auto count = ::recv(line.number(), block.data(), block.size(), 0);
      if (count <= 0) break;
      bytes.append(block.data(), static_cast<std::size_t>(count));
    }
    const auto end = std::min(bytes.find("\r\n\r\n"), bytes.size());
    return {.head = bytes.substr(0, end), .body = bytes.substr(std::min(end + 4, bytes.size()))};
  }

  static bool is_whole(const std::string& bytes) {
    constexpr std::string_view kLength = "Content-Length: ";
    const auto end = bytes.find("\r\n\r\n");
    const auto length = bytes.find(kLength);
    if (end == std::string::npos || length >= end) return false;
    return bytes.size() >= end + 4 + std::stoul(bytes.substr(length + kLength.size()));
  }

  std::vector<std::string> replies_;
  Descriptor listener_;
  sockaddr_in address_{};
  Guarded<std::vector<SentRequest>> received_;
  std::jthread thread_;
};

inline constexpr std::string_view kRigKey = "ol_api_0123456789abcdefghijklmnopqrstuvwxyzAB";

// Advances by 100 ms each time it is read, so that a limiter has a token for each call.
// Thread-safe.
class TickingClock final : public Clock {
 public:
  [[nodiscard]] Instant now() const override {
    return Instant(std::chrono::milliseconds(now_ += 100));
  }
  [[nodiscard]] WallTime wall() const override {
    return WallTime(std::chrono::milliseconds(now_.load()));
  }
  void wait_until(std::unique_lock<std::mutex>& /*lock*/, std::condition_variable& /*changed*/,
                  Instant /*until*/) const override {}

  void advance(std::chrono::milliseconds by) { now_ += by.count(); }

 private:
  mutable std::atomic<std::int64_t> now_ = 1'000'000'000;
};

struct WireRig {
  explicit WireRig(std::vector<std::string> replies, http::GateOptions gate = {})
      : server(std::move(replies)), shared(options(server.url(), std::move(gate)), clock) {}

  std::unique_ptr<Outline> outline(std::stop_token stop = {}) {
    auto made = connect_outline(shared, std::move(stop));
    EXPECT_TRUE(made.has_value());
    return *std::move(made);
  }

  std::unique_ptr<Assistant> assistant() {
    auto made = connect_assistant(shared, "small \"model\"", {});
    EXPECT_TRUE(made.has_value());
    return *std::move(made);
  }

  static DocsServer::Options options(const std::string& url, http::GateOptions gate) {
    DocsServer::Options made;
    made.url = url + "//";
    made.key = http::Secret(std::string(kRigKey));
    made.gate = std::move(gate);
    made.gate.host = "test";
    return made;
  }

  TickingClock clock{};
  ScriptedServer server;
  DocsServer shared;
};

[[nodiscard]] Failure failure_of(const auto& result) {
  return result ? Failure{.step = "none", .reason = "it went well"} : result.error();
}

}  // namespace tidemill::docs
