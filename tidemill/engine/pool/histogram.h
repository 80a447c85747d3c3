// Histogram: durations of tasks, over the lifetime and over a recent window.
//
// The recent window costs the writer nothing for each record. Lifetime counts only grow; twice a
// window the writer copies them into the older of two marks, and the recent counts are the
// lifetime minus a mark:
//
//      mark A         mark B    now              recent(now) = lifetime - A; once A is a
//   ─────┼──────────────┼────────┼──►  time      full window old, lifetime - B
//        ◄── window/2 ──►
//
// So a record is visible for at least half a window and never after a full one, even if the worker
// records nothing more.
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>

#include "tidemill/base/clock.h"
#include "tidemill/engine/pool_stats.h"

namespace tidemill::engine {

// Thread-safe: record() by one thread, the rest by any thread at any time without a lock. There is
// one writer, so adding is a load and a store, not a read-modify-write.
//
// A reader may read between two stores of the writer, and miss a record in the sum that is in the
// counts, or the reverse. A mark is overwritten only when it is a full window old, and then
// recent() does not use it. Only a reader whose `now` is behind the writer's can see part of a new
// mark, which means a shorter window for some buckets. No count is ever negative: marks are stored
// with release and read with acquire, so lifetime counts read after a mark are at least as new.
class alignas(64) Histogram {  // own cache line: the next object belongs to another worker
 public:
  explicit Histogram(std::chrono::nanoseconds window = std::chrono::seconds(60));
  Histogram(const Histogram&) = delete;
  Histogram& operator=(const Histogram&) = delete;

  void record(Instant now, std::chrono::nanoseconds duration) {
    if (now.time_since_epoch().count() >= mark_due_) set_mark(now);
    add(counts_[HistogramScale::bucket_of(duration)], 1);
    add(sum_, duration.count() > 0 ? static_cast<std::uint64_t>(duration.count()) : 0);
  }

  [[nodiscard]] HistogramSnapshot lifetime() const;  // only grows
  [[nodiscard]] HistogramSnapshot recent(Instant now) const;

 private:
  using Cell = std::atomic<std::uint64_t>;
  using Counts = std::array<Cell, HistogramScale::kBuckets>;

  // The lifetime counts at `since`.
  struct Mark {
    std::atomic<Instant::rep> since = Instant::min().time_since_epoch().count();
    Cell sum = 0;
    Counts counts{};
  };

  static void add(Cell& cell, std::uint64_t n) {
    cell.store(cell.load(std::memory_order_relaxed) + n, std::memory_order_relaxed);
  }
  void set_mark(Instant now);
  [[nodiscard]] const Mark* mark_for(Instant now) const;

  const Instant::duration window_;

  // Used by the writer only.
  Instant::rep mark_due_ = Instant::min().time_since_epoch().count();
  std::size_t older_ = 0;  // the mark to overwrite next

  // Written by the writer, read by any thread.
  Cell sum_ = 0;
  Counts counts_{};
  std::array<Mark, 2> marks_;
};

}  // namespace tidemill::engine
