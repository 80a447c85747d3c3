#include "tidemill/state/journal/reader.h"

#include <algorithm>
#include <chrono>
#include <limits>
#include <tuple>

#include "tidemill/base/micros.h"
#include "tidemill/base/try.h"
#include "tidemill/state/history/tables.h"
#include "tidemill/state/journal/checksum.h"
#include "tidemill/state/journal/reasons.h"
#include "tidemill/state/journal/rows.h"
#include "tidemill/state/journal/schema.h"

namespace tidemill::journal {

using namespace engine;

namespace {

// Without `indexed by`, SQLite might scan all tasks from `after` on to avoid a sort.
constexpr std::string_view kPending = "task k indexed by task_pending";
constexpr std::string_view kDead = "task k indexed by task_dead";

std::string select(std::string_view columns, std::string_view from, std::string_view where) {
  std::string sql = "select ";
  sql += columns;
  sql += " from ";
  sql += from;
  sql += kJoins;
  sql += " where ";
  sql += where;
  return sql;
}

constexpr std::string_view order_of(ListOrder order) {
  switch (order) {
    case ListOrder::by_id:
      return "k.id";
    case ListOrder::by_weight:
      return "k.weight < 0, k.weight, k.id";  // weights above 2^63 - 1 are stored as negative
    case ListOrder::by_name:
      break;
  }
  return "f.path, k.name, k.id";
}

std::int64_t key_of(TaskId id) { return static_cast<std::int64_t>(std::min(id, kLastTaskId)); }

std::int64_t limit_of(std::size_t limit) {
  constexpr auto kMost = std::numeric_limits<std::int64_t>::max();
  return static_cast<std::int64_t>(std::min<std::uint64_t>(limit, kMost));
}

// The columns for a file without checksums.
std::string without_checksums(std::string columns) {
  for (const std::string_view name : {"k.checksum", "w.checksum", "c.checksum"}) {
    if (const auto at = columns.find(name); at != columns.npos) {
      columns.replace(at, name.size(), "null");
    }
  }
  return columns;
}

// The groups of failure_groups(), most frequent first.
constexpr std::string_view kCountedGroups =
    "with g as (select id, step, reason, n, first_us, last_us,"
    " (select min(task) from failed_task where reason = r.id) as first from reason r"
    " order by n desc, first limit ?)"
    " select g.id, g.step, g.reason, g.n, g.first, g.first_us, g.last_us, f.path, k.name"
    " from g join task k on k.id = g.first left join folder f on f.id = k.folder"
    " order by g.n desc, g.first";
// Before version 3, all failures are read.
constexpr std::string_view kGroupsOfOldFile =
    "with g as (select t.step as step, t.reason as reason, count(*) as n, min(k.id) as first,"
    " min(t.first_us) as first_us, max(t.last_us) as last_us"
    " from task k indexed by task_dead join trouble t on t.task = k.id where k.state = 3"
    " group by t.step, t.reason order by n desc, first limit ?)"
    " select 0, g.step, g.reason, g.n, g.first, g.first_us, g.last_us, f.path, k.name"
    " from g join task k on k.id = g.first left join folder f on f.id = k.folder"
    " order by g.n desc, g.first";
constexpr std::string_view kOtherReasonsText = "other reasons, too many to count apart";

template <class Row>
std::optional<Row> first_of(std::vector<Row> rows) {
  if (rows.empty()) return std::nullopt;
  return std::move(rows.front());
}

}  // namespace

Result<JournalReader> JournalReader::open(const std::string& path) {
  LET(auto opened, open_for_reading(path));
  store::Db& db = opened.db;
  const auto columns = [&](std::string_view more) {
    std::string all = std::string(kTaskColumns) + std::string(more);
    return opened.has_checksums ? all : without_checksums(std::move(all));
  };
  const std::string of_task = columns("");
  const std::string of_letter = columns(kLetterColumns);
  constexpr std::string_view kPage = "k.id > ?1 order by k.id limit ?2";
  const std::string page(kPage);
  LET(auto tally, db.prepare("select state, n from tally"));
  LET(auto highest, db.prepare("select max(id) from task"));
  LET(auto task, db.prepare(select(of_task, "task k", "k.id = ?")));
  LET(auto letter, db.prepare(select(of_letter, "task k", "k.id = ? and k.state = 3")));
  LET(auto checkpoint, db.prepare("select c.task, c.steps_done, c.last_step, c.data, c.warnings" +
                                  std::string(opened.has_checksums ? ", c.checksum" : ", null") +
                                  " from checkpoint c where c.task = ?"));
  LET(auto tasks, db.prepare(select(of_task, "task k", page)));
  LET(auto pending, db.prepare(select(of_task, kPending, "k.state = 0 and " + page)));
  LET(auto dead, db.prepare(select(of_task, kDead, "k.state = 3 and " + page)));
  LET(auto in_state, db.prepare(select(of_task, "task k not indexed", "k.state = ?3 and " + page)));
  LET(auto letters, db.prepare(select(of_letter, kDead, "k.state = 3 and " + page)));
  LET(auto note,
      db.prepare("select value, " + std::string(opened.has_checksums ? "checksum" : "null") +
                 " from note where key = ?"));
  LET(auto epoch, db.prepare("select epoch from owner"));
  return JournalReader(std::move(opened), {.tally = std::move(tally),
                                           .highest = std::move(highest),
                                           .task = std::move(task),
                                           .letter = std::move(letter),
                                           .checkpoint = std::move(checkpoint),
                                           .tasks = std::move(tasks),
                                           .pending = std::move(pending),
                                           .dead = std::move(dead),
                                           .in_state = std::move(in_state),
                                           .letters = std::move(letters),
                                           .note = std::move(note),
                                           .epoch = std::move(epoch)});
}

template <class Record, class... Args>
Result<std::vector<Record>> JournalReader::read(store::Statement& statement, const Args&... args) {
  std::vector<Record> records;
  std::optional<Failure> broken;
  const auto take = [&](RowOf<Record> row) {
    if (broken) return;
    auto record = record_of(std::move(row), has_checksums_);
    if (record) {
      records.push_back(*std::move(record));
    } else {
      broken = std::move(record).error();
    }
  };
  TRY(each_row<RowOf<Record>>(statement, std::tuple(args...), take));
  if (!broken) return records;
  broken->reason = db_.path() + ": " + broken->reason;
  return std::unexpected(*std::move(broken));
}

Result<Tally> JournalReader::tally() {
  Tally tally;
  TRY((statements_.tally.rows<std::int64_t, std::int64_t>(
      std::tuple(), [&](std::int64_t state, std::int64_t n) {
        if (state < 0 || state >= std::ssize(tally.counts)) return;
        tally.counts[static_cast<std::size_t>(state)] = static_cast<std::uint64_t>(n);
      })));
  return tally;
}

Result<TaskId> JournalReader::next_id() {
  LET(const auto highest, statements_.highest.one<std::int64_t>());  // NULL reads as 0
  return static_cast<TaskId>(std::max<std::int64_t>(highest.value_or(0), 0)) + 1;
}

Result<std::optional<TaskRecord>> JournalReader::task(TaskId id) {
  if (id > kLastTaskId) return std::nullopt;
  LET(auto found, read<TaskRecord>(statements_.task, key_of(id)));
  return first_of(std::move(found));
}

Result<std::optional<Letter>> JournalReader::letter(TaskId id) {
  if (id > kLastTaskId) return std::nullopt;
  LET(auto found, read<Letter>(statements_.letter, key_of(id)));
  return first_of(std::move(found));
}

Result<std::optional<Checkpoint>> JournalReader::checkpoint(TaskId id) {
  if (id > kLastTaskId) return std::nullopt;
  LET(auto found, read<Checkpoint>(statements_.checkpoint, key_of(id)));
  return first_of(std::move(found));
}

Result<std::vector<TaskRecord>> JournalReader::tasks(TaskId after, std::size_t limit,
                                                     std::optional<TaskState> state) {
  const auto from = key_of(after);
  const auto most = limit_of(limit);
  if (!state) return read<TaskRecord>(statements_.tasks, from, most);
  if (*state == TaskState::pending) return read<TaskRecord>(statements_.pending, from, most);
  if (*state == TaskState::dead) return read<TaskRecord>(statements_.dead, from, most);
  return read<TaskRecord>(statements_.in_state, from, most, static_cast<std::int64_t>(*state));
}

Result<std::vector<Letter>> JournalReader::letters(TaskId after, std::size_t limit) {
  return read<Letter>(statements_.letters, key_of(after), limit_of(limit));
}

Result<std::vector<TaskId>> JournalReader::pending_ids(ListOrder order) {
  std::string sql = "select k.id from " + std::string(kPending);
  if (order == ListOrder::by_name) sql += " left join folder f on f.id = k.folder";
  sql += " where k.state = 0 order by ";
  sql += order_of(order);
  LET(auto statement, db_.prepare(sql));
  std::vector<TaskId> ids;
  TRY(statement.rows<std::int64_t>(
      std::tuple(), [&](std::int64_t id) { ids.push_back(static_cast<TaskId>(id)); }));
  return ids;
}

Result<std::vector<FailureGroup>> JournalReader::failure_groups(std::size_t limit) {
  LET(auto statement, db_.prepare(has_reasons_ ? kCountedGroups : kGroupsOfOldFile));
  std::vector<FailureGroup> groups;
  using Text = std::string;
  using Int = std::int64_t;
  TRY((statement.rows<Int, Text, Text, Int, Int, Int, Int, Text, Text>(
      std::tuple(limit_of(limit)),
      [&](Int id, Text step, Text reason, Int n, Int first, Int first_us, Int last_us,
          const Text& folder, const Text& name) {
        const bool is_rest = has_reasons_ && id == kOtherReasons;
        groups.push_back({.id = id,
                          .step = std::move(step),
                          .reason = is_rest ? std::string(kOtherReasonsText) : std::move(reason),
                          .first_at = time_of_micros(first_us),
                          .last_at = time_of_micros(last_us),
                          .count = static_cast<std::uint64_t>(n),
                          .first = static_cast<TaskId>(first),
                          .example = folder + name});
      })));
  return groups;
}

Result<std::vector<TaskRecord>> JournalReader::failed_tasks(std::int64_t reason, TaskId after,
                                                            std::size_t limit) {
  if (!has_reasons_) return std::vector<TaskRecord>();
  // SQLite does not reorder a cross join: it reads the reason's rows from `after` on.
  LET(auto statement, db_.prepare(select(kTaskColumns, "failed_task m cross join task k",
                                         "k.id = m.task and m.reason = ?3 and m.task > ?1"
                                         " order by m.task limit ?2")));
  return read<TaskRecord>(statement, key_of(after), limit_of(limit), reason);
}

Result<FoundTasks> JournalReader::search(const TaskSearch& search,
                                         const std::function<bool()>& may_go_on) {
  LET(const auto ids, search_ids(db_, search, may_go_on));
  FoundTasks found{.searched_to = ids.searched_to, .is_over = ids.is_over};
  for (const TaskId id : ids.ids) {
    LET(auto record, task(id));
    if (record) found.tasks.push_back(*std::move(record));
  }
  return found;
}

Result<history::RunHistory> JournalReader::history() {
  if (!has_history_) return history::RunHistory{};
  return history::read(db_);
}

Result<std::optional<std::string>> JournalReader::note(std::string_view key) {
  LET(auto row, (statements_.note.first<std::string, std::optional<std::int64_t>>(key)));
  if (!row) return std::nullopt;
  auto& [value, kept] = *row;
  if (has_checksums_ && kept != store::checksum_of(key, value)) {
    return std::unexpected(Failure{.cure = Cure::give_up,
                                   .step = "journal",
                                   .reason = db_.path() + ": the file is damaged: the note '" +
                                             std::string(key) + "' has a wrong checksum",
                                   .hint = std::string(kDamageHint)});
  }
  return std::move(value);
}

Result<std::int64_t> JournalReader::epoch() {
  LET(const auto epoch, statements_.epoch.one<std::int64_t>());
  return epoch.value_or(0);
}

}  // namespace tidemill::journal
