// retry_and_letters: transient failures are retried, others become dead letters.
//
//   pending ──► attempts ──► done
//      ▲           └─── give_up, or the last attempt ──► dead letter
//      └─── Revived, after a fix ───────────────────────────────┘
//
// Of four files, one is busy twice, one is always busy, and one may not be read. The pool looks
// only at the cure of a failure; a journal stores the outcome. One cause is fixed, and its dead
// letter is retried. Workers can commit to a journal in memory; for a journal on disk, use one
// thread that commits batches.
#include <chrono>
#include <iostream>

#include "tidemill/base/try.h"
#include "tidemill/engine/memory_journal.h"
#include "tidemill/engine/pool.h"

using namespace tidemill;
using namespace tidemill::engine;

namespace {

Result<void> read(const TaskRecord& task, const TaskContext& context, bool fixed) {
  const auto& path = task.subject;
  const bool is_busy = path == "stuck.txt" || (path == "busy.txt" && context.attempt() < 3);
  if (is_busy) return fail(Cure::retry, "open", path + ": in use");
  if (path == "secret.txt" && !fixed) {
    return fail(Cure::give_up, "open", path + ": permission denied");
  }
  return {};
}

Entry entry_of(const Settlement& task) {
  if (task.ok()) return Done{.id = task.id, .attempts = task.attempts};
  const WallTime at = SystemClock().wall();
  return Died{.id = task.id, .attempts = task.attempts, .failure = task.outcome->error(), .at = at};
}

Result<void> run_pending(Journal& journal, bool fixed) {
  LET(const auto pending, journal.pending(0, 1'000));  // declared before the pool: tasks use it
  const auto record = [&](const Settlement& task) { return journal.commit_one(entry_of(task)); };
  const RetryPolicy retry{.max_attempts = 3, .first_delay = std::chrono::milliseconds(1)};
  LET(auto pool, Pool::start({.workers = 2, .retry = retry, .on_settled = record}));
  for (const TaskRecord& task : pending) {
    const auto body = [&task, fixed](TaskContext& context) { return read(task, context, fixed); };
    if (pool.submit({body, {.id = task.id}}) != Admission::accepted) break;  // report.fatal: why
  }
  pool.close();
  if (const auto report = pool.wait(); report.fatal) return std::unexpected(*report.fatal);
  LET(const Tally now, journal.tally());
  std::cout << now.done() << " done, " << now.dead() << " dead, " << now.pending() << " pending\n";
  return {};
}

Result<void> run() {
  MemoryJournal journal;
  for (TaskId id = 0; const char* path : {"fine.txt", "busy.txt", "secret.txt", "stuck.txt"}) {
    TRY(journal.commit_one(Found{.id = ++id, .type = "read", .subject = path}));
  }
  TRY(run_pending(journal, false));
  LET(const auto letters, journal.letters(0, 1'000));
  for (const Letter& dead : letters) {
    std::cout << "dead letter " << dead.id << ", attempts " << dead.attempts << ": "
              << dead.failures.failure.reason << '\n';
  }
  TRY(journal.commit_one(Revived{.id = 3}));
  return run_pending(journal, true);
}

}  // namespace

int main() {
  const auto ran = run();
  if (!ran) std::cerr << text_of(ran.error()) << '\n';
  return ran ? 0 : 1;
}
