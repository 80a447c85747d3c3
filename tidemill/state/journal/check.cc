#include "tidemill/state/journal/check.h"

#include <optional>
#include <string_view>
#include <tuple>
#include <utility>

#include "tidemill/base/try.h"
#include "tidemill/io/store/db.h"
#include "tidemill/io/store/transaction.h"
#include "tidemill/state/journal/schema.h"

namespace tidemill::journal {
namespace {

struct Question {
  std::string_view count;  // of what is wrong
  std::string_view finding;
  bool needs_checksums = false;
  bool needs_reasons = false;
};

// `not indexed` where a damaged index would hide the rows in question.
constexpr Question kQuestions[] = {
    {.count = "select count(*) from task where id < 1", .finding = "tasks with an id below 1"},
    {.count = "select count(*) from task not indexed where state not in (0, 1, 2, 3, 4)"
              " or typeof(state) <> 'integer'",
     .finding = "tasks with an unknown state"},
    {.count =
         "select count(*) from task not indexed where typeof(attempts) <> 'integer' or attempts < 0"
         " or typeof(crashes) <> 'integer' or crashes < 0 or typeof(weight) <> 'integer'"
         " or typeof(name) <> 'blob' or typeof(outcome) not in ('blob', 'null')",
     .finding = "tasks with a value of the wrong type"},
    {.count = "select count(*) from task not indexed where type <> 0 and type not in (select id "
              "from type)",
     .finding = "tasks with a task type that is not in the table"},
    {.count = "select count(*) from task not indexed"
              " where folder <> 0 and folder not in (select id from folder)",
     .finding = "tasks in a folder that is not in the table"},
    {.count = "select count(*) from tally t left join"
              " (select state, count(*) as n from task not indexed group by state) c on c.state = "
              "t.state"
              " where t.n <> coalesce(c.n, 0)",
     .finding = "states whose tally does not match the number of tasks"},
    {.count = "select abs(5 - count(*)) from tally where state in (0, 1, 2, 3, 4)",
     .finding = "states without a tally"},
    {.count = "select count(*) from task not indexed"
              " where state = 3 and id not in (select task from trouble)",
     .finding = "failed tasks without a failure record"},
    {.count = "select count(*) from trouble where task not in (select id from task)",
     .finding = "failure records without a task"},
    {.count =
         "select count(*) from trouble where typeof(cure) <> 'integer' or cure not in (0, 1, 2, 3)",
     .finding = "failure records with an unknown cure"},
    {.count = "select count(*) from wait where task not in (select id from task where +state = 0)",
     .finding = "waits without a pending task"},
    {.count = "select count(*) from checkpoint"
              " where task not in (select id from task where +state in (0, 3))",
     .finding = "checkpoints without a pending or failed task; to remove them, use check "
                "--remove-orphans"},
    // The checksums of orphans do not matter.
    {.count = "select count(*) from task k not indexed where not (checksum is null and"
              " state in (1, 2, 4)) and checksum is not (checksum(id,"
              " (select name from type where id = k.type),"
              " (select path from folder where id = k.folder), name, weight)"
              " + state * 1640531527 + attempts * 1103515245 + crashes * 2147483629"
              " + iif(length(outcome) > 0, checksum(outcome), 0)) & 2147483647",
     .finding = "tasks with a wrong checksum: changed by another program",
     .needs_checksums = true},
    {.count = "select count(*) from wait where checksum is not checksum(task, not_before_us)"
              " and task in (select id from task where +state = 0)",
     .finding = "waits with a wrong checksum",
     .needs_checksums = true},
    {.count = "select count(*) from checkpoint where checksum is not"
              " checksum(task, steps_done, last_step, data, warnings)"
              " and task in (select id from task where +state in (0, 3))",
     .finding = "checkpoints with a wrong checksum",
     .needs_checksums = true},
    {.count = "select count(*) from note where checksum is not checksum(key, value)",
     .finding = "notes with a wrong checksum",
     .needs_checksums = true},
    {.count = "select abs(1 - count(*)) from owner", .finding = "owner rows too many or too few"},
    {.count =
         "select count(*) from reason r left join"
         " (select reason, count(*) as n from failed_task group by reason) l on l.reason = r.id"
         " where r.n <> coalesce(l.n, 0)",
     .finding = "reasons whose count does not match the number of failed tasks",
     .needs_reasons = true},
    {.count = "select (select count(*) from failed_task where reason not in (select id from reason)"
              " or task not in (select id from task where +state = 3))"
              " + (select count(*) from task not indexed where state = 3"
              " and id not in (select task from failed_task))",
     .finding = "failed tasks that are not counted by their reason, or counted in error",
     .needs_reasons = true},
};

// A file too damaged to be read is a finding; a busy database is a failure.
Result<void> note_or_fail(const store::Db& db, Failure failure, CheckReport& report) {
  if (!db.damage() && failure.cure == Cure::retry) return std::unexpected(std::move(failure));
  report.findings.push_back(text_of(failure));
  return {};
}

Result<void> check_pages(store::Db& db, Depth depth, CheckReport& report) {
  LET(auto pragma,
      db.prepare(depth == Depth::quick ? "pragma quick_check(20)" : "pragma integrity_check(20)"));
  return pragma.rows<std::string>(std::tuple(), [&](std::string line) {
    if (line != "ok") report.findings.push_back(std::move(line));
  });
}

Result<void> ask(store::Db& db, const Question& question, CheckReport& report) {
  LET(auto statement, db.prepare(question.count));
  LET(const auto count, statement.one<std::int64_t>());
  if (count == 0) return {};
  report.findings.push_back(std::to_string(count.value_or(0)) + " " +
                            std::string(question.finding));
  return {};
}

}  // namespace

Result<CheckReport> check_journal(const std::string& path, Depth depth) {
  LET(auto opened, open_for_reading(path));
  store::Db& db = opened.db;
  CheckReport report;
  TRY(db.exec("begin"));  // one snapshot for all questions
  if (auto done = check_pages(db, depth, report); !done) {
    TRY(note_or_fail(db, std::move(done).error(), report));
  }
  for (const Question& question : kQuestions) {
    if (question.needs_checksums && !opened.has_checksums) continue;
    if (question.needs_reasons && !opened.has_reasons) continue;
    if (auto done = ask(db, question, report); !done) {
      TRY(note_or_fail(db, std::move(done).error(), report));
    }
  }
  return report;
}

Result<std::uint64_t> remove_orphaned_checkpoints(const std::string& path) {
  LET(auto db, open_for_writing({.path = path}));
  CheckReport pages;
  TRY(check_pages(db, Depth::quick, pages));
  if (!pages.is_clean()) {
    return fail(Cure::give_up, "check",
                path + ": the file is damaged, nothing was removed: " + pages.findings.front());
  }
  TRY(take_ownership(db));
  LET(auto transaction, store::Transaction::begin(db));
  TRY(
      db.exec("delete from checkpoint"
              " where task not in (select id from task not indexed where state in (0, 3))"));
  const auto removed = static_cast<std::uint64_t>(db.changes());
  TRY(transaction.commit());
  return removed;
}

}  // namespace tidemill::journal
