#include "tidemill/state/run/run_folder.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <ctime>
#include <filesystem>
#include <functional>
#include <iterator>
#include <system_error>

#include "tidemill/base/system_text.h"
#include "tidemill/base/try.h"
#include "tidemill/io/files/own_path.h"
#include "tidemill/io/files/private_files.h"
#include "tidemill/state/run/run_folder_tree.h"
#include "tidemill/state/run/run_lock.h"

namespace tidemill::run {
namespace {

constexpr std::string_view kForgotten = ".forgotten-";
constexpr std::string_view kMinute = "20261115-0431-";
constexpr int kMostInOneMinute = 100'000;
constexpr std::size_t kMostCandidates = 3;
constexpr std::string_view kLast = "last";

std::unexpected<Failure> failed(std::string_view step, const std::string& path, int error) {
  const bool may_pass = error == EMFILE || error == ENFILE || error == ENOSPC || error == EDQUOT ||
                        error == ENOMEM || error == EIO;
  return fail(may_pass ? Cure::retry : Cure::give_up, std::string(step),
              path + ": " + system_text(error));
}

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_lower(char c) { return c >= 'a' && c <= 'z'; }

bool is_job(std::string_view text) {
  return !text.empty() && text.size() <= 64 && is_lower(text.front()) &&
         std::ranges::all_of(
             text, [](char c) { return is_lower(c) || is_digit(c) || c == '-' || c == '_'; });
}

bool is_id(std::string_view name) {
  if (name.size() <= kMinute.size()) return false;
  for (std::size_t i = 0; i < kMinute.size(); ++i) {
    if (kMinute[i] == '-' ? name[i] != '-' : !is_digit(name[i])) return false;
  }
  return is_job(name.substr(kMinute.size()));
}

// "each" of "20261115-0431-each-2".
std::string_view job_of(std::string_view id) {
  const std::string_view job = id.substr(kMinute.size());
  const auto dash = job.rfind('-');
  if (dash == std::string_view::npos || dash + 1 == job.size()) return job;
  return std::ranges::all_of(job.substr(dash + 1), is_digit) ? job.substr(0, dash) : job;
}

// "20261115-0431-each-2" is of "each"; "" matches every job.
bool is_of_job(std::string_view id, std::string_view job) {
  std::string_view rest = id.substr(kMinute.size());
  if (job.empty() || rest == job) return true;
  if (!rest.starts_with(job) || rest[job.size()] != '-') return false;
  rest.remove_prefix(job.size() + 1);
  return !rest.empty() && std::ranges::all_of(rest, is_digit);
}

// "20261115-0431-books-check" is of the verb "books" and of "books-check"; "" matches every verb.
bool is_of_verb(std::string_view id, std::string_view verb) {
  const std::string_view job = job_of(id);
  return verb.empty() || job == verb || job.starts_with(std::string(verb) + '-');
}

std::string minute_of(WallTime time) {
  const std::time_t seconds = std::chrono::system_clock::to_time_t(time);
  std::tm parts{};
  std::array<char, 64> text{};
  if (::gmtime_r(&seconds, &parts) == nullptr) return "00000000-0000-";
  std::strftime(text.data(), text.size(), "%Y%m%d-%H%M-", &parts);
  return text.data();
}

// The sort key of a run. Unknown fields are 0 and leave the order to the next field.
struct Age {
  std::string minute{};
  std::int64_t born_seconds = 0;
  std::uint32_t born_nanoseconds = 0;
  std::uint64_t number = 0;  // the 2 of "-2"
  std::string id{};

