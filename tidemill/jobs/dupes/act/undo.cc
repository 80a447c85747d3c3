#include "tidemill/jobs/dupes/act/undo.h"

#include <cstdlib>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include "tidemill/base/guarded.h"
#include "tidemill/base/try.h"
#include "tidemill/engine/progress.h"
#include "tidemill/formats/text/printable.h"
#include "tidemill/jobs/dupes/act/act.h"
#include "tidemill/jobs/dupes/act/made_folders.h"
#include "tidemill/jobs/dupes/act/undo_batch.h"
#include "tidemill/jobs/dupes/act/undo_step.h"

namespace tidemill::dupes {
namespace {

using engine::TaskId;
using engine::TaskRecord;
using engine::TaskState;

constexpr std::size_t kPage = 128;

// The undone tasks, stored in the notes "undone.0", "undone.1" and so on, with ids as text.
class Undone {
 public:
  [[nodiscard]] static Result<Undone> read(const journal::SqliteJournal& journal) {
    Undone undone;
    for (;; ++undone.notes_) {
      LET(const auto note, journal.note(undone.key()));
      if (!note) return undone;
      for (std::size_t at = 0; at < note->size();) {
        undone.ids_.insert(std::strtoull(note->c_str() + at, nullptr, 10));
        const std::size_t space = note->find(' ', at);
        at = space == std::string::npos ? note->size() : space + 1;
      }
    }
  }
  [[nodiscard]] bool has(TaskId id) const { return ids_.contains(id); }
  [[nodiscard]] bool is_empty() const { return ids_.empty(); }

  [[nodiscard]] Result<void> add(const std::vector<TaskId>& ids, journal::SqliteJournal& journal) {
    if (ids.empty()) return {};
    std::string value;
    for (const TaskId id : ids) value += (value.empty() ? "" : " ") + std::to_string(id);
    TRY(journal.commit({}, std::vector<journal::Note>{{.key = key(), .value = value}}));
    ++notes_;
    ids_.insert(ids.begin(), ids.end());
    return {};
  }

 private:
  [[nodiscard]] std::string key() const { return "undone." + std::to_string(notes_); }

