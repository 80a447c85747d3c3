// Histogram: how long tasks took, over the whole life and over a recent window.
//
// The recent window costs the writer nothing for each record. Lifetime counts only grow; twice a
// window the writer copies them into the older of two marks, and the recent counts are the
// lifetime minus a mark:
//
//      mark A         mark B    now              recent(now) = lifetime - A, and from the moment
//   ─────┼──────────────┼────────┼──►  time      A is a whole window old, lifetime - B
//        ◄── window/2 ──►
//
// So a record is seen for at least half a window and never after a whole one, also when the worker
// has nothing more to record.
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>

#include "tidemill/base/clock.h"
#include "tidemill/engine/pool_stats.h"

namespace tidemill::engine {

// record() by one thread, the rest by any thread at any time without a lock. There is one writer,
// so a load and a store do for adding; no read-modify-write.
//
// A reader may catch the writer between two stores and miss a record in the sum that is in the
// counts, or the other way round. A mark is overwritten only when it is a whole window old, and
// then recent() does not look at it: only a reader whose `now` lies behind the writer's can see
// part of a new mark, that is a shorter window for some buckets. No count is ever negative: a mark
// is published with release, and what is read after it with acquire is at least as new.
class alignas(64) Histogram {  // a line of its own: the neighbour belongs to another worker
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

  // The lifetime as it was at `since`.
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

  // Of the writer alone.
  Instant::rep mark_due_ = Instant::min().time_since_epoch().count();
  std::size_t older_ = 0;  // the mark to overwrite next

  // Written by the writer, read by anybody.
  Cell sum_ = 0;
  Counts counts_{};
  std::array<Mark, 2> marks_;
};

}  // namespace tidemill::engine
