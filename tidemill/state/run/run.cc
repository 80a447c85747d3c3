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
#include "tidemill/base/try.h"
#include "tidemill/state/journal/micros.h"

namespace tidemill::run {
namespace {

using engine::Crashed;
using engine::Died;
using engine::Entry;
using engine::TaskId;
using engine::TaskState;

constexpr std::string_view kSlateNote = "slate";  // the epoch of the slate that was read last

// Ids of runs are unique in one state folder only, and a child process must be recognised among
// all of a machine.
Result<std::string> random_mark() {
  std::array<unsigned char, 16> bytes{};
  if (::getrandom(bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size())) {
    return fail(Cure::give_up, "create", "cannot get random numbers from the system");
  }
  return hex_of(bytes);
}

// Whether what the slate says of finished tasks is true of their output too. Both are in the page
// cache and neither is synced: while the machine runs, all of it is there; after a restart the
// slate may have reached the disk before the output did.
bool has_outlived_its_writer(const SlateReading& slate, const std::string& boot) {
#ifdef TIDEMILL_PLANT  // a fault on purpose, see tests/faults
  const char* const plant = std::getenv("TIDEMILL_PLANT");
  if (plant != nullptr && std::string_view(plant) == "boot") return true;
#endif
  return !boot.empty() && slate.boot == boot;
}

}  // namespace

Result<std::size_t> count_unknown(const journal::SqliteJournal& journal,
                                  const SlateReading& slate) {
  if (slate.boot != boot_id()) return 0;  // the pages of another boot may be of any age
  std::unordered_set<TaskId> unknown;
  const auto look = [&](TaskId id) -> Result<void> {
    if (unknown.contains(id)) return {};
    LET(const auto task, journal.task(id));
    if (!task) unknown.insert(id);
    return {};
  };
  for (const Entry& outcome : slate.outcomes) TRY(look(engine::task_of(outcome)));
  for (const TaskId id : slate.in_hand) TRY(look(id));
  return unknown.size();
}

Result<std::unique_ptr<Run>> Run::create(const StateFolder& state, RunCard card,
                                         const Clock& clock) {
  LET(const RunFolder folder, state.create(card.job, clock.wall()));
  auto run = begin(folder, std::move(card), clock);
  std::error_code ignored;  // a run that could not begin, for want of room say, is none
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

// In one commit with the note that this slate was read, so that a crash in here blames nobody
// twice.
Result<void> Run::recover() {
  LET(const SlateReading slate, Slate::read(folder_.slate()));
  LET(const auto read_before, journal_->note(kSlateNote));
  const std::string epoch = std::to_string(slate.epoch);
  if (slate.epoch == 0) return {};
  recovery_.was_unclean = true;  // until somebody has worked on it: see start_slate()
  if (read_before == epoch) return {};
  const std::string boot = boot_id();
  std::vector<Entry> entries;
  if (has_outlived_its_writer(slate, boot)) {
    LET(entries, not_in_journal(slate.outcomes));
    // What those tasks wrote has outlived the process, but not yet a power cut; the journal would.
    if (!entries.empty()) ::sync();
  }
  LET(recovery_.unknown, count_unknown(*journal_, slate));
  recovery_.outcomes = entries.size();
  std::unordered_set<TaskId> finished;
  for (const Entry& outcome : entries) finished.insert(engine::task_of(outcome));
  std::vector<TaskId> blamed;
  if (slate.boot == boot) {
    for (const TaskId id : slate.in_hand) {
      LET(const auto task, journal_->task(id));
      if (!task || task->state != TaskState::pending || finished.contains(id)) continue;
      entries.emplace_back(Crashed{.id = id});
      blamed.push_back(id);
    }
  }
  recovery_.crashed = blamed.size();
  TRY(journal_->commit(entries, std::vector<journal::Note>{{std::string(kSlateNote), epoch}}));
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

Result<Slate*> Run::start_slate(std::size_t workers, std::size_t in_flight) {
  LET(slate_, Slate::make({.path = folder_.slate(),
                           .epoch = static_cast<std::uint64_t>(journal_->epoch()),
                           .boot = boot_id(),
                           .workers = workers,
                           .outcomes = std::max<std::size_t>(in_flight, 64)}));
  TRY(mark_running());
  return slate_.get();
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
  // A commit that failed, for want of room say, has left its outcomes on the slate alone.
  std::vector<Entry> late;
  if (slate_ && how != kComplete) {
    LET(const SlateReading slate, Slate::read(folder_.slate()));
    LET(late, not_in_journal(slate.outcomes));
  }
  TRY(journal_->commit(
      late, std::vector<journal::Note>{{"ending", std::string(how)},
                                       {"cause", std::string(cause)},
                                       {"ended", std::to_string(journal::micros(*card_.ended))}}));
  slate_.reset();
  ::unlink(folder_.slate().c_str());
  return {};
}

}  // namespace tidemill::run
