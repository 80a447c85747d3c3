#include "tidemill/state/fleet/run_journal.h"

#include <charconv>
#include <string>
#include <variant>

#include "tidemill/base/try.h"

namespace tidemill::fleet {
namespace {

constexpr std::string_view kEpochNote = "fleet_epoch";

}  // namespace

Result<engine::FleetEpoch> FleetRunJournal::epoch() {
  LET(const auto note, journal_.note(kEpochNote));
  engine::FleetEpoch epoch = 0;
  if (note) (void)std::from_chars(note->data(), note->data() + note->size(), epoch);
  return epoch;
}

Result<void> FleetRunJournal::record(engine::FleetEpoch epoch) {
  const journal::Note note{.key = std::string(kEpochNote), .value = std::to_string(epoch)};
  return journal_.commit({}, {&note, 1});
}

Result<std::optional<engine::TaskRecord>> FleetRunJournal::task(engine::TaskId id) {
  return journal_.task(id);
}

Result<void> FleetRunJournal::commit(std::span<const engine::Entry> entries,
                                     std::span<const engine::TaskReport* const> reports) {
  TRY(store(entries, reports));
  for (const engine::Entry& entry : entries) {
    if (std::holds_alternative<engine::Done>(entry)) ++done_;
    if (std::holds_alternative<engine::Skipped>(entry)) ++skipped_;
    if (std::holds_alternative<engine::Died>(entry)) ++failed_;
  }
  return {};
}

engine::FlowCounts FleetRunJournal::counts() const {
  engine::FlowCounts counts{
      .done = done_.load(), .skipped = skipped_.load(), .failed = failed_.load()};
  counts.found = counts.settled();
  return counts;
}

}  // namespace tidemill::fleet
