#include "tidemill/state/journal/journal_writer.h"

#include <chrono>
#ifdef TIDEMILL_PLANT
#include <cstdlib>
#endif
#include <iterator>
#include <utility>
#include <variant>

#include "tidemill/base/micros.h"
#include "tidemill/base/try.h"
#include "tidemill/state/journal/checksum.h"
#include "tidemill/state/journal/warnings.h"

namespace tidemill::journal {

using namespace engine;
using store::Blob;

namespace {

enum Sql : std::uint8_t {
  read_epoch,
  read_extras,
  read_task,
  add_task,
  make_done,
  make_skipped,
  make_dead,
  make_abandoned,
  revive,
  set_attempts,
  add_crash,
  put_failure,
  drop_failure,
  put_wait,
  drop_wait,
  put_checkpoint,
  drop_checkpoint,
  add_tally,
  put_note,
};

constexpr std::size_t kLongestPath = 4'096;

constexpr std::string_view kAddTask =
    "insert or ignore into task(id, state, attempts, crashes, type, folder, name, weight, checksum)"
    " values (?, 0, 0, 0, ?, ?, ?, ?, ?)";
// Each update adjusts the checksum by its change (journal/checksum.h). A pending task has no
// outcome.
constexpr std::string_view kMakeDone =
    "update task set state = 1, attempts = ?2, outcome = ?3, checksum = (checksum + 1640531527"
    " + (?2 - attempts) * 1103515245 + ?4) & 2147483647 where id = ?1 and state = 0";
constexpr std::string_view kMakeSkipped =
    "update task set state = 2, outcome = ?2, checksum = (checksum + 2 * 1640531527 + ?3)"
    " & 2147483647 where id = ?1 and state = 0";
constexpr std::string_view kMakeDead =
    "update task set state = 3, attempts = ?2, checksum = (checksum + 3 * 1640531527"
    " + (?2 - attempts) * 1103515245) & 2147483647 where id = ?1 and state = 0";
constexpr std::string_view kMakeAbandoned =
    "update task set state = 4, checksum = (checksum + (4 - state) * 1640531527) & 2147483647"
    " where id = ?";
constexpr std::string_view kRevive =
    "update task set state = 0, attempts = 0, crashes = 0, checksum = (checksum"
    " - state * 1640531527 - attempts * 1103515245 - crashes * 2147483629) & 2147483647"
    " where id = ?";
constexpr std::string_view kSetAttempts =
    "update task set attempts = ?2,"
    " checksum = (checksum + (?2 - attempts) * 1103515245) & 2147483647 where id = ?1";
constexpr std::string_view kAddCrash =
    "update task set crashes = crashes + 1, checksum = (checksum + 2147483629) & 2147483647"
    " where id = ?";
static_assert(kState == 1'640'531'527 && kAttempts == 1'103'515'245 && kCrashes == 2'147'483'629 &&
              kSumMask == 2'147'483'647);
constexpr std::string_view kPutFailure =
    "insert into trouble(task, cure, step, reason, hint, wish_ms, first_us, last_us)"
    " values (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?7) on conflict(task) do update set"
    " cure = excluded.cure, step = excluded.step, reason = excluded.reason,"
    " hint = excluded.hint, wish_ms = excluded.wish_ms, last_us = excluded.last_us";
constexpr std::string_view kPutCheckpoint =
    "insert or replace into checkpoint(task, steps_done, last_step, data, warnings, checksum)"
    " values (?, ?, ?, ?, ?, ?)";

constexpr std::string_view kSql[] = {
    "select epoch from owner",
    "select exists(select 1 from wait), exists(select 1 from checkpoint)",
    "select state, attempts from task where id = ?",
    kAddTask,
    kMakeDone,
    kMakeSkipped,
    kMakeDead,
    kMakeAbandoned,
    kRevive,
    kSetAttempts,
    kAddCrash,
    kPutFailure,
    "delete from trouble where task = ?",
    "insert or replace into wait(task, not_before_us, checksum) values (?, ?, ?)",
    "delete from wait where task = ?",
    kPutCheckpoint,
    "delete from checkpoint where task = ?",
    "update tally set n = n + ?2 where state = ?1",
    "insert or replace into note(key, value, checksum) values (?, ?, ?)",
};
static_assert(std::size(kSql) == put_note + 1);

std::int64_t key_of(TaskId id) { return static_cast<std::int64_t>(id); }

// An empty outcome costs nothing as NULL, and reads back as empty.
std::optional<Blob> outcome_of(std::string_view bytes) {
  return bytes.empty() ? std::nullopt : std::optional(Blob{bytes});
}

}  // namespace

struct JournalWriter::Apply {
  JournalWriter& writer;
  store::Db& db;
  std::size_t index;
  const Entry& entry;