  std::unordered_set<TaskId> ids_;
  std::size_t notes_ = 0;
};

// The progress line reads the report, so its lock is never held during work.
using Watched = Guarded<UndoReport>;

engine::ProgressInputs inputs_of(const UndoReport& report, std::uint64_t steps) {
  return {.counts = {.found = steps,
                     .done = report.undone + report.before,
                     .skipped = report.declined,
                     .failed = report.failed},
          .is_total_known = true};
}

void tell(const std::string& path, command::ItemState state, std::string detail,
          command::Console& console) {
  if (!console.wants_items()) return;
  command::SettledItem item{.name = path, .state = state};
  if (!detail.empty()) item.details.push_back(std::move(detail));
  console.settled(std::move(item));
}

void tell(const std::string& path, const Refusal& refusal, Watched& report,
          command::Console& console) {
  if (refusal.kind == Refusal::Kind::stopped) {
    ++report.lock()->pending;
    return;
  }
  const bool is_failure = refusal.kind == Refusal::Kind::failed;
  ++(is_failure ? report.lock()->failed : report.lock()->declined);
  tell(path, is_failure ? command::ItemState::failed : command::ItemState::bad, refusal.reason,
       console);
  console.say(is_failure ? command::Tone::bad : command::Tone::warning,
              text::printable(path) + ": " + text::printable(refusal.reason));
}

// Interrupted and failed steps that had left something behind.
void tell(const Dropped& dropped, Watched& report, command::Console& console) {
  report.lock()->undone += dropped.back.size();
  for (const std::string& path : dropped.back) tell(path, command::ItemState::good, "", console);
  for (const Dropped::FailedStep& step : dropped.failed) {
    tell(step.path, failed(step.reason).error(), report, console);
  }
}

// Undone steps are on the disk before they are recorded.
Result<void> undo_page(const std::vector<TaskRecord>& page, UndoBatch& batch, Undone& undone,
                       run::Run& run, Watched& report, command::Context& context) {
  std::vector<const TaskRecord*> begun;
  for (const TaskRecord& record : page) {
    if (undone.has(record.id)) {
      ++report.lock()->before;
    } else if (context.stop.stop_requested()) {
      ++report.lock()->pending;
    } else if (auto step = step_of(record.outcome)) {
      batch.add(*std::move(step), record.id);
      begun.push_back(&record);
    } else {
      tell(record.subject, failed("the journal entry of this step cannot be read").error(), report,
           context.console);
    }
  }
  const auto outcomes = batch.finish();
  std::vector<TaskId> ids;
  for (std::size_t i = 0; i < begun.size(); ++i) {
    const std::string& path = begun[i]->subject;
    if (!outcomes[i]) {
      tell(path, outcomes[i].error(), report, context.console);
      continue;
    }
    ids.push_back(begun[i]->id);
    ++report.lock()->undone;
    tell(path, command::ItemState::good, "", context.console);
  }
  return undone.add(ids, run.journal());
}

// Skipped names are still names of the original file; further names of it are restored as links.
Result<void> remember_declined(const journal::SqliteJournal& journal, const PairTools& tools,
                               Undoer& undoer) {
  for (TaskId after = 0; !tools.stop.stop_requested();) {
    LET(const auto page, journal.tasks(after, kPage, TaskState::skipped));
    if (page.empty()) return {};
    after = page.back().id;
    for (const TaskRecord& record : page) undoer.remember_name(record.subject);
    tools.places.forget();
  }
  return {};
}

// The same for names that an earlier undo() restored: names that failed then may come before them.
Result<void> remember_undone(const journal::SqliteJournal& journal, const Undone& undone,
                             const PairTools& tools, Undoer& undoer) {
  for (TaskId after = 0; !undone.is_empty() && !tools.stop.stop_requested();) {
    LET(const auto page, journal.tasks(after, kPage, TaskState::done));
    if (page.empty()) return {};
    after = page.back().id;
    for (const TaskRecord& record : page) {
      const auto step = undone.has(record.id) ? step_of(record.outcome) : std::nullopt;
      if (step) undoer.remember(*step);
    }
    tools.places.forget();
  }
  return {};
}

}  // namespace

Result<std::vector<TaskId>> undoable_steps(const journal::SqliteJournal& journal) {
  LET(const Undone undone, Undone::read(journal));
  std::vector<TaskId> ids;
  for (TaskId after = 0;;) {
    LET(const auto page, journal.tasks(after, kPage, TaskState::done));
    if (page.empty()) return ids;
    after = page.back().id;
    for (const TaskRecord& record : page) {
      if (!undone.has(record.id)) ids.push_back(record.id);
    }
  }
}

Result<UndoReport> undo(run::Run& run, command::Context& context) {
  LET(const auto dropped, drop_pending(run, context));
  LET(auto places, PairPlaces::from(run.card().directory));
  LET(auto comparer, Comparer::make());
  const PairTools tools{
      .places = places, .comparer = comparer, .mark = run.card().mark, .stop = context.stop};
  Undoer undoer(tools);
  for (const PlanStep& step : dropped.steps) undoer.remember(step);
  const journal::SqliteJournal& journal = run.journal();
  TRY(remember_declined(journal, tools, undoer));
  LET(Undone undone, Undone::read(journal));
  TRY(remember_undone(journal, undone, tools, undoer));
  LET(const auto tally, journal.tally());
  const std::uint64_t steps =
      tally.of(TaskState::done) + dropped.back.size() + dropped.failed.size();
  Watched report;
  tell(dropped, report, context.console);
  LET(const auto reporter,
      engine::ProgressReporter::start(
          {}, [&] { return inputs_of(*report.lock(), steps); },
          [&](const engine::ProgressSnapshot& seen) { context.console.show(seen); },
          context.clock));
  UndoBatch batch(tools, undoer, context.clock);
  for (TaskId after = 0;;) {
    LET(const auto page, journal.tasks(after, kPage, TaskState::done));
    if (page.empty()) break;
    after = page.back().id;
    TRY(undo_page(page, batch, undone, run, report, context));
    places.forget();
  }
  LET(const auto made, MadeFolders::read(journal));
  const std::size_t left = remove_empty(made.all(), tools, context.console);
  report.lock()->pending += left;
  return *report.lock();
}

}  // namespace tidemill::dupes
