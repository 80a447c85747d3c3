#include "tidemill/ui/pages/run_view.h"

#include <algorithm>
#include <string>
#include <utility>

#include "tidemill/base/try.h"
#include "tidemill/state/history/history_file.h"

namespace tidemill::pages {
namespace {

using history::Sample;

engine::Tally tally_of(const std::vector<Sample>& samples, bool is_complete) {
  engine::Tally tally;
  if (samples.empty()) return tally;
  const Sample& last = samples.back();
  tally.of(engine::TaskState::done) = last.done;
  tally.of(engine::TaskState::skipped) = last.skipped;
  tally.of(engine::TaskState::abandoned) = last.failed;  // no dead letters: nothing to retry
  const std::uint64_t settled = last.done + last.skipped + last.failed;
  if (!is_complete && last.found > settled) {
    tally.of(engine::TaskState::pending) = last.found - settled;
  }
  return tally;
}

Result<RunView> read_record(const run::RunFolder& folder) {
  RunView view{.status = cli::run_status_at(folder)};
  if (view.status.problem) return std::unexpected(*view.status.problem);
  view.history = history::HistoryFile(folder.history()).history().value_or(history::RunHistory{});
  const bool is_complete = view.status.card.ending == run::kComplete;
  view.status.tally = tally_of(view.samples(), is_complete);
  view.status.card.has_found_all = is_complete;
  return view;
}

}  // namespace

const std::vector<Sample>& RunView::samples() const {
  static const std::vector<Sample> kNone;
  const auto whole = std::ranges::find(history.series, std::string(), &history::SampleSeries::host);
  return whole == history.series.end() ? kNone : whole->samples;
}

std::chrono::nanoseconds RunView::worked() const {
  std::chrono::nanoseconds sum{0};
  const auto& all = samples();
  for (std::size_t i = 1; i < all.size(); ++i) {
    if (all[i].session == all[i - 1].session) sum += all[i].at - all[i - 1].at;
  }
  if (all.empty() && status.card.ended) sum = *status.card.ended - status.card.started;
  return std::max(sum, std::chrono::nanoseconds(0));
}

WallTime RunView::first_time() const {
  return samples().empty() ? status.card.started
                           : std::min(status.card.started, samples().front().at);
}

WallTime RunView::last_time() const {
  WallTime last = status.card.ended.value_or(is_live() ? read_at : status.card.started);
  for (const Sample& one : samples()) last = std::max(last, one.at);
  return last;
}

Result<RunView> read_run(const run::RunFolder& folder, const Clock& clock) {
  const WallTime now = clock.wall();
  if (folder.is_record()) {
    LET(auto view, read_record(folder));
    view.read_at = now;
    return view;
  }
  LET(const auto journal, cli::open_to_read(folder));
  LET(auto status, cli::run_status_at(folder, *journal));
  RunView view{.status = std::move(status), .has_reasons = journal->has_reasons(), .read_at = now};
  view.history = journal->history().value_or(history::RunHistory{});
  if (view.status.tally.dead() > 0) {
    LET(view.failures, journal->failure_groups(journal::kMostReasons + 1));
  }
  return view;
}

}  // namespace tidemill::pages
