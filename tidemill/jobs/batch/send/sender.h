// Sender: sends batches from the journal to the outlet in the order of their numbers, on a thread
// of its own, and records their arrival in the journal.
//
//   put(sealed) ──► bounded channel ──► room in the queue? ──► outlet.send ──► journal: done
//                                             │ connection lost, server back with an older state,
//                                             ▼ lease expired
//                        open the outlet again: its standing has the last number it received
//                        ──► everything after that number is sent again, with the same ids
//
// It ends with a Failure when another producer has taken over (superseded, held), when the server
// does not answer for longer than `patience`, or when it was stopped (Cure::resume). In every case
// a batch that is not recorded as arrived is still in the journal, and the next process sends it.
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
#include "tidemill/jobs/batch/batch_journal.h"
#include "tidemill/state/journal/disk_full_wait.h"
#include "tidemill/state/journal/sqlite_journal.h"
#include "tidemill/state/queue/outlet.h"
#include "tidemill/ui/command/console.h"

namespace tidemill::batch {

// What the outlet has received, over all processes of the run. Batches whose answer was lost count
// as added, although the queue may have known them already.
struct Sent {
  std::uint64_t last = 0;  // the highest number
  std::uint64_t batches = 0;
  std::uint64_t files = 0;
  std::uint64_t tokens = 0;
  // Batches that the queue did not add, because it already had a job with the same id.
  std::uint64_t known = 0;  // waiting or in progress
  std::uint64_t completed = 0;
  std::uint64_t failed = 0;
  std::uint64_t old_files = 0;  // files in these three

  [[nodiscard]] std::uint64_t refused() const { return completed + failed; }
  [[nodiscard]] std::uint64_t added() const { return batches - known - refused(); }
  [[nodiscard]] std::uint64_t added_files() const { return files - old_files; }
  bool operator==(const Sent&) const = default;
};
[[nodiscard]] std::string text_of(const Sent& sent);
[[nodiscard]] Sent sent_of(std::string_view text);

// Thread-safe, but put() must be called by one thread only.
class Sender {
 public:
  struct Context {
    queue::Outlet& outlet;
    journal::SqliteJournal& journal;
    journal::DiskFullWait& disk;
    command::Console& console;
    const Clock& clock;
    std::string run{};
    std::uint64_t base = 0;  // the number before the run's first batch
    std::uint64_t max_queued = 0;
    std::chrono::milliseconds patience{0};
    std::chrono::milliseconds settle{0};
  };

  // The outlet must be open; `last_delivered` is the number of its last batch.
  Sender(Context context, Sent before, std::uint64_t last_delivered);
  Sender(const Sender&) = delete;
  Sender& operator=(const Sender&) = delete;
  ~Sender();  // stops and joins

  // Waits for room. Returns false if the sender has ended.
  [[nodiscard]] bool put(Sealed sealed);
  // Call after the last put(). Waits until every batch has arrived, and marks the job as complete
  // if `is_complete`.
  [[nodiscard]] Result<void> finish(bool is_complete);
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
  // Without arrivals, all count as added.
  [[nodiscard]] Result<void> note_arrival(std::span<const Sealed> group,
                                          std::span<const queue::Arrival> arrivals);
  [[nodiscard]] Result<void> wait_for_room(const std::stop_token& stop);
  [[nodiscard]] Result<void> recover(const Failure& because, const std::stop_token& stop);
  [[nodiscard]] Result<void> back_off(const Failure& reason, const std::stop_token& stop);
  [[nodiscard]] Result<std::uint64_t> reopen(const Failure& because, const std::stop_token& stop);
  [[nodiscard]] Result<void> catch_up(std::uint64_t last_delivered, const std::stop_token& stop);
  [[nodiscard]] Result<void> settle(const std::stop_token& stop);
  [[nodiscard]] Result<void> complete(const std::stop_token& stop);
  [[nodiscard]] bool nap(std::chrono::milliseconds time, const std::stop_token& stop);

  const Context context_;
  engine::Channel<Sealed> channel_;
  Guarded<Sent> sent_;
  std::atomic<bool> is_complete_ = false;
  Guarded<std::optional<Result<void>>> ended_;
  Guarded<bool> napping_;

  // Used by the sender's thread only.
  std::uint64_t last_delivered_;        // the outlet has every batch up to this number
  std::uint64_t noted_;                 // the journal has recorded arrivals up to this number
  std::uint64_t room_ = 0;              // batches to send before the queue's depth is read again
  std::optional<Instant> retry_until_;  // end of recovery, unless a batch arrives before
  std::chrono::milliseconds pause_{0};  // before the next recovery
  std::vector<Mark> marks_;             // sparse index: batch number to journal task
  std::jthread thread_;                 // last: it uses everything above
};

}  // namespace tidemill::batch
