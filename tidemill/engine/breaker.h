// Breaker: keeps callers away from a peer that only fails, and finds out when it is well again.
//
//     N failures in a row    open_for is over, somebody asks
//   closed ──────────► open ─────────────────────────────► half_open ──┐  no word from the probe
//     ▲                  ▲                                   │  │  ▲   │  for open_for: another
//     │                  └──────── the probe failed ─────────┘  │  └───┘  one may go
//     └────────────────────────── the probe succeeded ──────────┘
//
// Every call starts with ask() and ends with succeeded() or failed(), given the permit it got. In
// half_open exactly one call, the probe, is out at a time.
//
// Late reports. A permit carries the generation in which it was given, every arrow in the drawing
// starts a new one, and a report from an older generation is ignored. So a call that was made
// before the breaker opened can neither close it, nor keep it open longer, nor count against the
// peer after it has recovered; and a probe given up as lost has no say once another went out. It
// still has while none did: a late answer is better than none.
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

// One thread: the owner guards it. Report a permit once.
class Breaker {
 public:
  enum class State : std::uint8_t { closed, open, half_open };

  // While a probe is out nobody knows how long it takes: ask again after this.
  static constexpr Instant::duration kProbeWait = std::chrono::milliseconds(100);

  struct [[nodiscard]] Permit {
    Instant::duration retry_after{0};  // above zero when denied: do not ask again before
    std::uint64_t generation = 0;      // of the breaker; zero when denied

    [[nodiscard]] bool allowed() const { return generation != 0; }
  };

  explicit Breaker(BreakerOptions options);  // as check() accepts them

  Permit ask(Instant now);
  void succeeded(const Permit& permit);
  void failed(const Permit& permit, Instant now);

  // open turns into half_open when somebody asks, not by time alone.
  [[nodiscard]] State state() const { return state_; }

 private:
  void enter(State state);

  BreakerOptions options_;
  State state_ = State::closed;
  std::uint64_t generation_ = 1;
  int failures_ = 0;  // in a row; of the closed state only
  Instant until_{};   // open: nobody passes before; half_open: the probe is lost from then on
};

}  // namespace tidemill::engine
