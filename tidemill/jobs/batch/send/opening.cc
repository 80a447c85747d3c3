#include "tidemill/jobs/batch/send/opening.h"

#include <algorithm>
#include <string>
#include <utility>

#include "tidemill/base/dice.h"
#include "tidemill/base/try.h"
#include "tidemill/jobs/batch/send/stopped.h"

namespace tidemill::batch {
namespace {

using command::Tone;
using std::chrono::milliseconds;

std::unexpected<Failure> taken_over(const queue::Standing& standing) {
  return std::unexpected(
      Failure{.cure = Cure::give_up,
              .kind = FailureKind::superseded,
              .step = "stale",
              .reason = "another producer took over at batch " + std::to_string(standing.last) +
                        " (run " + standing.run + ")",
              .hint = "do nothing: the other producer continues where this one was"});
}

// The outlet's standing before the first attempt.
struct Before {
  std::optional<queue::Standing> standing{};
};

Result<OpenedOutlet> open_once(const OutletOpener& opening, std::optional<Before>& before,
                               const std::stop_token& stop) {
  if (opening.waits_for_lease && !before) {
    LET(auto standing, opening.outlet.look(stop));
    before = Before{std::move(standing)};
  }
  LET(auto standing, opening.outlet.open(stop));
  const bool is_complete = standing && standing->is_complete;
  const bool is_news = before && standing != before->standing;
  return OpenedOutlet{.standing = std::move(standing),
                      .was_completed_meanwhile = is_complete && is_news};
}

milliseconds patience_of(const OutletOpener& opening) {
  if (opening.outlet.has_answered()) return opening.patience;
  return std::min(opening.patience, kFirstPatience);
}

}  // namespace

bool sleep_for(Guarded<bool>& wake_flag, const Clock& clock, milliseconds time,
               const std::stop_token& stop) {
  const std::stop_callback wake(stop,
                                [&] { wake_flag.update([](bool& is_over) { is_over = true; }); });
  auto lock = wake_flag.lock();
  (void)lock.wait_until(clock, clock.now() + time, [](bool is_over) { return is_over; });
  return !stop.stop_requested();
}

Result<std::uint64_t> standing_of(const queue::Standing& standing, std::string_view run,
                                  std::uint64_t base) {
  if (standing.run == run) return standing.last;
  if (standing.last > base) return taken_over(standing);
  if (standing.last == base) return base;
  return std::unexpected(Failure{.cure = Cure::give_up,
                                 .step = "lost",
                                 .reason = "the queue lost batches of an earlier producer",
                                 .hint = "use --restart to start over"});
}

Result<OpenedOutlet> open_patiently(const OutletOpener& opening, const std::stop_token& stop) {
  Guarded<bool> wake_flag(false);
  SeededDice dice(static_cast<std::uint64_t>(opening.clock.now().time_since_epoch().count()));
  Instant failing_since = opening.clock.now();
  milliseconds longest = kShortestNap;
  bool has_told = false;
  std::optional<Before> before;
  while (true) {
    auto opened = open_once(opening, before, stop);
    if (opened) {
      const bool continues = !opened->was_completed_meanwhile;
      if (has_told && continues) opening.console.say(Tone::good, "Connected. Continuing.");
      return opened;
    }
    const Failure& failure = opened.error();
    const bool is_held = failure.kind == FailureKind::held && opening.waits_for_lease;
    if (stop.stop_requested()) return stopped();
    if (is_held) failing_since = opening.clock.now();
    if (!is_held && (failure.cure != Cure::retry ||
                     opening.clock.now() >= failing_since + patience_of(opening))) {
      return opened;
    }
    if (!std::exchange(has_told, true)) {
      opening.console.say(Tone::warning, "Waiting: " + tidemill::text_of(failure) + ".");
    }
    const auto time = milliseconds(
        static_cast<std::int64_t>(dice.draw() * static_cast<double>(longest.count())) + 20);
    if (!sleep_for(wake_flag, opening.clock, time, stop)) return stopped();
    longest = std::min(2 * longest, kLongestNap);
  }
}

}  // namespace tidemill::batch