  auto operator<=>(const Age&) const = default;
};

Age age_of(const std::string& runs, std::string id) {
  Age age{.minute = id.substr(0, kMinute.size())};
  struct statx status{};
  const std::string path = runs + '/' + id;
  if (::statx(AT_FDCWD, path.c_str(), AT_SYMLINK_NOFOLLOW, STATX_BTIME, &status) == 0 &&
      (status.stx_mask & STATX_BTIME) != 0) {
    age.born_seconds = status.stx_btime.tv_sec;
    age.born_nanoseconds = status.stx_btime.tv_nsec;
  }
  const std::string_view number = std::string_view(id).substr(id.rfind('-') + 1);
  std::from_chars(number.data(), number.data() + number.size(), age.number);
  age.id = std::move(id);
  return age;
}

// Names in the folder of runs; empty if the folder does not exist yet.
Result<std::vector<std::string>> names_in(const std::string& runs) {
  std::vector<std::string> names;
  std::error_code error;
  std::filesystem::directory_iterator entry(runs, error);
  if (error == std::errc::no_such_file_or_directory) return names;
  for (; !error && entry != std::filesystem::directory_iterator(); entry.increment(error)) {
    std::error_code unknown;
    if (entry->symlink_status(unknown).type() != std::filesystem::file_type::directory) continue;
    names.push_back(entry->path().filename().native());
  }
  if (error) return failed("list", runs, error.value());
  return names;
}

// "try A, B or C".
std::string hint_of(std::vector<std::string> names) {
  names.resize(std::min(names.size(), kMostCandidates));
  std::string hint;
  for (std::size_t i = 0; i < names.size(); ++i) {
    hint += i == 0 ? "try " : i + 1 == names.size() ? " or " : ", ";
    hint += names[i];
  }
  return hint;
}

// The step is the error itself, so that the message reads "no such run: 1999".
std::unexpected<Failure> not_found(std::string_view which, std::vector<std::string> names) {
  std::string reason(which);
  if (names.empty()) reason += "; there are no runs yet";
  return std::unexpected(Failure{
      .step = "no such run", .reason = std::move(reason), .hint = hint_of(std::move(names))});
}

std::vector<std::string> ids_of(const std::vector<RunFolder>& runs) {
  std::vector<std::string> ids;
  for (const RunFolder& run : runs) ids.push_back(run.id());
  return ids;
}

// The ids with the longest common prefix first, then the newest.
std::vector<std::string> nearest_to(std::string_view which, const std::vector<RunFolder>& all) {
  // The negated length of the common prefix, and the index in `all`.
  std::vector<std::pair<std::ptrdiff_t, std::size_t>> order;
  for (const RunFolder& run : all) {
    const std::string& id = run.id();
    const auto same = std::ranges::mismatch(id, which).in1 - id.begin();
    order.emplace_back(-same, order.size());
  }
  std::ranges::sort(order);
  std::vector<std::string> ids;
  for (const auto& [same, place] : order) ids.push_back(all[place].id());
  return ids;
}

// False: killed before it had a journal or a record, so there is nothing to resume.
bool has_content(const RunFolder& run) { return run.has_journal() || run.is_record(); }

// "last", and "last-each" for each job, newest first.
std::vector<std::string> short_names(const std::vector<RunFolder>& all) {
  std::vector<std::string> names;
  for (const RunFolder& run : all) {
    if (!has_content(run)) continue;
    if (names.empty()) names.emplace_back(kLast);
    std::string name = std::string(kLast) + '-' + std::string(job_of(run.id()));
    if (std::ranges::find(names, name) == names.end()) names.push_back(std::move(name));
  }
  return names;
}

// Checks the folder and its files: running as root may have left root's files in a user's folder.
Result<void> demand_own_run(const RunFolder& run) {
  const files::Believed what{.name = "run", .instead = "use another run"};
  for (const std::string& path :
       {run.path(), run.journal(), run.journal() + "-wal", run.journal() + "-shm", run.in_flight(),
        run.lock(), run.command(), run.history(), run.spill()}) {
    TRY(files::demand_own(path, what));
  }
  return {};
}

// Renames the run to an unused hidden name and returns that name.
Result<std::string> forget(const std::string& runs, const RunFolder& run) {
  for (int i = 0; i < kMostInOneMinute; ++i) {
    std::string name = std::string(kForgotten) + run.id() + '.' + std::to_string(i);
    if (::rename(run.path().c_str(), (runs + '/' + name).c_str()) == 0) return name;
    if (errno != ENOTEMPTY && errno != EEXIST) return failed("remove", run.path(), errno);
  }
  return failed("remove", run.path(), EEXIST);
}

// Also removes leftovers of earlier calls, and continues after one that cannot be removed.
Result<void> remove_forgotten(const std::string& runs) {
  LET(const auto names, names_in(runs));
  Result<void> outcome;
  for (const std::string& name : names) {
    if (!name.starts_with(kForgotten)) continue;
    if (auto removed = remove_tree(runs, name); !removed) outcome = std::move(removed);
  }
  return outcome;
}

// Newest first. `job`: empty for all.
Result<std::vector<RunFolder>> folders_in(const std::string& parent, std::string_view job,
                                          const std::string& program) {
  LET(auto names, names_in(parent));
  std::vector<Age> ages;
  for (std::string& name : names) {
    if (is_id(name) && is_of_job(name, job)) ages.push_back(age_of(parent, std::move(name)));
  }
  std::ranges::sort(ages, std::greater<>());
  std::vector<RunFolder> found;
  found.reserve(ages.size());
  for (Age& age : ages) found.emplace_back(parent, std::move(age.id), program);
  return found;
}

// `all`: newest first.
Result<RunFolder> find_in(const std::vector<RunFolder>& all, std::string_view which) {
  if (which == kLast || which == "@" || which.starts_with("last-")) {
    const std::string_view verb = which.substr(std::min(which.size(), kLast.size() + 1));
    const auto last = std::ranges::find_if(
        all, [&](const RunFolder& run) { return is_of_verb(run.id(), verb) && has_content(run); });
    if (last == all.end() || which == "last-") return not_found(which, short_names(all));
    TRY(demand_own_run(*last));
    return *last;
  }
  std::vector<RunFolder> matching;
  for (const RunFolder& run : all) {
    if (run.id() == which) {
      TRY(demand_own_run(run));
      return run;
    }
    if (!which.empty() && run.id().starts_with(which)) matching.push_back(run);
  }
  if (matching.empty()) {
    if (!which.empty() && is_digit(which.front())) return not_found(which, nearest_to(which, all));
    std::vector<std::string> names = short_names(all);  // an id begins with a digit
    const std::string of_job = std::string(kLast) + '-' + std::string(which);
    if (std::ranges::count(names, of_job) > 0) return not_found(which, {of_job});
    std::ranges::move(ids_of(all), std::back_inserter(names));
    return not_found(which, std::move(names));
  }
  if (matching.size() > 1) {
    return std::unexpected(Failure{
        .step = "ambiguous run",
        .reason = std::string(which) + " matches " + std::to_string(matching.size()) + " runs",
        .hint = hint_of(ids_of(matching))});
  }
  TRY(demand_own_run(matching.front()));
  return matching.front();
}

}  // namespace

std::string_view RunFolder::job() const { return job_of(id_); }
Bytes RunFolder::bytes() const { return bytes_below(path_); }
bool RunFolder::has_journal() const { return ::access(journal().c_str(), F_OK) == 0; }
bool RunFolder::is_record() const { return ::access(command().c_str(), F_OK) == 0; }

std::string StateFolder::variable() const {
  std::string name = program_ + "_STATE";
  for (char& letter : name) {
    if (letter == '-') letter = '_';
    if (letter >= 'a' && letter <= 'z') letter = static_cast<char>(letter - 'a' + 'A');
  }
  return name;
}

Result<StateFolder> StateFolder::from(const Lookup& lookup, std::string program) {
  const auto value = [&](std::string_view name) { return lookup(name).value_or(""); };
  const std::string variable = StateFolder("", program).variable();
  std::error_code error;
  if (const std::string own = value(variable); !own.empty()) {
    const std::string path = std::filesystem::absolute(own, error).native();
    // Absolute, so that runs are found from any working directory.
    return StateFolder(error ? own : path, std::move(program));
  }
  if (const std::string xdg = value("XDG_STATE_HOME"); xdg.starts_with('/')) {
    return StateFolder(xdg + "/" + program, program);
  }
  if (const std::string home = value("HOME"); !home.empty()) {
    return StateFolder(home + "/.local/state/" + program, program);
  }
  return std::unexpected(Failure{.step = "state folder",
                                 .reason = "HOME is not set",
                                 .hint = "set " + variable + " to a folder"});
}

Result<void> StateFolder::demand_own() const {
  const files::Believed what{.name = "state folder",
                             .instead = "set " + variable() + " to a folder of your own"};
  TRY(files::demand_own(path_, what));
  TRY(files::demand_own(runs(), what));
  return files::demand_own(finished(), what);
}

Result<void> StateFolder::make() const {
  TRY(demand_own());
  TRY(files::make_private_folders(path_));
  return demand_own();  // in a folder like /tmp another user may have created it first
}

Result<RunFolder> StateFolder::create(std::string_view job, WallTime now) const {
  if (!is_job(job)) {
    return fail(Cure::give_up, "create", "'" + std::string(job) + "' is not a valid job name");
  }
  TRY(make());
  TRY(files::make_private_folders(runs()));
  const std::string first = minute_of(now) + std::string(job);
  for (int i = 1; i <= kMostInOneMinute; ++i) {
    RunFolder run(runs(), i == 1 ? first : first + '-' + std::to_string(i), program_);
    const std::string finished_one = finished() + '/' + run.id();
    if (::access(finished_one.c_str(), F_OK) == 0) continue;  // an id is of one run for good
    if (::mkdir(run.path().c_str(), 0700) == 0) return run;
    if (errno != EEXIST) return failed("create", run.path(), errno);
  }
  return failed("create", runs() + '/' + first, EEXIST);
}

Result<std::vector<RunFolder>> StateFolder::list() const { return list(""); }

Result<std::vector<RunFolder>> StateFolder::list(std::string_view job) const {
  TRY(demand_own());
  return folders_in(runs(), job, program_);
}

Result<std::vector<RunFolder>> StateFolder::list_finished(std::string_view job) const {
  TRY(demand_own());
  return folders_in(finished(), job, program_);
}

Result<RunFolder> StateFolder::find(std::string_view which) const {
  LET(const auto all, list());
  return find_in(all, which);
}

Result<RunFolder> StateFolder::find_any(std::string_view which) const {
  LET(auto all, list());
  LET(const auto ended, list_finished());
  all.insert(all.end(), ended.begin(), ended.end());
  std::vector<std::pair<Age, RunFolder>> order;
  for (RunFolder& run : all) {
    Age age = age_of(run.path().substr(0, run.path().rfind('/')), run.id());
    order.emplace_back(std::move(age), std::move(run));
  }
  std::ranges::sort(order, std::greater<>(), &std::pair<Age, RunFolder>::first);
  std::vector<RunFolder> sorted;
  for (auto& [age, run] : order) sorted.push_back(std::move(run));
  return find_in(sorted, which);
}

Result<std::vector<std::string>> StateFolder::names() const {
  LET(const auto all, list());
  std::vector<std::string> names = short_names(all);
  for (const RunFolder& run : all) names.push_back(run.id());
  return names;
}

Result<void> StateFolder::remove(std::string_view id, WallTime now) const {
  for (const std::string& parent : {runs(), finished()}) {
    LET(const auto all, folders_in(parent, "", program_));
    const auto run = std::ranges::find(all, id, &RunFolder::id);
    if (run == all.end()) continue;
    LET(const RunLock lock, RunLock::take(run->lock(), now));
    TRY(forget(parent, *run));
    return remove_forgotten(parent);
  }
  LET(const auto all, list());
  return not_found(id, nearest_to(id, all));
}

Result<void> StateFolder::remove_own(const RunFolder& run) const {
  LET(const std::string name, forget(runs(), run));
  return remove_tree(runs(), name);
}

Result<void> StateFolder::keep_finished(const RunFolder& run, std::size_t most) const {
  TRY(files::make_private_folders(finished()));
  const std::string kept = finished() + '/' + run.id();
  if (::rename(run.path().c_str(), kept.c_str()) != 0) return failed("finish", run.path(), errno);
  LET(const auto all, list_finished(job_of(run.id())));
  for (std::size_t i = most; i < all.size(); ++i) TRY(forget(finished(), all[i]));
  return remove_forgotten(finished());
}

}  // namespace tidemill::run
