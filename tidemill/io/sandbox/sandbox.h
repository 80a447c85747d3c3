// Sandbox: a confined child process that serves one request after another and can do nothing else.
//
// ask() always returns a SandboxAnswer. After any kind but `answered` the child has been killed
// (SIGKILL through a pidfd, so that no other process can be hit) and the next ask() starts a new
// one. Nothing that a child sends is trusted: every length is bounded, an answer must carry the
// sequence number of its request, and unsolicited bytes end the child. A child that one request has
// compromised can still give wrong answers to later requests: SandboxLimits::requests bounds that,
// and retire() prevents it.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>

#include "tidemill/base/clock.h"
#include "tidemill/base/descriptor.h"
#include "tidemill/io/sandbox/fork_server.h"

namespace tidemill::sandbox {

struct SandboxAnswer {
  enum class Kind : std::uint8_t {
    answered,
    crashed,    // `signal` or `exit_status`
    timed_out,  // `timeout` or the CPU time limit
    out_of_memory,
    refused,      // killed for a system call that is not allowed (SIGSYS)
    too_much,     // the answer exceeds the limit
    garbled,      // protocol violation: the child was compromised or has a bug
    stopped,      // by the stop token
    unavailable,  // no sandbox could be used; `text` says why. Not the request's fault.
  };

  Kind kind = Kind::unavailable;
  std::string text{};   // the answer
  int signal = 0;       // that killed the child
  int exit_status = 0;  // if no signal did
  std::chrono::microseconds cpu{0};

  [[nodiscard]] bool is_answered() const { return kind == Kind::answered; }
};

// One thread, that of its worker. The first ask() starts the child.
class Sandbox {
 public:
  static constexpr std::size_t kMaxDescriptors = 16;

  explicit Sandbox(const ForkServer& fork_server) : fork_server_(&fork_server) {}
  Sandbox(const Sandbox&) = delete;
  Sandbox& operator=(const Sandbox&) = delete;
  ~Sandbox() { (void)retire(); }

  // The caller keeps the descriptors. The child shares their open file descriptions and so their
  // offsets: it should use pread().
  [[nodiscard]] SandboxAnswer ask(std::string_view request, std::span<const int> descriptors,
                                  std::chrono::milliseconds timeout, std::stop_token stop = {});

  // Kills the child, if there is one, and waits for its end: after that it writes no more through
  // its descriptors. The next ask() starts a new child. False: the child has not ended within the
  // wait.
  [[nodiscard]] bool retire();

  // The current child; nothing before the first ask() and after its end. For tests and displays.
  [[nodiscard]] std::optional<pid_t> pid() const;
  [[nodiscard]] std::uint64_t started() const { return started_; }  // children so far

 private:
  struct Exchange;

  [[nodiscard]] Result<void> make_ready();
  [[nodiscard]] SandboxAnswer exchange(std::string_view request, std::span<const int> descriptors,
                                       Exchange& state);
  // These three return nothing on success, else the answer that ended the exchange.
  [[nodiscard]] std::optional<SandboxAnswer> send(std::span<const std::byte> bytes,
                                                  std::span<const int> descriptors,
                                                  Exchange& state);
  [[nodiscard]] std::optional<SandboxAnswer> receive(std::span<std::byte> bytes, Exchange& state);
  [[nodiscard]] std::optional<SandboxAnswer> wait(Exchange& state, short events);
  [[nodiscard]] SandboxAnswer answer_of_ended_child() const;  // of a child that closed its socket

  const ForkServer* fork_server_;
  ForkServer::Child child_;  // pid -1: none
  Descriptor bell_;          // an eventfd that the stop token signals
  std::uint32_t sequence_ = 0;
  std::uint32_t served_ = 0;  // by this child
  std::uint64_t started_ = 0;
};

}  // namespace tidemill::sandbox
