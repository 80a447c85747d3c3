// progress_and_metrics: progress for people, and metrics for a monitoring server.
//
//   pipeline ──► counts, stats ◄─┬─ ProgressReporter's thread ──► observer: a line, a bar
//                                └─ prometheus_text ──► GET /metrics
//
// The reporter reads the numbers at most ten times a second, and once more at the end; no worker
// waits for it. The earlier snapshots depend on the machine, so this example prints only the last
// one, which is exact. Of the metrics it prints only counts, because times differ in every run.
#include <iostream>
#include <span>
#include <sstream>
#include <string>

#include "tidemill/base/try.h"
#include "tidemill/engine/pipeline.h"
#include "tidemill/engine/progress.h"
#include "tidemill/engine/prometheus.h"

using namespace tidemill;
using namespace tidemill::engine;

namespace {

using Squares = Pipeline<int, int>;

Result<void> count_up(Squares::Intake& intake) {
  for (int number = 1; number <= 100; ++number) {
    if (!intake.feed(number)) break;  // the run was stopped; its report says why
  }
  return {};
}

Result<Verdict<int>> square(int& number, TaskContext& context) {
  context.note("squaring " + std::to_string(number));  // shown while the task runs
  if (number % 10 == 0) return Skip{.reason = "round"};
  if (number == 13) return fail(Cure::give_up, "square", "unlucky");
  return number * number;
}

void show(const ProgressSnapshot& seen) {
  if (!seen.is_last) return;
  std::cout << seen.counts.settled() << " of " << seen.counts.found << " settled, " << seen.failures
            << " failed, " << seen.busy << " workers busy\n";
}

void print_counters(const std::string& page) {
  std::istringstream lines(page);
  for (std::string line; std::getline(lines, line);) {
    const bool is_count = line.starts_with("tidemill_items") || line.starts_with("tidemill_tasks");
    if (is_count) std::cout << line << '\n';
  }
}

Result<void> run() {
  const auto sink = [](std::span<Squares::Item>) -> Result<void> { return {}; };  // discards all
  LET(const auto pipeline, Squares::make({.pool = {.workers = 2}}, square, sink));
  const auto look = [&pipeline = *pipeline] {
    return ProgressInputs{.counts = pipeline.counts(),
                          .is_total_known = pipeline.source_has_ended(),  // no ETA before that
                          .workers = pipeline.stats().workers};
  };
  const SystemClock clock;
  LET(const auto reporter, ProgressReporter::start({}, look, show, clock));
  const FlowReport report = pipeline->run(count_up);
  reporter->finish();
  if (report.fatal) return std::unexpected(*report.fatal);

  print_counters(prometheus_text(pipeline->stats(), "squares", report.counts));
  return {};
}

}  // namespace

int main() {
  const auto ran = run();
  if (!ran) std::cerr << text_of(ran.error()) << '\n';
  return ran ? 0 : 1;
}
