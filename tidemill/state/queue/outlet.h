// Outlet: where the batches of a job go, one after the other, numbered from 1. The far side keeps,
// with the batches themselves and in one stroke, how far the job has come: its Standing. So whoever
// goes on with the job, after a crash of the producer or of the server, on this machine or another,
// asks for the standing and sends what comes behind it.
//
//   open() ──► standing: batch 17, by run r, cursor "src/k.c" ──► send(18, 19, …) ──► complete()
//
// A job has one producer at a time: open() takes a lease. A producer that has lost it, because it
// was stopped for too long or cut off, is refused by the server, not by its own good will.
//
// After any failure with Cure::retry nobody knows which of the batches were taken: open() again,
// and the standing tells. It may also be lower than what was taken before: the server has lost its
// last second.
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

// What the far side knows of a job.
struct Standing {
  std::uint64_t last = 0;    // the number of the last batch it has; 0: none
  std::string run{};         // of the producer that sent it
  std::string cursor{};      // any bytes: behind it the next batch begins
  bool is_complete = false;  // the job came to its end

  bool operator==(const Standing&) const = default;
};

// A batch on its way. Views are good during the call.
struct Parcel {
  std::uint64_t number = 0;    // one above the one before
  std::string_view id{};       // of the batch: the same contents have the same id
  std::string_view payload{};  // JSON
  std::string_view cursor{};
};

// What the far side did with a batch. A queue that knows a batch by its id does not take it again,
// and then it is worked on only if it still waits.
enum class Arrival : std::uint8_t {
  added,
  known,      // waits or is being worked on, from another run
  completed,  // refused: a worker is done with it, and the queue keeps its id
  failed,     // refused: workers gave it up, and the queue keeps it
};

// One thread.
class Outlet {
 public:
  virtual ~Outlet() = default;

  // Where the job stands, whoever holds the lease. Cure::retry: not reachable.
  [[nodiscard]] virtual Result<std::optional<Standing>> look(const std::stop_token& stop) = 0;

  // Connects if need be, takes or renews the lease, and says where the job stands; nothing: it is
  // new here. Kind held, Cure::give_up: somebody else holds it; the reason says who and for how
  // long still. Cure::retry: not reachable.
  [[nodiscard]] virtual Result<std::optional<Standing>> open(const std::stop_token& stop) = 0;

  // All of them in this order, or a failure. Kind superseded, Cure::give_up: another producer has
  // taken over, and none of these was taken. Says what became of each; nothing: all were added.
  [[nodiscard]] virtual Result<std::vector<Arrival>> send(std::span<const Parcel> parcels,
                                                          const std::stop_token& stop) = 0;

  // Batches waiting to be worked on, those in hand too.
  [[nodiscard]] virtual Result<std::uint64_t> depth(const std::stop_token& stop) = 0;

  // The job has come to its end: the next producer begins anew.
  [[nodiscard]] virtual Result<void> complete(const std::stop_token& stop) = 0;

  // Whether the far side has ever answered: then its address is right, and a failure may pass.
  [[nodiscard]] virtual bool has_answered() const = 0;

  // Gives the lease back and disconnects; waits no longer than a call may take.
  virtual void close() = 0;

  // Where to, for people: "redis://127.0.0.1:6379, stream files".
  [[nodiscard]] virtual std::string name() const = 0;
};

}  // namespace tidemill::queue
