#include "tidemill/state/history/history_recorder.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "tidemill/state/history/machine.h"

namespace tidemill::history {
namespace {

constexpr std::chrono::milliseconds kHostInterval{4'000};

bool is_same_kind(const Durations& a, const Durations& b) {
  return a.host == b.host && a.type == b.type;
}

void add(std::vector<Durations>& all, const Durations& more) {
  const auto same =
      std::ranges::find_if(all, [&](const Durations& one) { return is_same_kind(one, more); });
  if (same == all.end()) {
    all.push_back(more);
  } else {
    same->times += more.times;
  }
}

std::uint64_t last_session(const RunHistory& history) {
  return history.sessions.empty() ? 0 : history.sessions.back().number;
}

SampleSeries whole_run(const RunHistory& history) {
  const auto whole = std::ranges::find(history.series, std::string(), &SampleSeries::host);
  return whole == history.series.end() ? SampleSeries{} : *whole;
}

}  // namespace

Timings timings_of(const engine::PoolStats& stats,
                   const std::vector<engine::SlowAttempt>& slowest) {
  Timings timings;
  for (const engine::TypeStats& type : stats.types) {
    if (type.lifetime.count() == 0) continue;
    timings.durations.push_back({.type = type.name, .times = type.lifetime});
  }
  for (const engine::SlowAttempt& attempt : slowest) timings.slowest.push_back({attempt, {}});
  return timings;
}

HistoryRecorder::HistoryRecorder(Store* store, const Clock& clock, Source source)
    : store_(store), clock_(clock), source_(std::move(source)) {}

void HistoryRecorder::begin() {
  auto history = store_->history();
  if (!history) {
    store_ = nullptr;
    return;
  }
  earlier_ = *std::move(history);
  written_ = earlier_.durations;
  slow_written_ = earlier_.slowest;
  began_ = clock_.now();
  written_at_ = began_;
  this_session_ = this_machine();
  this_session_.number = last_session(earlier_) + 1;
  this_session_.began = clock_.wall();
  sampler_.emplace(whole_run(earlier_), kMostSamples, this_session_.number, written_at_,
                   this_session_.began);
  for (SampleSeries& series : earlier_.series) {
    if (series.host.empty()) continue;
    hosts_.emplace_back(std::move(series), kMostHostSamples, this_session_.number, written_at_,
                        this_session_.began);
  }
  earlier_.series.clear();
}

void HistoryRecorder::observe(const engine::ProgressSnapshot& snapshot) {
  if (store_ != nullptr && !sampler_) begin();
  if (store_ == nullptr) return;
  observe_run(clock_.now(), snapshot,
              {.counts = snapshot.counts,
               .busy = snapshot.busy,
               .places = snapshot.workers,
               .waiting = snapshot.waiting});
}

void HistoryRecorder::observe(const engine::ProgressSnapshot& snapshot,
                              const std::vector<HostObservation>& hosts) {
  if (store_ != nullptr && !sampler_) begin();
  if (store_ == nullptr) return;
  const Instant now = clock_.now();
  Observation all{.counts = snapshot.counts, .waiting = snapshot.waiting};
  for (const HostObservation& host : hosts) {
    observe_host(now, host);
    all.busy += host.busy;
    all.places += host.places;
  }
  observe_run(now, snapshot, all);
}

void HistoryRecorder::observe_host(Instant now, const HostObservation& host) {
  auto sampler =
      std::ranges::find(hosts_, host.host, [](const Sampler& one) { return one.series().host; });
  if (sampler == hosts_.end()) {
    if (hosts_.size() >= kMostHosts) return;
    const WallTime wall =
        this_session_.began + std::chrono::duration_cast<WallTime::duration>(now - began_);
    hosts_.emplace_back(SampleSeries{.host = host.host, .interval = kHostInterval},
                        kMostHostSamples, this_session_.number, now, wall);
    sampler = hosts_.end() - 1;
  }
  sampler->observe(now, {.busy = host.busy, .places = host.places});
}

void HistoryRecorder::observe_run(Instant now, const engine::ProgressSnapshot& snapshot,
                                  const Observation& seen) {
  whole().observe(now, seen);
  if (snapshot.is_last) {
    whole().finish();
    for (Sampler& host : hosts_) host.finish();
  }
  const Instant::duration every =
      std::max<Instant::duration>(kWriteEvery, whole().series().interval);
  if (snapshot.is_last || now - written_at_ >= every) write(now);
}

void HistoryRecorder::write(Instant now) {
  written_at_ = now;  // after a failure too: the next try has its turn
  HistoryChange change;
  if (!has_written_session_) change.session = this_session_;
  if (whole().has_news()) change.samples.push_back(whole().news());
  for (const Sampler& host : hosts_) {
    if (host.has_news()) change.samples.push_back(host.news());
  }
  add_timings(change);
  if (!store_->keep(change)) return;
  has_written_session_ = true;
  whole().take_news();
  for (Sampler& host : hosts_) host.take_news();
  for (const Durations& changed : change.durations) {
    std::erase_if(written_, [&](const Durations& one) { return is_same_kind(one, changed); });
    written_.push_back(changed);
  }
  if (change.slowest) slow_written_ = *std::move(change.slowest);
}

// The totals of all sessions, of what differs from the last write.
void HistoryRecorder::add_timings(HistoryChange& change) {
  if (!source_) return;
  const Timings now = source_();
  std::vector<Durations> all = earlier_.durations;
  for (const Durations& one : now.durations) add(all, one);
  for (const Durations& one : all) {
    if (std::ranges::find(written_, one) == written_.end()) change.durations.push_back(one);
  }
  std::vector<SlowTask> slowest = earlier_.slowest;
  slowest.insert(slowest.end(), now.slowest.begin(), now.slowest.end());
  // The tasks decide between equal times, so that the same list is not written again.
  std::ranges::sort(slowest, [](const SlowTask& a, const SlowTask& b) {
    return std::tuple(b.attempt.took, a.attempt.task, a.attempt.attempt) <
           std::tuple(a.attempt.took, b.attempt.task, b.attempt.attempt);
  });
  if (slowest.size() > kMostSlow) slowest.resize(kMostSlow);
  if (slowest != slow_written_) change.slowest = std::move(slowest);
}

}  // namespace tidemill::history
