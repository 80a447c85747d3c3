#include "tidemill/engine/pool/histogram.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <functional>
#include <numeric>

namespace tidemill::engine {

using std::chrono::nanoseconds;

nanoseconds HistogramScale::lower(std::size_t bucket) {
  if (bucket == 0) return nanoseconds(0);
  const std::size_t octave = kFirstOctave + (bucket - 1) / 4;
  const auto quarters = static_cast<std::int64_t>(4 + (bucket - 1) % 4);
  return nanoseconds(quarters << (octave - 2));
}

nanoseconds HistogramScale::upper(std::size_t bucket) {
  return bucket + 1 < kBuckets ? lower(bucket + 1) : nanoseconds::max();
}

HistogramSnapshot& HistogramSnapshot::operator+=(const HistogramSnapshot& other) {
  std::ranges::transform(counts, other.counts, counts.begin(), std::plus<>());
  sum += other.sum;
  return *this;
}

std::uint64_t HistogramSnapshot::count() const {
  return std::accumulate(counts.begin(), counts.end(), std::uint64_t{0});
}

// The sum may not match the counts exactly: clamped to what the filled buckets allow.
nanoseconds HistogramSnapshot::mean() const {
  const std::uint64_t records = count();
  if (records == 0) return nanoseconds(0);
  const auto first = std::ranges::find_if(counts, [](auto n) { return n != 0; });
  const auto shortest = HistogramScale::lower(static_cast<std::size_t>(first - counts.begin()));
  return std::clamp(sum / static_cast<std::int64_t>(records), shortest, max());
}

nanoseconds HistogramSnapshot::percentile(double percent) const {
  const std::uint64_t records = count();
  if (records == 0) return nanoseconds(0);
  // Multiplied first: 99.9 / 100 * 1000 is slightly more than 999.
  const double rank =
      std::ceil(std::clamp(percent, 0.0, 100.0) * static_cast<double>(records) / 100);
  std::uint64_t seen = 0;
  std::size_t bucket = 0;
  for (; bucket + 1 < counts.size(); ++bucket) {
    seen += counts[bucket];
    if (seen > 0 && static_cast<double>(seen) >= rank) break;
  }
  const auto low = HistogramScale::lower(bucket);
  if (bucket + 1 == counts.size()) return low;  // unbounded: it has no middle
  return low + (HistogramScale::upper(bucket) - low) / 2;
}

nanoseconds HistogramSnapshot::max() const {
  for (std::size_t bucket = counts.size(); bucket > 0; --bucket) {
    if (counts[bucket - 1] != 0) return HistogramScale::upper(bucket - 1);
  }
  return nanoseconds(0);
}

Histogram::Histogram(nanoseconds window) : window_(window) { assert(window > nanoseconds(0)); }

HistogramSnapshot Histogram::lifetime() const {
  HistogramSnapshot snapshot;
  snapshot.sum = nanoseconds(sum_.load(std::memory_order_relaxed));
  for (std::size_t i = 0; i < counts_.size(); ++i) {
    snapshot.counts[i] = counts_[i].load(std::memory_order_relaxed);
  }
  return snapshot;
}

HistogramSnapshot Histogram::recent(Instant now) const {
  HistogramSnapshot snapshot;
  const Mark* mark = mark_for(now);
  if (mark == nullptr) return snapshot;
  const auto since_mark = [](const Cell& marked, const Cell& cell) {
    const auto before = marked.load(std::memory_order_acquire);
    return cell.load(std::memory_order_relaxed) - before;
  };
  snapshot.sum = nanoseconds(since_mark(mark->sum, sum_));
  for (std::size_t i = 0; i < counts_.size(); ++i) {
    snapshot.counts[i] = since_mark(mark->counts[i], counts_[i]);
  }
  return snapshot;
}

// The oldest mark that is less than a window old; if there is none, nothing recent was recorded.
const Histogram::Mark* Histogram::mark_for(Instant now) const {
  const Instant::rep too_old = (now - window_).time_since_epoch().count();
  const Mark* best = nullptr;
  Instant::rep best_since = 0;
  for (const Mark& mark : marks_) {
    const Instant::rep since = mark.since.load(std::memory_order_acquire);
    if (since <= too_old || (best != nullptr && since >= best_since)) continue;
    best = &mark;
    best_since = since;
  }
  return best;
}

// `since` is stored last: a reader that sees it sees the complete mark. Half of an odd window is
// rounded up, so that a mark is a full window old before it is overwritten.
void Histogram::set_mark(Instant now) {
  Mark& mark = marks_[older_];
  older_ = 1 - older_;
  mark.sum.store(sum_.load(std::memory_order_relaxed), std::memory_order_release);
  for (std::size_t i = 0; i < counts_.size(); ++i) {
    mark.counts[i].store(counts_[i].load(std::memory_order_relaxed), std::memory_order_release);
  }
  mark.since.store(now.time_since_epoch().count(), std::memory_order_release);
  mark_due_ = (now + (window_ - window_ / 2)).time_since_epoch().count();
}

}  // namespace tidemill::engine
