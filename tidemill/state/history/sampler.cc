#include "tidemill/state/history/sampler.h"

#include <utility>

namespace tidemill::history {
namespace {

double seconds(Instant::duration time) { return std::chrono::duration<double>(time).count(); }

Sample mean_of(const Sample& a, const Sample& b) {
  Sample both = b;
  both.busy = (a.busy + b.busy) / 2;
  both.waiting = (a.waiting + b.waiting) / 2;
  return both;
}

}  // namespace

// The first sample of a session stays alone: it is where its line begins.
std::vector<Sample> merged(const std::vector<Sample>& samples) {
  std::vector<Sample> kept;
  kept.reserve(samples.size());
  for (std::size_t i = 0; i < samples.size(); ++i) {
    const bool is_first = i == 0 || samples[i - 1].session != samples[i].session;
    const bool has_pair = i + 1 < samples.size() && samples[i + 1].session == samples[i].session;
    if (is_first || !has_pair) {
      kept.push_back(samples[i]);
    } else {
      kept.push_back(mean_of(samples[i], samples[i + 1]));
      ++i;
    }
  }
  if (kept.size() <= samples.size() - samples.size() / 4) return kept;
  std::vector<Sample> every_second;
  for (std::size_t i = 1; i < samples.size(); i += 2) every_second.push_back(samples[i]);
  return every_second;
}

Sampler::Sampler(SampleSeries series, std::size_t most, std::uint64_t session, Instant now,
                 WallTime wall)
    : most_(most),
      session_(session),
      began_(now),
      began_wall_(wall),
      series_(std::move(series)),
      told_(series_.samples.size()) {}

void Sampler::observe(Instant now, const Observation& seen) {
  if (has_any_) {
    busy_time_ += static_cast<double>(last_.busy) * seconds(now - observed_);
    waiting_time_ += static_cast<double>(last_.waiting) * seconds(now - observed_);
  }
  const bool is_first = !std::exchange(has_any_, true);
  last_ = seen;
  observed_ = now;
  if (is_first || now - sampled_ >= series_.interval) add(now);
}

void Sampler::finish() {
  if (has_any_ && observed_ != sampled_) add(observed_);
}

void Sampler::add(Instant now) {
  const bool is_first = series_.samples.empty() || series_.samples.back().session != session_;
  const double passed = is_first ? 0 : seconds(now - sampled_);
  series_.samples.push_back(
      {.at = began_wall_ + std::chrono::duration_cast<WallTime::duration>(now - began_),
       .session = session_,
       .found = last_.counts.found,
       .done = last_.counts.done,
       .failed = last_.counts.failed,
       .skipped = last_.counts.skipped,
       .busy = passed > 0 ? busy_time_ / passed : static_cast<double>(last_.busy),
       .waiting = passed > 0 ? waiting_time_ / passed : static_cast<double>(last_.waiting),
       .places = last_.places,
       .bytes = last_.counts.settled_bytes.count});
  sampled_ = now;
  busy_time_ = 0;
  waiting_time_ = 0;
  if (series_.samples.size() >= most_) merge();
}

void Sampler::merge() {
  series_.samples = merged(series_.samples);
  series_.interval *= 2;
  is_merged_ = true;
}

HistoryChange::NewSamples Sampler::news() const {
  HistoryChange::NewSamples news{.series = {.host = series_.host, .interval = series_.interval},
                                 .replaces_all = is_merged_};
  const auto first = static_cast<std::ptrdiff_t>(is_merged_ ? 0 : told_);
  news.series.samples.assign(series_.samples.begin() + first, series_.samples.end());
  return news;
}

void Sampler::take_news() {
  told_ = series_.samples.size();
  is_merged_ = false;
}

}  // namespace tidemill::history
