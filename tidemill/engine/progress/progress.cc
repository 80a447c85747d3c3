#include "tidemill/engine/progress.h"

#include <utility>

#include "tidemill/base/thread.h"
#include "tidemill/base/try.h"
#include "tidemill/engine/progress/pace.h"

namespace tidemill::engine {

Result<void> ProgressOptions::check() const {
  if (interval < kShortest) {
    return fail(Cure::give_up, "progress", "interval must be at least 100 ms");
  }
  if (interval > kLongest) {
    return fail(Cure::give_up, "progress", "interval must be at most 24 hours");
  }
  return {};
}

std::string waits_of(const PoolStats& stats, bool has_rate) {
  if (stats.active > 0) return {};
  if (stats.queued > 0) return has_rate ? "the rate limit" : "";
  if (stats.waiting == 0) return {};
  return "the next attempt of " + std::to_string(stats.waiting) +
         (stats.waiting == 1 ? " task" : " tasks");
}

ProgressReporter::ProgressReporter(ProgressOptions options, Source source, Observer observer,
                                   const Clock& clock)
    : options_(options),
      source_(std::move(source)),
      observer_(std::move(observer)),
      clock_(clock),
      started_(clock.now()) {}

Result<std::unique_ptr<ProgressReporter>> ProgressReporter::start(ProgressOptions options,
                                                                  Source source, Observer observer,
                                                                  const Clock& clock) {
  TRY(options.check());
  std::unique_ptr<ProgressReporter> reporter(
      new ProgressReporter(options, std::move(source), std::move(observer), clock));
  TRY(reporter->start_thread());
  return reporter;
}

Result<void> ProgressReporter::start_thread() {
  // Out of memory is not reported: the run continues without snapshots.
  const auto end = [this](const Failure&) {
    stage_.update([](Stage& stage) { stage.has_ended = true; });
  };
  LET(thread_, tidemill::start_thread("the progress", [this] { report(); }, end));
  return {};
}

ProgressReporter::~ProgressReporter() {
  if (thread_.joinable()) finish();
}

void ProgressReporter::finish() {
  stage_.update([](Stage& stage) { stage.should_end = true; });
  stage_.lock().wait([](const Stage& stage) { return stage.has_ended; });
}

// The next snapshot is due one interval after the start of this one, not after the observer
// returns.
void ProgressReporter::report() {
  Pace pace;
  bool ends = false;
  while (!ends) {
    const Instant now = clock_.now();
    observer_(look(now, pace));
    ends = stage_.lock().wait_until(clock_, now + options_.interval,
                                    [](const Stage& stage) { return stage.should_end; });
  }
  ProgressSnapshot last = look(clock_.now(), pace);
  last.is_last = true;
  last.eta.reset();  // nothing more will be done, even if items are left
  last.waits_for.clear();
  observer_(last);
  stage_.update([](Stage& stage) { stage.has_ended = true; });
}

ProgressSnapshot ProgressReporter::look(Instant now, Pace& pace) const {
  ProgressInputs inputs = source_();
  pace.observe(now, inputs.counts);
  ProgressSnapshot seen{.counts = inputs.counts,
                        .is_total_known = inputs.is_total_known,
                        .items_per_second = pace.items_per_second(),
                        .bytes_per_second = pace.bytes_per_second(),
                        .eta = pace.eta(inputs.is_total_known),
                        .waits_for = std::move(inputs.waits_for),
                        .elapsed = now - started_,
                        .workers = inputs.workers.size(),
                        .waiting = inputs.waiting,
                        .failures = inputs.counts.failed};
  if (!seen.waits_for.empty()) seen.eta.reset();  // unknown how long
  for (WorkerStats& worker : inputs.workers) {
    if (!worker.running) continue;
    seen.current.push_back(
        {.note = std::move(worker.note), .id = *worker.running, .running_for = worker.running_for});
  }
  seen.busy = seen.current.size();
  return seen;
}

}  // namespace tidemill::engine
