#include "tidemill/state/run/run.h"

#include <sys/random.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#ifdef TIDEMILL_PLANT
#include <cstdlib>
#endif
#include <filesystem>
#include <string>
#include <system_error>
#include <unordered_set>
#include <utility>

#include "tidemill/base/hex.h"
#include "tidemill/base/micros.h"
#include "tidemill/base/try.h"

namespace tidemill::run {
namespace {

using engine::Crashed;
using engine::Died;
using engine::Entry;
using engine::TaskId;
using engine::TaskState;

constexpr std::string_view kInFlightNote =
    "slate";  // the epoch of the in-flight log that was read last

// Run ids are unique within one state folder only, but child processes must be recognised among all
// processes of the machine.
Result<std::string> random_mark() {
  std::array<unsigned char, 16> bytes{};
  if (::getrandom(bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size())) {
    return fail(Cure::give_up, "create", "cannot get random numbers from the system");
  }
  return hex_of(bytes);
}

// Whether the output of the tasks that the in-flight log lists as finished is complete too. Neither
// is synced: while the machine runs, both are in the page cache; after a reboot the in-flight log
// may have reached the disk and the output may not.
bool has_outlived_its_writer(const InFlightReading& in_flight, const std::string& boot) {
#ifdef TIDEMILL_PLANT  // a deliberate fault, see tests/faults
  const char* const plant = std::getenv("TIDEMILL_PLANT");
  if (plant != nullptr && std::string_view(plant) == "boot") return true;
#endif
  return !boot.empty() && in_flight.boot == boot;
}

}  // namespace

Result<std::size_t> count_unknown(const journal::SqliteJournal& journal,
                                  const InFlightReading& in_flight) {
  if (in_flight.boot != boot_id()) return 0;  // after a reboot its pages may be of any age
  std::unordered_set<TaskId> unknown;
  const auto look = [&](TaskId id) -> Result<void> {
    if (unknown.contains(id)) return {};
    LET(const auto task, journal.task(id));
    if (!task) unknown.insert(id);
    return {};
  };
  for (const Entry& outcome : in_flight.outcomes) TRY(look(engine::task_of(outcome)));
  for (const TaskId id : in_flight.in_hand) TRY(look(id));
  return unknown.size();
}

Result<std::unique_ptr<Run>> Run::create(const StateFolder& state, RunCard card,
                                         const Clock& clock) {
  LET(const RunFolder folder, state.create(card.job, clock.wall()));
  auto run = begin(folder, std::move(card), clock);
  std::error_code ignored;  // a run that could not begin, such as on a full disk, leaves no folder
  if (!run) std::filesystem::remove_all(folder.path(), ignored);
  return run;
}

Result<std::unique_ptr<Run>> Run::begin(const RunFolder& folder, RunCard card, const Clock& clock) {
  LET(auto lock, RunLock::take(folder.lock(), clock.wall()));
  std::unique_ptr<Run> run(new Run(folder, std::move(lock), clock));
  LET(run->journal_,
      journal::SqliteJournal::open({.path = folder.journal(), .access = journal::Access::create}));
  LET(card.mark, random_mark());
  card.started = clock.wall();
  card.ending = kRunning;
  TRY(run->journal_->commit({}, notes_of(card)));
  run->card_ = std::move(card);
  return run;
}

Result<std::unique_ptr<Run>> Run::open(const RunFolder& folder, const Clock& clock) {
  LET(auto lock, RunLock::take(folder.lock(), clock.wall()));
  std::unique_ptr<Run> run(new Run(folder, std::move(lock), clock));
  LET(run->journal_,
      journal::SqliteJournal::open({.path = folder.journal(), .access = journal::Access::own}));
  LET(run->card_, card_of(*run->journal_));
  TRY(run->recover());
  return run;
}

// Commits the crashes together with the note that this in-flight log was read, so that a crash in
// here does not count a task twice.
Result<void> Run::recover() {
  LET(const InFlightReading in_flight, InFlightLog::read(folder_.in_flight()));
  LET(const auto read_before, journal_->note(kInFlightNote));
  const std::string epoch = std::to_string(in_flight.epoch);
  if (in_flight.epoch == 0) return {};
  recovery_.was_unclean = true;  // until start_in_flight() replaces the log
  if (read_before == epoch) return {};
  const std::string boot = boot_id();
  std::vector<Entry> entries;
  if (has_outlived_its_writer(in_flight, boot)) {
    LET(entries, not_in_journal(in_flight.outcomes));
    // The output of those tasks survived the crash but not yet a power cut; the journal entry
    // would.
    if (!entries.empty()) ::sync();
  }
  LET(recovery_.unknown, count_unknown(*journal_, in_flight));
  recovery_.outcomes = entries.size();
  std::unordered_set<TaskId> finished;
  for (const Entry& outcome : entries) finished.insert(engine::task_of(outcome));
  std::vector<TaskId> blamed;
  if (in_flight.boot == boot) {
    for (const TaskId id : in_flight.in_hand) {
      LET(const auto task, journal_->task(id));
      if (!task || task->state != TaskState::pending || finished.contains(id)) continue;
      entries.emplace_back(Crashed{.id = id});
      blamed.push_back(id);
    }
  }
  recovery_.crashed = blamed.size();
  TRY(journal_->commit(entries, std::vector<journal::Note>{{std::string(kInFlightNote), epoch}}));
  return blame(blamed);
}

Result<std::vector<Entry>> Run::not_in_journal(const std::vector<Entry>& outcomes) const {
  std::vector<Entry> missing;
  std::unordered_set<TaskId> seen;
  for (const Entry& outcome : outcomes) {
    const TaskId id = engine::task_of(outcome);
    LET(const auto task, journal_->task(id));
    if (!task || task->state != TaskState::pending || !seen.insert(id).second) continue;
    missing.push_back(outcome);
  }
  return missing;
}

Result<void> Run::blame(const std::vector<TaskId>& in_hand) {
  std::vector<Entry> entries;
  for (const TaskId id : in_hand) {
    LET(const auto task, journal_->task(id));
    if (!task || task->crashes < kMostCrashes) continue;
    entries.emplace_back(
        Died{.id = id,
             .attempts = task->attempts,
             .failure = {.cure = Cure::give_up,
                         .step = "crash",
                         .reason = "the program crashed " + std::to_string(task->crashes) +
                                   " times while this task was running",
                         .hint = "if something else killed the program, retry the task"},
             .at = clock_.wall()});
  }
  recovery_.died = entries.size();
  return entries.empty() ? Result<void>() : journal_->commit(entries);
}

Result<InFlightLog*> Run::start_in_flight(std::size_t workers, std::size_t in_flight) {
  LET(in_flight_, InFlightLog::make({.path = folder_.in_flight(),
                                     .epoch = static_cast<std::uint64_t>(journal_->epoch()),
                                     .boot = boot_id(),
                                     .workers = workers,
                                     .outcomes = std::max<std::size_t>(in_flight, 64)}));
  TRY(mark_running());
  return in_flight_.get();
}

Result<void> Run::mark_running() {
  card_.ending = kRunning;
  card_.cause.clear();
  card_.ended.reset();
  return journal_->commit(
      {}, std::vector<journal::Note>{{.key = "ending", .value = std::string(kRunning)},
                                     {.key = "cause", .value = ""},
                                     {.key = "ended", .value = ""}});
}

Result<void> Run::end(std::string_view how, std::string_view cause) {
  card_.ending = how;
  card_.cause = cause;
  card_.ended = clock_.wall();
  // If a commit failed, such as on a full disk, its outcomes are only in the in-flight log.
  std::vector<Entry> late;
  if (in_flight_ && how != kComplete) {
    LET(const InFlightReading in_flight, InFlightLog::read(folder_.in_flight()));
    LET(late, not_in_journal(in_flight.outcomes));
  }
  TRY(journal_->commit(
      late, std::vector<journal::Note>{{"ending", std::string(how)},
                                       {"cause", std::string(cause)},
                                       {"ended", std::to_string(micros(*card_.ended))}}));
  in_flight_.reset();
  ::unlink(folder_.in_flight().c_str());
  return {};
}

}  // namespace tidemill::run
