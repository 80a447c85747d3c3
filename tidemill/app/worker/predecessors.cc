#include "tidemill/app/worker/predecessors.h"

#include <chrono>
#include <filesystem>
#include <system_error>
#include <utility>
#include <vector>

#include "tidemill/base/system_text.h"
#include "tidemill/base/try.h"
#include "tidemill/engine/fleet_worker.h"
#include "tidemill/io/files/private_files.h"
#include "tidemill/io/proc/leftovers.h"
#include "tidemill/state/fleet/redis_fleet.h"
#include "tidemill/state/run/in_flight_log.h"

namespace tidemill::app {
namespace {

namespace fs = std::filesystem;

// In the environment of commands, followed by the consumer that started them.
constexpr const char* kMark = "TIDEMILL_MARK=";

// Begins the name of a folder that is not locked yet. If its process is killed before that, the
// folder stays, with nothing in it but the lock file.
constexpr const char* kNew = ".new-";

}  // namespace

Result<run::RunLock> make_worker_folder(const std::string& folder, const std::string& consumer,
                                        WallTime now) {
  const std::string unlocked = folder + "/" + kNew + consumer;
  TRY(files::make_private_folders(unlocked));
  LET(auto lock, run::RunLock::take(unlocked + "/lock", now));
  std::error_code error;
  fs::rename(unlocked, folder + "/" + consumer, error);
  if (error)
    return fail(Cure::give_up, "state folder", unlocked + ": " + system_text(error.value()));
  return lock;
}

void Predecessors::report(const std::string& own) {
  std::error_code error;
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(folder_, error)) {
    names.push_back(entry.path().filename().string());
  }
  for (const std::string& name : names) {
    const std::string folder = folder_ + "/" + name;
    if (name == own || name.starts_with(kNew)) continue;
    const auto lock = run::RunLock::take(folder + "/lock", parts_.clock.wall());
    if (!lock) continue;  // it lives
    if (auto reported = report_for(name, folder); !reported) {
      parts_.log.write(LogLevel::warning, "worker " + name +
                                              " was killed, and its tasks are not reported: " +
                                              text_of(reported.error()));
    }
    fs::remove_all(folder, error);
  }
}

Result<void> Predecessors::report_for(const std::string& consumer, const std::string& folder) {
  (void)proc::end_marked({kMark + consumer}, std::chrono::milliseconds(0));
  LET(const auto listing, parts_.board.runs());
  for (const auto& listed : listing.runs) {
    if (!listed.is_genuine) continue;  // its name may be anything, so it names no file
    LET(const auto reading, run::InFlightLog::read(folder + "/" + listed.run.name + "/slate"));
    if (reading.boot != run::boot_id()) continue;
    fleet::RedisFleetMember member(
        parts_.client,
        {.fleet = fleet_, .run = listed.run.name, .key = key_, .term = listed.run.term}, consumer);
    LET(auto held, member.held());
    for (engine::FleetParcel& parcel : held) {
      const engine::ParcelId id = parcel.id;
      const engine::ParcelInHand in_hand{
          .parcel = std::move(parcel), .running = {reading.in_hand.begin(), reading.in_hand.end()}};
      LET(const bool was_held, member.give(id, engine::last_report(in_hand)));
      (void)was_held;  // the coordinator was faster
    }
  }
  return {};
}

}  // namespace tidemill::app
