// Opening an outlet: patience with a server that does not answer, and what its standing means for a
// run.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <stop_token>
#include <string_view>

#include "tidemill/base/clock.h"
#include "tidemill/base/guarded.h"
#include "tidemill/base/result.h"
#include "tidemill/state/queue/outlet.h"
#include "tidemill/ui/command/console.h"

namespace tidemill::batch {

// The number from which a run goes on when the outlet stands there. Fails when another producer has
// taken over (superseded), or when what came before the run's first batch is gone ("lost").
[[nodiscard]] Result<std::uint64_t> standing_of(const queue::Standing& standing,
                                                std::string_view run, std::uint64_t base);

struct Opened {
  std::optional<queue::Standing> standing{};
  bool was_completed_meanwhile = false;  // by another producer, since we began to wait for it
};

// Opens the outlet, and waits for it with backoff. An outlet that has answered before is waited for
// as long as the patience lasts; one that never has, at most kFirstPatience: its address may be
// wrong, and nobody wants to learn that after minutes. `waits_for_lease`: waits also while another
// producer holds it. That one may come to the end of the job; then nothing is left to do, while a
// job that was complete before is begun anew.
struct Opening {
  queue::Outlet& outlet;
  command::Console& console;
  const Clock& clock;
  std::chrono::milliseconds patience{0};
  bool waits_for_lease = false;
};
[[nodiscard]] Result<Opened> open_patiently(const Opening& opening, const std::stop_token& stop);

// With a server that has never answered; a call to one that says nothing takes up to 5 s more.
inline constexpr std::chrono::milliseconds kFirstPatience{3'000};

// Pauses before a server is asked again: each twice as long as the one before.
inline constexpr std::chrono::milliseconds kShortestNap{100};
inline constexpr std::chrono::milliseconds kLongestNap{5'000};

// Sleeps; false: the token has fired. Who shares a door is woken for good by the first token.
[[nodiscard]] bool sleep_for(Guarded<bool>& door, const Clock& clock,
                             std::chrono::milliseconds time, const std::stop_token& stop);

}  // namespace tidemill::batch
