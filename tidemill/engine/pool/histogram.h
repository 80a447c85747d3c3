// Histogram: how long tasks took, over the whole life and over a recent window.
//
// Buckets are four to an octave from 64 ns to 2^47 ns (39 hours); what is shorter shares the first
// and what is longer the last. A percentile is the middle of a bucket, so it is off by at most 1/8
// of the true value (by at most 32 ns below 64 ns; longer than 39 hours is reported as 39 hours).
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
#include <bit>
#include <chrono>
#include <cstddef>
#include <cstdint>

#include "tidemill/base/clock.h"

namespace tidemill::engine {

// Which bucket a duration falls into. Immutable.
struct HistogramScale {
  static constexpr int kFirstOctave = 6;  // 2^6 ns: shorter ones are all in bucket 0
  static constexpr int kLastOctave = 47;  // 2^47 ns: from here on all in the last bucket
  static constexpr std::size_t kBuckets = 4 * (kLastOctave - kFirstOctave) + 2;

  [[nodiscard]] static constexpr std::size_t bucket_of(std::chrono::nanoseconds duration) {
    const std::int64_t ns = duration.count();
    if (ns < std::int64_t{1} << kFirstOctave) return 0;  // a negative one too
    if (ns >= std::int64_t{1} << kLastOctave) return kBuckets - 1;
    const auto bits = static_cast<std::uint64_t>(ns);
    const auto octave = static_cast<int>(std::bit_width(bits)) - 1;  // unsigned in g++ 12
    const auto quarter = (bits >> (octave - 2)) & 3U;  // the two bits below the highest
    return 1 + 4 * static_cast<std::size_t>(octave - kFirstOctave) + quarter;
  }

  // A bucket holds lower <= duration < upper. The last has no end: nanoseconds::max().
  [[nodiscard]] static std::chrono::nanoseconds lower(std::size_t bucket);
  [[nodiscard]] static std::chrono::nanoseconds upper(std::size_t bucket);
};

// What a histogram held at one moment. A value: add those of several workers. Without records every
// answer is zero.
struct HistogramSnapshot {
  std::array<std::uint64_t, HistogramScale::kBuckets> counts{};
  std::chrono::nanoseconds sum{0};

  HistogramSnapshot& operator+=(const HistogramSnapshot& other);
  bool operator==(const HistogramSnapshot&) const = default;

  [[nodiscard]] std::uint64_t count() const;
  [[nodiscard]] std::chrono::nanoseconds mean() const;
  // The shortest duration that `percent` (0 to 100) of the records do not exceed.
  [[nodiscard]] std::chrono::nanoseconds percentile(double percent) const;
  [[nodiscard]] std::chrono::nanoseconds max() const;  // an upper bound: every record is below
};

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
