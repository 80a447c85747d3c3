// Opens an outlet, retrying while the server does not answer, and interprets its standing for a
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

// The number of the last batch that the outlet has of this run. Fails when another producer has
// taken over (superseded), or when batches before the run's first are gone (step "lost").
[[nodiscard]] Result<std::uint64_t> standing_of(const queue::Standing& standing,
                                                std::string_view run, std::uint64_t base);

struct OpenedOutlet {
  std::optional<queue::Standing> standing{};
  bool was_completed_meanwhile = false;  // by another producer, while we waited
};

// Opens the outlet, with retries and backoff. If the outlet has answered before, retries last for
// `patience`; otherwise at most for kFirstPatience, because the address may be wrong and the user
// should learn that soon. With `waits_for_lease` it also waits while another producer holds the
// lease. If that producer completes the job meanwhile, was_completed_meanwhile is set; a job that
// was complete before starts over.
struct OutletOpener {
  queue::Outlet& outlet;
  command::Console& console;
  const Clock& clock;
  std::chrono::milliseconds patience{0};
  bool waits_for_lease = false;
};
[[nodiscard]] Result<OpenedOutlet> open_patiently(const OutletOpener& opening,
                                                  const std::stop_token& stop);

// For a server that has never answered; a call without an answer takes up to 5 s more.
inline constexpr std::chrono::milliseconds kFirstPatience{3'000};

// Pauses between attempts: each twice as long as the one before.
inline constexpr std::chrono::milliseconds kShortestNap{100};
inline constexpr std::chrono::milliseconds kLongestNap{5'000};

// Sleeps; returns false if a stop was requested. A stop sets `wake_flag` for good, which also ends
// every later sleep on the same flag.
[[nodiscard]] bool sleep_for(Guarded<bool>& wake_flag, const Clock& clock,
                             std::chrono::milliseconds time, const std::stop_token& stop);

}  // namespace tidemill::batch
