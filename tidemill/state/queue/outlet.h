// Outlet: where the batches of a job go, in order, numbered from 1. The far side stores the
// progress of the job, its Standing, atomically with the batches. So after a crash of the producer
// or of the server, a producer on any machine reads the standing and continues with the next batch.
//
//   open() ──► standing: batch 17, by run r, cursor "src/k.c" ──► send(18, 19, …) ──► complete()
//
// A job has one producer at a time: open() takes a lease. If a producer loses it, because it was
// stopped or disconnected for too long, the server itself refuses its batches.
//
// After a failure with Cure::retry it is unknown which of the batches were taken: call open() again
// and read the standing. It may be lower than before, if the server lost its last second of writes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "tidemill/base/result.h"

namespace tidemill::queue {

// The progress of a job, as stored by the far side.
struct Standing {
  std::uint64_t last = 0;    // number of the last batch it has; 0: none
  std::string run{};         // of the producer that sent that batch
  std::string cursor{};      // any bytes; the next batch begins after it
  bool is_complete = false;  // complete() was called

  bool operator==(const Standing&) const = default;
};

// A batch to send. The views must be valid during the call.
struct Parcel {
  std::uint64_t number = 0;    // consecutive
  std::string_view id{};       // of the batch: the same contents have the same id
  std::string_view payload{};  // JSON
  std::string_view cursor{};
};

// What the far side did with a batch. A queue that already has a batch with the same id does not
// add it again; the batch is then processed only if it is still waiting.
enum class Arrival : std::uint8_t {
  added,
  known,      // already waiting or active, from another run
  completed,  // refused: a worker completed it, and the queue keeps its id
  failed,     // refused: it failed for good, and the queue keeps it
};

// One thread.
class Outlet {
 public:
  virtual ~Outlet() = default;

  // Reads the standing without the lease. Cure::retry: not reachable.
  [[nodiscard]] virtual Result<std::optional<Standing>> look(const std::stop_token& stop) = 0;

  // Connects if necessary, takes or renews the lease, and returns the standing; nullopt: the job is
  // new. Kind held, Cure::give_up: another producer holds the lease; the reason says who and for
  // how much longer. Cure::retry: not reachable.
  [[nodiscard]] virtual Result<std::optional<Standing>> open(const std::stop_token& stop) = 0;

  // Sends all parcels in this order, or fails. Kind superseded, Cure::give_up: another producer has
  // taken over; the first groups of parcels may have been added before that. Returns the arrival of
  // each parcel; empty: all were added.
  [[nodiscard]] virtual Result<std::vector<Arrival>> send(std::span<const Parcel> parcels,
                                                          const std::stop_token& stop) = 0;

  // Batches in the queue, including those being processed.
  [[nodiscard]] virtual Result<std::uint64_t> depth(const std::stop_token& stop) = 0;

  // Marks the job as complete: the next producer starts over.
  [[nodiscard]] virtual Result<void> complete(const std::stop_token& stop) = 0;

  // Whether the far side has ever replied: then the address is right, and a failure may be
  // transient.
  [[nodiscard]] virtual bool has_answered() const = 0;

  // Releases the lease and disconnects; waits no longer than a call may take.
  virtual void close() = 0;

  // The destination, for people: "redis://127.0.0.1:6379, stream files".
  [[nodiscard]] virtual std::string name() const = 0;
};

}  // namespace tidemill::queue
