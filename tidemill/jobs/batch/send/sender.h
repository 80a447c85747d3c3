// Sender: brings batches from the journal to the outlet, in the order of their numbers, on a thread
// of its own, and notes that they have arrived.
//
//   put(sealed) ──► bounded channel ──► room in the queue? ──► outlet.send ──► journal: done
//                                             │ connection lost, server back with an older state,
//                                             ▼ lease run out
//                        open the outlet again: its standing says which number it has last
//                        ──► from there on everything in the journal goes out again, same ids
//
// It ends with a Failure when another producer has taken over (superseded, held), when the server
// does not answer for longer than the patience, or when it was stopped (Cure::resume). Whatever
// happens, a batch that is not noted as arrived is in the journal, and the next process goes on.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "tidemill/base/clock.h"
#include "tidemill/base/guarded.h"
#include "tidemill/base/result.h"
#include "tidemill/engine/channel.h"
#include "tidemill/jobs/batch/ledger.h"
#include "tidemill/state/journal/patience.h"
#include "tidemill/state/journal/sqlite_journal.h"
#include "tidemill/state/queue/outlet.h"
#include "tidemill/ui/command/console.h"

namespace tidemill::batch {

// What the outlet has, of all processes of the run. Of batches whose answer was lost it is not
// known whether they were added; they count as added.
struct Sent {
  std::uint64_t last = 0;  // the highest number
  std::uint64_t batches = 0;
  std::uint64_t files = 0;
  std::uint64_t tokens = 0;
  // Of these, the queue had them under their ids before, and did not add them.
  std::uint64_t known = 0;  // wait, or are being worked on
  std::uint64_t completed = 0;
  std::uint64_t failed = 0;
  std::uint64_t old_files = 0;  // in all three

  [[nodiscard]] std::uint64_t refused() const { return completed + failed; }
  [[nodiscard]] std::uint64_t added() const { return batches - known - refused(); }
  [[nodiscard]] std::uint64_t added_files() const { return files - old_files; }
  bool operator==(const Sent&) const = default;
};
[[nodiscard]] std::string text_of(const Sent& sent);
[[nodiscard]] Sent sent_of(std::string_view text);

// Thread-safe: put() by one thread.
class Sender {
 public:
  struct Parts {
    queue::Outlet& outlet;
    journal::SqliteJournal& journal;
    journal::Patience& disk;
    command::Console& console;
    const Clock& clock;
    std::string run{};
    std::uint64_t base = 0;  // the number before its first
    std::uint64_t max_queued = 0;
    std::chrono::milliseconds patience{0};
    std::chrono::milliseconds settle{0};
  };

  // The outlet is open and stands there.
  Sender(Parts parts, Sent before, std::uint64_t stands_at);
  Sender(const Sender&) = delete;
  Sender& operator=(const Sender&) = delete;
  ~Sender();  // stops and joins

  // Waits for room. False: it has ended.
  [[nodiscard]] bool put(Sealed sealed);
  // No more will come: waits until all has arrived, and the job is noted as complete if `is_whole`.
  [[nodiscard]] Result<void> finish(bool is_whole);
  void stop();

  [[nodiscard]] Sent sent() { return *sent_.lock(); }
  [[nodiscard]] bool has_ended() { return ended_.lock()->has_value(); }

 private:
  struct Mark {
    std::uint64_t number = 0;
    engine::TaskId task = 0;
  };
  static constexpr std::size_t kGroup = 100;
  static constexpr std::uint64_t kMarkEvery = 64;

  void end(Result<void> result);
  [[nodiscard]] Result<void> serve(const std::stop_token& stop);
  [[nodiscard]] Result<void> deliver(std::vector<Sealed>& group, const std::stop_token& stop);
  [[nodiscard]] Result<void> send(std::span<const Sealed> all, const std::stop_token& stop);
  // No arrivals: all were added.
  [[nodiscard]] Result<void> note_arrival(std::span<const Sealed> group,
                                          std::span<const queue::Arrival> arrivals);
  [[nodiscard]] Result<void> wait_for_room(const std::stop_token& stop);
  [[nodiscard]] Result<void> recover(const Failure& because, const std::stop_token& stop);
  [[nodiscard]] Result<void> bear(const Failure& reason, const std::stop_token& stop);
  [[nodiscard]] Result<std::uint64_t> reopen(const Failure& because, const std::stop_token& stop);
  [[nodiscard]] Result<void> catch_up(std::uint64_t stands_at, const std::stop_token& stop);
  [[nodiscard]] Result<void> settle(const std::stop_token& stop);
  [[nodiscard]] Result<void> complete(const std::stop_token& stop);
  [[nodiscard]] bool nap(std::chrono::milliseconds time, const std::stop_token& stop);

  const Parts parts_;
  engine::Channel<Sealed> channel_;
  Guarded<Sent> sent_;
  std::atomic<bool> is_whole_ = false;
  Guarded<std::optional<Result<void>>> ended_;
  Guarded<bool> napping_;

  // The thread's alone.
  std::uint64_t stands_at_;  // the outlet has all up to this number
  std::uint64_t noted_;      // and the journal knows it of these
  std::uint64_t room_ = 0;   // so many may be sent before the depth is asked for again
  std::optional<Instant> troubled_until_;  // the patience ends then, unless a batch arrives before
  std::chrono::milliseconds pause_{0};     // before the next recovery
  std::vector<Mark> marks_;                // where in the journal numbers are, sparsely
  std::jthread thread_;                    // last
};

}  // namespace tidemill::batch
