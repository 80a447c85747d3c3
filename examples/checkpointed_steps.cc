// checkpointed_steps: a task of four steps that resumes at the step that failed.
//
//   attempt 1   fetch ──► convert ──► upload ✗
//                 │          │
//                 ▼          ▼        checkpoints, in the journal
//   attempt 2                └──────► upload ──► announce (not critical) ✗ = a warning ──► done
//
// The upload fails once, with a transient failure. The next attempt (in another process, if the
// journal is on disk) starts with the data that `convert` returned; no earlier step runs again. If
// a step that is not critical fails, the task gets a warning. Done removes the checkpoint.
#include <chrono>
#include <iostream>
#include <string>

#include "tidemill/base/try.h"
#include "tidemill/engine/memory_journal.h"
#include "tidemill/engine/pool.h"
#include "tidemill/engine/steps.h"

using namespace tidemill;
using namespace tidemill::engine;

namespace {

Result<std::string> fetch(const StepContext& context) { return context.data + " fetched"; }
Result<std::string> convert(const StepContext& context) { return context.data + " converted"; }
Result<std::string> announce(const StepContext&) {
  return fail(Cure::retry, "mail", "connection refused");
}

Result<void> publish(const Steps& steps, Journal& journal, const TaskContext& context) {
  JournalCheckpoints checkpoints(journal);
  const auto report = steps.run(context, checkpoints, "report.txt");
  std::cout << "attempt " << context.attempt() << ": ";
  if (!report) {
    const Failure& why = report.error();
    std::cout << name_of(why.cure) << " at " << why.step << ", " << why.reason << '\n';
    return std::unexpected(why);
  }
  std::cout << report->steps_run << " steps run, " << report->data << '\n';
  for (const std::string& warning : report->warnings) std::cout << "warning: " << warning << '\n';
  return journal.commit_one(Done{.id = context.id(), .attempts = context.attempt()});
}

Result<void> run() {
  MemoryJournal journal;
  TRY(journal.commit_one(Found{.id = 1, .type = "publish", .subject = "report.txt"}));
  int calls = 0;  // the first one fails
  const auto upload = [&calls](const StepContext& context) -> Result<std::string> {
    if (++calls == 1) return fail(Cure::retry, "connect", "the server is restarting");
    return context.data + " uploaded";
  };
  const Steps steps({{.name = "fetch", .run = fetch},
                     {.name = "convert", .run = convert},
                     {.name = "upload", .run = upload},
                     {.name = "announce", .critical = false, .run = announce}});
  const RetryPolicy retry{.max_attempts = 3, .first_delay = std::chrono::milliseconds(1)};
  LET(auto pool, Pool::start({.workers = 1, .retry = retry}));
  const auto task = [&](const TaskContext& context) { return publish(steps, journal, context); };
  if (pool.submit({task, {.id = 1}}) != Admission::accepted) {
    return fail(Cure::give_up, "submit", "the pool does not accept tasks");
  }
  pool.close();
  const PoolReport report = pool.wait();
  if (!report.errors.empty()) return std::unexpected(report.errors.front().failure);
  LET(const auto kept, journal.checkpoint(1));
  std::cout << (kept ? "checkpoint kept\n" : "checkpoint removed\n");
  return {};
}

}  // namespace

int main() {
  const auto ran = run();
  if (!ran) std::cerr << text_of(ran.error()) << '\n';
  return ran ? 0 : 1;
}
