// InFlightLog: the tasks that the workers are running, and the outcomes that are not in the journal
// yet. It is a small memory-mapped file, so it survives kill -9 of the program at no cost.
//
//   worker ── takes(task) ──► [ running tasks: one slot per worker ]
//          ── finish(entry) ► [ ring of outcomes, written before the worker takes its next task ]
//                                   └── the journal gets the same entry with its next commit
//
// The journal commits in groups. Without the in-flight log, all tasks finished since the last
// commit would run again after a kill; with it, only those that were running. After a crash, the
// next process reads the in-flight log first: it writes the outcomes that the journal lacks, and
// records each running task as Crashed.
//
// The in-flight log is not synced: after a power cut it may be old, torn, or newer than the output
// of the tasks it lists as finished. So it contains the boot id, and after a reboot its reader must
// not trust it: those tasks run again. A torn outcome has a wrong checksum and is skipped. The file
// has its full size from the start, so a full disk does not affect it.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "tidemill/base/result.h"
#include "tidemill/engine/journal.h"

namespace tidemill::run {

// The contents of an in-flight log.
struct InFlightReading {
  std::uint64_t epoch = 0;  // of the journal's owner; 0: no in-flight log, or not readable
  std::string boot{};       // boot_id() of its writer
  std::vector<engine::Entry> outcomes{};  // Done, Skipped and Died, oldest first
  std::vector<engine::TaskId> in_hand{};  // tasks that were running
};

// Thread-safe, but each worker must use only its own slot.
class InFlightLog {
 public:
  struct Options {
    std::string path{};
    std::uint64_t epoch = 0;
    std::string boot{};
    std::size_t workers = 1;
    // At least the number of tasks finished but not committed; otherwise the oldest are lost.
    std::size_t outcomes = 4'096;
  };
  static constexpr std::size_t kOutcomeBytes = 256;

  // A missing file gives an empty reading. Damaged parts of a file are left out.
  [[nodiscard]] static Result<InFlightReading> read(const std::string& path);
  // Overwrites an existing file: read it first.
  [[nodiscard]] static Result<std::unique_ptr<InFlightLog>> make(const Options& options);
  InFlightLog(const InFlightLog&) = delete;
  InFlightLog& operator=(const InFlightLog&) = delete;
  ~InFlightLog();

  // The worker starts a task; 0: it has none.
  void takes(std::size_t worker, engine::TaskId task);
  // Records the outcome of a task. A reason that is too long is truncated; a result must fit (see
  // fits()).
  void finish(const engine::Entry& entry);

  // Whether a result of this many bytes is stored in full.
  [[nodiscard]] static constexpr bool fits(std::size_t bytes) { return bytes <= 160; }

 private:
  InFlightLog(std::byte* base, std::size_t size, const Options& options);

  std::byte* const base_;
  const std::size_t size_;
  const std::size_t workers_;
  const std::size_t outcomes_;
  std::atomic<std::uint64_t> next_ = 0;
};

// The kernel's boot id: differs after a reboot. Empty if it cannot be read.
[[nodiscard]] std::string boot_id();

}  // namespace tidemill::run
