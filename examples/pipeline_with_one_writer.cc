// pipeline_with_one_writer: many workers, one writer, and counts that add up.
//
//   source ──► stage: 4 workers ──► results ──► sink: one thread ──► rows
//   6 lines    parse a line         bounded     one batch at a time
//
//   found = done + skipped + failed
//
// Each line is an item. The stage parses numbers, skips comments, and fails on anything else; that
// affects no other line. The sink gets every item, in batches, always on the same thread: the map
// needs no lock, and a database would need one connection and one transaction per batch. If the
// sink fails, the run ends with that failure. Lines reach the sink in any order; the map sorts them
// by id, which is the order in which they were fed.
#include <charconv>
#include <iostream>
#include <map>
#include <span>
#include <string>
#include <utility>

#include "tidemill/base/try.h"
#include "tidemill/engine/pipeline.h"

using namespace tidemill;
using namespace tidemill::engine;

namespace {

using Lines = Pipeline<std::string, int>;
using Rows = std::map<TaskId, std::string>;  // in place of a database table

Result<void> read_lines(Lines::Intake& intake) {
  for (const char* line : {"17", "# a comment", "4", "seven", "21", "# another"}) {
    if (!intake.feed(line)) break;  // the run was stopped; its report says why
  }
  return {};
}

Result<Verdict<int>> parse(std::string& line, TaskContext& /*context*/) {
  if (line.starts_with('#')) return Skip{.reason = "a comment"};
  int number = 0;
  const char* end = line.data() + line.size();
  const auto [at, error] = std::from_chars(line.data(), end, number);
  if (at != end || error != std::errc()) return fail(Cure::give_up, "parse", "not a number");
  return number;
}

Result<void> write(std::span<Lines::Item> batch, Rows& rows) {
  for (const Lines::Item& line : batch) {
    std::string outcome;
    if (const int* number = line.done()) outcome = "number " + std::to_string(*number);
    if (const Skip* skip = line.skipped()) outcome = "skipped, " + skip->reason;
    if (const Failure* failure = line.failed()) outcome = "failed, " + failure->reason;
    rows[line.id] = line.item + ": " + outcome;
  }
  return {};
}

Result<FlowReport> run(Rows& rows) {
  const auto sink = [&rows](std::span<Lines::Item> batch) { return write(batch, rows); };
  LET(const auto pipeline, Lines::make({.pool = {.workers = 4}}, parse, sink));
  FlowReport report = pipeline->run(read_lines);
  if (report.fatal) return std::unexpected(*std::move(report.fatal));
  return report;
}

}  // namespace

int main() {
  Rows rows;
  const auto report = run(rows);
  if (!report) {
    std::cerr << text_of(report.error()) << '\n';
    return 1;
  }
  for (const auto& [id, row] : rows) std::cout << id << ' ' << row << '\n';
  const auto& [found, done, skipped, failed, found_bytes, settled_bytes] = report->counts;
  std::cout << found << " found = " << done << " done + " << skipped << " skipped + " << failed
            << " failed\n";
  return report->is_complete() ? 0 : 1;
}
