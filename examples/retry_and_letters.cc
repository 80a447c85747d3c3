// retry_and_letters: what may pass is tried again, the rest becomes letters, and letters return.
//
//   pending ──► attempts ──► done
//      ▲           └─── give_up, or the last attempt ──► letter
//      └─── Revived, after a repair ───────────────────────┘
//
// Of four files one is busy twice, one is busy for ever, one may not be read. The pool decides by
// the failure's cure alone, and a journal keeps the outcome. One letter is mended, revived and run.
// Workers may commit to a journal in memory; one on a disk wants one thread that commits batches.
#include <chrono>
#include <iostream>

#include "tidemill/base/try.h"
#include "tidemill/engine/memory_journal.h"
#include "tidemill/engine/pool.h"

using namespace tidemill;
using namespace tidemill::engine;

namespace {

Result<void> read(const TaskRecord& task, const TaskContext& context, bool mended) {
  const auto& path = task.subject;
  const bool is_busy = path == "stuck.txt" || (path == "busy.txt" && context.attempt() < 3);
  if (is_busy) return fail(Cure::retry, "open", path + " is in use");
  if (path == "secret.txt" && !mended) return fail(Cure::give_up, "open", path + " is not ours");
  return {};
}

Entry entry_of(const Settlement& task) {
  if (task.ok()) return Done{.id = task.id, .attempts = task.attempts};
  const WallTime at = SystemClock().wall();
  return Died{.id = task.id, .attempts = task.attempts, .failure = task.outcome->error(), .at = at};
}

Result<void> run_pending(Journal& journal, bool mended) {
  LET(const auto pending, journal.pending(0, 1'000));  // before the pool, whose tasks look at it
  const auto record = [&](const Settlement& task) { return journal.commit_one(entry_of(task)); };
  const RetryPolicy retry{.max_attempts = 3, .first_delay = std::chrono::milliseconds(1)};
  LET(auto pool, Pool::start({.workers = 2, .retry = retry, .on_settled = record}));
  for (const TaskRecord& task : pending) {
    const auto body = [&task, mended](TaskContext& context) { return read(task, context, mended); };
    if (pool.submit({body, {.id = task.id}}) != Admission::accepted) break;  // fatal says why
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
    std::cout << "letter " << dead.id << ", attempts " << dead.attempts << ": "
              << dead.trouble.failure.reason << '\n';
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
