// A group of batches on its way into a stream: one transaction, so that all of them come in
// together with the note how far the job has come, or none does (outlet_scripts.h has the proof).
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

// What stays the same from group to group.
struct GroupPlace {
  const StreamKeys& keys;
  std::string_view epoch{};
  std::string_view job{};
};

// How many of them go together: few enough for the memory, and for the patience of others.
[[nodiscard]] std::size_t group_size(std::span<const Parcel> parcels);

// Into `commands`, which is emptied before.
void write_group(redis::Commands& commands, const GroupPlace& place,
                 std::span<const Parcel> parcels, WallTime now, std::string_view progress);

// What came of it, heard reply by reply. One thread.
class GroupOutcome {
 public:
  explicit GroupOutcome(const redis::Commands& commands) : last_(commands.size() - 1) {}
  void hear(std::size_t index, const redis::Reply& reply);

  [[nodiscard]] bool is_taken() const { return is_taken_; }  // whole, and noted
  // The server would not carry out the transaction, or gave an error that is not about ids; empty:
  // it did, and did not.
  [[nodiscard]] const std::string& error() const { return error_; }
  // XADD would not have the ids: something in the stream is greater.
  [[nodiscard]] bool has_refused_ids() const { return has_refused_ids_; }

 private:
  void hear_error(const std::string& text);

  std::size_t last_;
  bool is_taken_ = false;
  bool has_refused_ids_ = false;
  std::string error_;
};

// A fault on purpose, see tests/faults: a lease without a fence. Only in a build with
// TIDEMILL_PLANT.
[[nodiscard]] bool is_unfenced();

}  // namespace tidemill::queue
