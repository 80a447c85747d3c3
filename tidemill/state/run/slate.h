// Slate: what the workers have in hand, and what they have finished and the journal does not have
// yet. A small file, mapped into memory, so it survives kill -9 of the program at no cost.
//
//   worker ── takes(task) ──► [ in hand: one place a worker ]
//          ── finish(news) ─► [ ring of outcomes, written before the worker takes its next task ]
//                                   └── the journal has the same news within 50 ms
//
// The journal commits in groups. Without the slate, everything finished since the last commit would
// be run again after a kill; with it, only what was running. After a crash the next process reads
// the slate first: outcomes go into the journal (which ignores what it already has), and every task
// in hand is told to it as Crashed.
//
// The slate is not synced: after a power cut it may be old, torn, or newer than the output of the
// tasks it calls finished. So it carries the boot id, and after a restart its reader must not
// believe it: the work of the last moments is done again. A torn outcome is recognised by its
// checksum and left out. The file has its full size from the start, so a full disk does not hurt
// it.
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

// What a slate says about the process that wrote it.
struct SlateReading {
  std::uint64_t epoch = 0;                // of the journal's owner; 0: no slate, or not readable
  std::string boot{};                     // when the machine was started
  std::vector<engine::Entry> outcomes{};  // Done, Skipped and Died, oldest first
  std::vector<engine::TaskId> in_hand{};  // were running
};

// Thread-safe, but each worker uses only its own place.
class Slate {
 public:
  struct Options {
    std::string path{};
    std::uint64_t epoch = 0;
    std::string boot{};
    std::size_t workers = 1;
    // More than can be finished and not committed at any moment, or the oldest are overwritten.
    std::size_t outcomes = 4'096;
  };
  static constexpr std::size_t kOutcomeBytes = 256;

  // Nothing there is an empty reading; a damaged file too, as far as it is damaged.
  [[nodiscard]] static Result<SlateReading> read(const std::string& path);
  // Wipes what was there: read it first.
  [[nodiscard]] static Result<std::unique_ptr<Slate>> make(const Options& options);
  Slate(const Slate&) = delete;
  Slate& operator=(const Slate&) = delete;
  ~Slate();

  // The worker begins with a task; 0: its hands are empty.
  void takes(std::size_t worker, engine::TaskId task);
  // Notes how a task ended. A reason that is too long is cut; a result must fit (see fits()).
  void finish(const engine::Entry& news);

  // Whether a result of this many bytes is kept whole.
  [[nodiscard]] static constexpr bool fits(std::size_t bytes) { return bytes <= 160; }

 private:
  Slate(std::byte* base, std::size_t size, const Options& options);

  std::byte* const base_;
  const std::size_t size_;
  const std::size_t workers_;
  const std::size_t outcomes_;
  std::atomic<std::uint64_t> next_ = 0;
};

// "The machine was started then": differs after a reboot. Empty when the system does not say.
[[nodiscard]] std::string boot_id();

}  // namespace tidemill::run
