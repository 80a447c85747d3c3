// Breaker: a circuit breaker. Stops calls to a failing peer, and detects when it has recovered.
//
//     N failures in a row    open_for is over, next ask()
//   closed ──────────► open ─────────────────────────────► half_open ──┐  no report from the
//     ▲                  ▲                                   │  │  ▲   │  probe within open_for:
//     │                  └──────── the probe failed ─────────┘  │  └───┘  another may start
//     └────────────────────────── the probe succeeded ──────────┘
//
// Every call starts with ask() and ends with succeeded() or failed(), with the permit that ask()
// returned. In half_open exactly one call at a time, the probe, is allowed.
//
// Late reports. A permit carries the generation in which it was issued, every arrow in the drawing
// starts a new generation, and a report from an older one is ignored. So a call made before the
// breaker opened can neither close it, nor keep it open longer, nor count against the peer after it
// has recovered. A late report of a probe counts until the next probe has started.
//
// What counts as a failure is the caller's choice. An answer such as "not found" shows that the
// peer is alive: report a success.
#pragma once

#include <chrono>
#include <cstdint>

#include "tidemill/base/clock.h"
#include "tidemill/base/result.h"

namespace tidemill::engine {

struct BreakerOptions {
  int failures_to_open = 5;  // in a row, in the order of the reports
  Instant::duration open_for = std::chrono::seconds(30);

  [[nodiscard]] Result<void> check() const;
  bool operator==(const BreakerOptions&) const = default;
};

// One thread: the owner locks it. Report each permit once.
class Breaker {
 public:
  enum class State : std::uint8_t { closed, open, half_open };

  // How long a probe takes is unknown: while one is in flight, ask again after this.
  static constexpr Instant::duration kProbeWait = std::chrono::milliseconds(100);

  struct [[nodiscard]] Permit {
    Instant::duration retry_after{0};  // above zero when denied: do not ask again earlier
    std::uint64_t generation = 0;      // of the breaker; zero when denied

    [[nodiscard]] bool allowed() const { return generation != 0; }
  };

  explicit Breaker(BreakerOptions options);  // must pass check()

  Permit ask(Instant now);
  void succeeded(const Permit& permit);
  void failed(const Permit& permit, Instant now);

  // open becomes half_open at the next ask(), not by time alone.
  [[nodiscard]] State state() const { return state_; }

 private:
  void enter(State state);

  BreakerOptions options_;
  State state_ = State::closed;
  std::uint64_t generation_ = 1;
  int failures_ = 0;  // in a row; in the closed state only
  Instant until_{};   // open: no call before; half_open: the probe counts as lost from then on
};

}  // namespace tidemill::engine
