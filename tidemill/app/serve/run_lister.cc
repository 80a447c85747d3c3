#include "tidemill/app/serve/run_lister.h"

#include <sys/stat.h>

#include <algorithm>
#include <chrono>
#include <iterator>
#include <string_view>
#include <utility>

#include "tidemill/base/try.h"
#include "tidemill/ui/pages/run_view.h"

namespace tidemill::app {
namespace {

// Ids begin with the minute in which the run started; within a minute each list has its order.
bool is_newer(const run::RunFolder& a, const run::RunFolder& b) {
  constexpr std::size_t kMinute = std::string_view("20261115-0431").size();
  return a.id().compare(0, kMinute, b.id(), 0, kMinute) > 0;
}

double rate_of(const pages::RunView& view) {
  const auto& samples = view.samples();
  if (samples.size() < 2) return 0;
  const history::Sample& last = samples.back();
  const history::Sample& before = samples[samples.size() - 2];
  const auto settled = [](const history::Sample& one) {
    return static_cast<double>(one.done + one.failed + one.skipped);
  };
  const double seconds = std::chrono::duration<double>(last.at - before.at).count();
  if (last.session != before.session || seconds <= 0) return 0;
  return std::max(settled(last) - settled(before), 0.0) / seconds;
}

}  // namespace

Result<std::vector<run::RunFolder>> RunLister::all() const {
  LET(const auto runs, state_.list());
  LET(const auto finished, state_.list_finished());
  std::vector<run::RunFolder> all;
  all.reserve(runs.size() + finished.size());
  std::ranges::merge(runs, finished, std::back_inserter(all), is_newer);
  return all;
}

Result<std::optional<run::RunFolder>> RunLister::find(std::string_view id) const {
  LET(const auto all, this->all());
  if (std::ranges::find(all, id, &run::RunFolder::id) == all.end()) return std::nullopt;
  LET(auto folder, state_.find_any(id));  // looks who owns it, too
  return std::optional(std::move(folder));
}

RunLister::RunFiles RunLister::files_of(const run::RunFolder& folder) {
  RunFiles files;
  for (const std::string& path :
       {folder.journal(), folder.journal() + "-wal", folder.command(), folder.history()}) {
    struct stat status{};
    FileTimes times;
    // An empty log is none: reading a journal may leave one.
    if (::stat(path.c_str(), &status) == 0 && status.st_size > 0) {
      constexpr std::int64_t kNanoseconds = 1'000'000'000;
      times = {.size = status.st_size,
               .changed = status.st_mtim.tv_sec * kNanoseconds + status.st_mtim.tv_nsec,
               .inode = status.st_ino};
    }
    files.push_back(times);
  }
  return files;
}

ListedRun RunLister::read(const run::RunFolder& folder) const {
  ListedRun listed{.status = cli::run_status_at(folder)};
  listed.has_counts = listed.status.has_journal && !listed.status.problem;
  if (listed.status.problem || (listed.status.has_journal && !listed.status.holder)) return listed;
  auto view = pages::read_run(folder, clock_);
  if (!view) return listed;
  listed.rate = view->is_live() ? rate_of(*view) : 0;
  listed.has_counts = listed.has_counts || !view->samples().empty();
  listed.status = std::move(view->status);
  return listed;
}

ListedRun RunLister::look_at(const run::RunFolder& folder) {
  RunFiles files = files_of(folder);  // before it is read: a change in between is seen next time
  const auto holder = run::is_held(folder.lock());
  const bool is_free = holder && !*holder;
  if (is_free) {
    auto kept = kept_.lock();
    const auto known = kept->find(folder.id());
    if (known != kept->end() && known->second.files == files) return known->second.run;
  }
  ListedRun run = read(folder);
  if (is_free && !run.status.holder && !run.status.problem) {
    auto kept = kept_.lock();
    if (kept->size() >= kMostKept) kept->clear();
    kept->insert_or_assign(folder.id(), KeptRun{.files = std::move(files), .run = run});
  }
  return run;
}

}  // namespace tidemill::app
