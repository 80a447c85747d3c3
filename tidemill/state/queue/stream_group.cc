#include "tidemill/state/queue/stream_group.h"

#include <algorithm>
#include <chrono>
#ifdef TIDEMILL_PLANT
#include <cstdlib>
#endif

#include "tidemill/state/queue/outlet_scripts.h"

namespace tidemill::queue {
namespace {

using redis::Reply;

constexpr std::size_t kParcels = 100;  // larger groups are not faster
constexpr std::size_t kBytes = std::size_t{1} << 20U;

std::string entry_of(std::string_view epoch, std::uint64_t number) {
  if (is_unfenced()) return "*";
  std::string entry(epoch);
  entry += '-';
  entry += std::to_string(number * kRoom);
  return entry;
}

}  // namespace

bool is_unfenced() {
#ifdef TIDEMILL_PLANT
  const char* const plant = std::getenv("TIDEMILL_PLANT");
  return plant != nullptr && std::string_view(plant) == "unfenced";
#else
  return false;
#endif
}

std::size_t group_size(std::span<const Parcel> parcels) {
  std::size_t count = 0;
  std::size_t bytes = 0;
  for (const Parcel& parcel : parcels.first(std::min(parcels.size(), kParcels))) {
    bytes += parcel.payload.size();
    if (count > 0 && bytes > kBytes) break;
    count += 1;
  }
  return count;
}

void write_group(redis::Commands& commands, const GroupPlace& place,
                 std::span<const Parcel> parcels, WallTime now, std::string_view progress) {
  using std::chrono::milliseconds;
  const auto since = std::chrono::duration_cast<milliseconds>(now.time_since_epoch());
  const std::string at = std::to_string(since.count());
  const StreamKeys& keys = place.keys;
  commands.clear();
  commands.add({"MULTI"});
  // NOMKSTREAM: only open() recreates a deleted stream, with its group and its last id; an empty
  // stream would accept any epoch. It is on the first entry only, which the commit script checks:
  // on every entry it would cost the server 4 %.
  const Parcel& first = parcels.front();
  commands.add({"XADD", keys.stream, "NOMKSTREAM", entry_of(place.epoch, first.number), "id",
                first.id, "at", at, "batch", first.payload});
  for (const Parcel& parcel : parcels.subspan(1)) {
    commands.add({"XADD", keys.stream, entry_of(place.epoch, parcel.number), "id", parcel.id, "at",
                  at, "batch", parcel.payload});
  }
  if (is_unfenced()) {
    commands.add({"HSET", keys.progress, place.job, progress});
  } else {
    commands.add({"EVAL", commit_script().text(), "3", keys.stream, keys.epoch, keys.progress,
                  entry_of(place.epoch, first.number), place.epoch, place.job, progress});
  }
  commands.add({"EXEC"});
}

void GroupOutcome::hear(std::size_t index, const Reply& reply) {
  if (reply.is_error()) hear_error(reply.text);
  // The reply to EXEC holds one reply for each command except MULTI and EXEC.
  if (index != last_ || reply.items.size() + 1 != last_) return;
  for (const Reply& item : reply.items) {
    if (item.is_error()) hear_error(item.text);
  }
  const Reply& note = reply.items.back();
  is_taken_ = note.kind == Reply::Kind::integer && (note.number == 1 || is_unfenced());
}

// Keeps the first error; later ones are consequences of it.
void GroupOutcome::hear_error(const std::string& text) {
  if (text.starts_with("ERR The ID specified in XADD")) {
    has_refused_ids_ = true;
  } else if (error_.empty()) {
    error_ = text;
  }
}

}  // namespace tidemill::queue
