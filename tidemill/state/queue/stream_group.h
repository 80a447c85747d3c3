// Writes a group of batches to a stream in one transaction: all of them are added together with the
// progress record of the job, or none (outlet_scripts.h has the proof).
//
//   MULTI, XADD …, XADD …, EVAL commit, EXEC
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "tidemill/base/clock.h"
#include "tidemill/io/redis/client.h"
#include "tidemill/io/redis/reply.h"
#include "tidemill/state/queue/outlet.h"
#include "tidemill/state/queue/stream_keys.h"

namespace tidemill::queue {

// The values that are the same for every group.
struct GroupPlace {
  const StreamKeys& keys;
  std::string_view epoch{};
  std::string_view job{};
};

// How many of the first parcels form a group: bounds the memory and how long the server is blocked.
[[nodiscard]] std::size_t group_size(std::span<const Parcel> parcels);

// Replaces the contents of `commands`.
void write_group(redis::Commands& commands, const GroupPlace& place,
                 std::span<const Parcel> parcels, WallTime now, std::string_view progress);

// The outcome of a group, collected reply by reply. One thread.
class GroupOutcome {
 public:
  explicit GroupOutcome(const redis::Commands& commands) : last_(commands.size() - 1) {}
  void hear(std::size_t index, const redis::Reply& reply);

  [[nodiscard]] bool is_taken() const { return is_taken_; }  // all added, progress recorded
  // Why the server refused the transaction, or its first error that is not about ids; empty: none.
  [[nodiscard]] const std::string& error() const { return error_; }
  // XADD refused the ids: the last id of the stream is not lower.
  [[nodiscard]] bool has_refused_ids() const { return has_refused_ids_; }

 private:
  void hear_error(const std::string& text);

  std::size_t last_;
  bool is_taken_ = false;
  bool has_refused_ids_ = false;
  std::string error_;
};

// A deliberate fault, see tests/faults: a lease without fencing. Only in a build with
// TIDEMILL_PLANT.
[[nodiscard]] bool is_unfenced();

}  // namespace tidemill::queue