  Result<void> operator()(const Found& e) const {
    if (!next_state(std::nullopt, entry)) return std::unexpected(refusal(index, entry, {}));
    const std::string_view subject = e.subject;
    // 0 when there is no folder. A subject longer than any path is not a path, so no other task
    // shares its folder.
    const std::size_t cut = subject.size() > kLongestPath ? 0 : subject.rfind('/') + 1;
    LET(const auto type, writer.types_.id_of(db, e.type));
    LET(const auto folder, writer.folders_.id_of(db, subject.substr(0, cut)));
    const auto weight = static_cast<std::int64_t>(e.weight);
    const auto sum = sum_of({.id = key_of(e.id),
                             .type = e.type,
                             .folder = subject.substr(0, cut),
                             .name = subject.substr(cut),
                             .weight = weight});
    TRY(run(add_task, type, folder, Blob{subject.substr(cut)}, weight, sum));
    if (db.changes() != 1) {
      TRY(look());  // fails: the task already exists
    }
    writer.count(TaskState::pending, 1);
    return {};
  }

  Result<void> operator()(const Attempted& e) const {
    LET(const Task task, look());
    if (e.attempt <= task.attempts) return {};
    TRY(run(set_attempts, e.attempt));
    TRY(note_failure(e.failure, e.at));
    writer.has_waits_ = true;
    const std::int64_t until = micros(e.not_before);
    return run(put_wait, until, store::checksum_of(key_of(e.id), until));
  }

  Result<void> operator()(const Checkpointed& e) const {
    TRY(look());
    writer.has_checkpoints_ = true;
    const Checkpoint& kept = e.checkpoint;
    const std::string warnings = packed(kept.warnings);
    const auto steps = static_cast<std::int64_t>(kept.steps_done);
    const auto sum = store::checksum_of(key_of(e.id), steps, kept.last_step, kept.data, warnings);
    return run(put_checkpoint, steps, Blob{kept.last_step}, Blob{kept.data}, Blob{warnings}, sum);
  }

  Result<void> operator()(const Cleared& /*e*/) const {
    TRY(look());
    return remove_checkpoint();
  }

  Result<void> operator()(const Crashed& /*e*/) const {
    TRY(look());
    return run(add_crash);
  }

  Result<void> operator()(const Done& e) const {
    TRY(run(make_done, e.attempts, outcome_of(e.result), sum_of_outcome(e.result)));
    LET(const bool moved, left_pending(TaskState::done));
    return moved ? remove_checkpoint() : Result<void>();
  }

  Result<void> operator()(const Skipped& e) const {
    TRY(run(make_skipped, outcome_of(e.reason), sum_of_outcome(e.reason)));
    LET(const bool moved, left_pending(TaskState::skipped));
    return moved ? remove_checkpoint() : Result<void>();
  }

  Result<void> operator()(const Died& e) const {
    TRY(run(make_dead, e.attempts));
    LET(const bool moved, left_pending(TaskState::dead));
    if (!moved) return {};
    TRY(note_failure(e.failure, e.at));
    return writer.reasons_.count(db, e.id, e.failure, e.at);
  }

  Result<void> operator()(const Revived& e) const {
    LET(const Task task, look());
    TRY(run(revive));
    count_move(task.state, TaskState::pending);
    TRY(writer.reasons_.uncount(db, e.id));
    return run(drop_failure);
  }

  Result<void> operator()(const Abandoned& e) const {
    LET(const Task task, look());
    if (task.state == TaskState::abandoned) return {};
    TRY(run(make_abandoned));
    TRY(writer.reasons_.uncount(db, e.id));
    count_move(task.state, TaskState::abandoned);
    return remove_checkpoint();
  }

 private:
  // Runs a statement whose first argument is the task.
  template <class... Args>
  Result<void> run(Sql sql, const Args&... args) const {
    return writer.statements_[sql].run(key_of(task_of(entry)), args...);
  }

  // The current task, if the entry is legal in its state.
  [[nodiscard]] Result<Task> look() const {
    LET(const auto task, writer.look_up(db, task_of(entry)));
    const auto from = task ? std::optional(task->state) : std::nullopt;
    if (!next_state(from, entry)) return std::unexpected(refusal(index, entry, from));
    return task.value_or(Task{});
  }

  // After a guarded update. False: the task was in state `to` already, so nothing changes.
  [[nodiscard]] Result<bool> left_pending(TaskState to) const {
    if (db.changes() != 1) {
      TRY(look());
      return false;
    }
    count_move(TaskState::pending, to);
    if (writer.has_waits_) TRY(run(drop_wait));
    return true;
  }

