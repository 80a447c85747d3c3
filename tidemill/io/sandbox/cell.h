// Cell: a child process that serves one request after another, and cannot do anything else.
//
// ask() always comes back with an Answer. After anything but `answered` the child is gone (SIGKILL
// through a pidfd, so that no other process can be hit) and the next ask() starts another one.
// Nothing a child says is trusted: every length has a bound, an answer must carry the number of its
// request, and what is said without being asked ends it. What a child that was taken over by one
// request can still do is lie in its answers to later ones: CellLimits::requests bounds that, and
// retire() ends it.
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
#include "tidemill/io/sandbox/nursery.h"

namespace tidemill::sandbox {

struct Answer {
  enum class Kind : std::uint8_t {
    answered,
    crashed,    // `signal` or `exit_status`
    timed_out,  // patience or the limit on CPU time
    out_of_memory,
    refused,      // it made a system call that is not allowed (SIGSYS)
    too_much,     // an answer beyond the limit
    garbled,      // not what a cell says: it was taken over, or has a bug
    stopped,      // the stop token
    unavailable,  // no cell could be started; `text` says why. Not the request's fault.
  };

  Kind kind = Kind::unavailable;
  std::string text{};   // the answer
  int signal = 0;       // that ended it
  int exit_status = 0;  // or this, when there was no signal
  std::chrono::microseconds cpu{0};

  [[nodiscard]] bool is_answered() const { return kind == Kind::answered; }
};

// One thread: its worker's. The first ask() starts the child.
class Cell {
 public:
  static constexpr std::size_t kMaxDescriptors = 16;

  explicit Cell(const Nursery& nursery) : nursery_(&nursery) {}
  Cell(const Cell&) = delete;
  Cell& operator=(const Cell&) = delete;
  ~Cell() { (void)retire(); }

  // The descriptors stay the caller's. The child reads through the same open file, so it uses and
  // moves the same offset: it should use pread().
  [[nodiscard]] Answer ask(std::string_view request, std::span<const int> descriptors,
                           std::chrono::milliseconds patience, std::stop_token stop = {});

  // Ends the child, if there is one, and waits for that: what it was writing through a descriptor
  // is then at rest, and the next ask() starts another one. False: it is not known to be gone.
  [[nodiscard]] bool retire();

  // The process at work; nothing before the first ask() and after an end. For tests and displays.
  [[nodiscard]] std::optional<pid_t> pid() const;
  [[nodiscard]] std::uint64_t started() const { return started_; }  // how many children so far

 private:
  struct Exchange;

  [[nodiscard]] Result<void> make_ready();
  [[nodiscard]] Answer exchange(std::string_view request, std::span<const int> descriptors,
                                Exchange& state);
  // These three: nothing when done, else what ended the exchange.
  [[nodiscard]] std::optional<Answer> say(std::span<const std::byte> bytes,
                                          std::span<const int> descriptors, Exchange& state);
  [[nodiscard]] std::optional<Answer> hear(std::span<std::byte> bytes, Exchange& state);
  [[nodiscard]] std::optional<Answer> wait(Exchange& state, short events);
  [[nodiscard]] Answer obituary() const;  // of a child that ended by itself

  const Nursery* nursery_;
  Nursery::Born child_;  // its pid is -1: none
  Descriptor bell_;      // an eventfd: the stop token rings it
  std::uint32_t sequence_ = 0;
  std::uint32_t served_ = 0;  // by this child
  std::uint64_t started_ = 0;
};

}  // namespace tidemill::sandbox
