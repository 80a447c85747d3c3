#include "tidemill/state/fleet/drive_progress.h"

#include <algorithm>
#include <utility>

#include "tidemill/formats/text/counted.h"
#include "tidemill/formats/text/printable.h"

namespace tidemill::fleet {

std::vector<engine::WorkerStats> rows_of(const FleetDrive::Seen& seen) {
  std::vector<engine::WorkerStats> rows;
  for (const engine::WorkerCard& card : seen.roster) {
    engine::WorkerStats row{.note = card.host + ": " + text::counted(card.running.size(), "task") +
                                    " of " + std::to_string(card.places)};
    if (!card.running.empty()) row.running = card.running.front();
    rows.push_back(std::move(row));
  }
  return rows;
}

std::vector<history::HostObservation> hosts_of(const FleetDrive::Seen& seen) {
  std::vector<history::HostObservation> hosts;
  for (const engine::WorkerCard& card : seen.roster) {
    auto host = std::ranges::find(hosts, card.host, &history::HostObservation::host);
    if (host == hosts.end()) host = hosts.insert(host, {.host = card.host});
    host->busy += card.running.size();
    host->places += card.places;
  }
  return hosts;
}

std::string waits_for(const FleetDrive::Seen& seen, const std::string& fleet) {
  if (seen.is_silent) return "the Redis server, which does not answer";
  if (seen.roster.empty()) return "workers on the fleet " + fleet;
  return {};
}

std::string nobody_text(const std::string& fleet, const std::string& host, const std::string& why) {
  if (host.empty()) {
    return "No worker is on the fleet " + fleet + ". The run waits for one: tidemill worker " +
           "--fleet " + fleet;
  }
  return "No worker takes tasks of this run. " + text::printable(host) +
         " refuses it: " + text::printable(why) + ".";
}

std::string silence_text(const Failure* failure) {
  if (failure == nullptr) return "The fleet answers again.";
  return "Waiting for the fleet: " + text_of(*failure) + ".";
}

}  // namespace tidemill::fleet