  void count_move(TaskState from, TaskState to) const {
    writer.count(from, -1);
    writer.count(to, 1);
  }

  [[nodiscard]] Result<void> remove_checkpoint() const {
    return writer.has_checkpoints_ ? run(drop_checkpoint) : Result<void>();
  }

  [[nodiscard]] Result<void> note_failure(const Failure& failure, WallTime at) const {
    return run(put_failure, static_cast<std::int64_t>(failure.cure), Blob{failure.step},
               Blob{failure.reason}, Blob{failure.hint}, failure.not_before.count(), micros(at));
  }
};

JournalWriter::JournalWriter(std::vector<store::Statement> statements, JournalNames folders,
                             JournalNames types, JournalReasons reasons, std::int64_t epoch)
    : statements_(std::move(statements)),
      folders_(std::move(folders)),
      types_(std::move(types)),
      reasons_(std::move(reasons)),
      epoch_(epoch) {}

Result<JournalWriter> JournalWriter::open(store::Db& db, std::int64_t epoch) {
  std::vector<store::Statement> statements;
  statements.reserve(std::size(kSql));
  for (const std::string_view sql : kSql) {
    LET(auto statement, db.prepare(sql));
    statements.push_back(std::move(statement));
  }
  LET(auto find_folder, db.prepare("select id from folder where path = ?"));
  LET(auto add_folder, db.prepare("insert into folder(path) values (?)"));
  LET(auto find_type, db.prepare("select id from type where name = ?"));
  LET(auto add_type, db.prepare("insert into type(name) values (?)"));
  LET(auto reasons, JournalReasons::open(db));
  return JournalWriter(std::move(statements), {std::move(find_folder), std::move(add_folder)},
                       {std::move(find_type), std::move(add_type)}, std::move(reasons), epoch);
}

Result<void> JournalWriter::write(store::Db& db, std::span<const Entry> batch,
                                  std::span<const Note> notes) {
  TRY(start(db));
  for (std::size_t i = 0; i < batch.size(); ++i) {
    TRY(std::visit(Apply{.writer = *this, .db = db, .index = i, .entry = batch[i]}, batch[i]));
  }
  for (const Note& note : notes) {
    TRY(statements_[put_note].run(std::string_view(note.key), Blob{note.value},
                                  store::checksum_of(note.key, note.value)));
  }
#ifdef TIDEMILL_PLANT  // deliberate fault, see tests/faults: commits tasks and tally separately
  const char* const plant = std::getenv("TIDEMILL_PLANT");
  if (plant != nullptr && std::string_view(plant) == "split") {
    TRY(db.exec("commit; begin immediate; savepoint part"));
  }
#endif
  return finish();
}

Result<void> JournalWriter::start(const store::Db& db) {
  LET(const auto epoch, statements_[read_epoch].one<std::int64_t>());
  if (epoch != epoch_) {
    return std::unexpected(Failure{.cure = Cure::give_up,
                                   .step = "journal",
                                   .reason = "another process has taken over this run",
                                   .hint = "let only one process work on a run"});
  }
  if (rollbacks_ != db.rollbacks()) {
    folders_.forget();
    types_.forget();
    reasons_.forget();
    rollbacks_ = db.rollbacks();
  }
  using Flags = std::tuple<std::int64_t, std::int64_t>;
  LET(const auto extras, (statements_[read_extras].first<std::int64_t, std::int64_t>()));
  const auto [waits, checkpoints] = extras.value_or(Flags(1, 1));
  has_waits_ = waits != 0;
  has_checkpoints_ = checkpoints != 0;
  tally_ = {};
  return {};
}

Result<std::optional<JournalWriter::Task>> JournalWriter::look_up(const store::Db& db, TaskId id) {
  if (id > kLastTaskId) return std::nullopt;
  LET(const auto row, (statements_[read_task].first<std::int64_t, std::int64_t>(key_of(id))));
  if (!row) return std::nullopt;
  const auto [state, attempts] = *row;
  if (state < 0 || state >= std::ssize(tally_)) {
    return fail(Cure::give_up, "journal",
                db.path() + ": task " + std::to_string(id) + " has an unknown state");
  }
  return Task{.state = static_cast<TaskState>(state), .attempts = attempts};
}

Result<void> JournalWriter::finish() {
  for (std::size_t state = 0; state < tally_.size(); ++state) {
    if (tally_[state] == 0) continue;
    TRY(statements_[add_tally].run(static_cast<std::int64_t>(state), tally_[state]));
  }
  return {};
}

}  // namespace tidemill::journal
