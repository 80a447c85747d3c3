// Register: all tasks of the run, by subject. Every source of work (the sweep over the server,
// webhooks, document tasks) reserves its findings here, so that one line in a document is one task,
// however often it is seen. The feeder takes the next task from here.
//
// A command that is seen again is
//   known   while its task waits, runs or is a dead letter
//   known   if its task is done and the document has not changed since: the sighting is outdated
//   new     if its task is done, its line was removed, and the document has changed since, by
//           revision or by time (Outline 1.9 does not raise the revision for typed text): a user
//           has written the command again
//   new     if its task was skipped because the line was gone: the line is back
//   known   if its line could not be removed, its dead letter was dropped, or an assistant wrote
//           the line: it is not executed again
// ?ai-file is our own question. It is new if its guidance is not empty, and neither /ai-file nor
// ?ai-file was seen with the same guidance.
//
// Commands of one document are handed out one at a time, in the order in which they were seen: two
// that change a text concurrently could undo each other.
//
// A caller first reserves, then commits to the journal, then calls confirm() or cancel(). Reserving
// a document waits while another caller has the same subject reserved: if the result is "known",
// the task is durable. A command that is reserved by another caller counts as known at once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "tidemill/base/guarded.h"
#include "tidemill/base/result.h"
#include "tidemill/engine/journal.h"
#include "tidemill/jobs/docs/command/commands.h"
#include "tidemill/jobs/docs/command/subject.h"
#include "tidemill/state/journal/sqlite_journal.h"

namespace tidemill::docs {

// The state of a document, and the commands in it, when it was read.
struct DocumentSighting {
  std::string document{};
  std::int64_t revision = 0;
  std::string updated_at{};
  std::vector<Command> commands{};
};

// Thread-safe.
class Register {
 public:
  // Loads all tasks of the run so far; pending ones are handed out first.
  [[nodiscard]] Result<void> load(const journal::SqliteJournal& journal);

  // Reserves the commands that are new. Each must be confirmed or cancelled.
  [[nodiscard]] std::vector<engine::Found> reserve(const DocumentSighting& sight);
  // Empty if this delivery is known or, without a delivery, if the document is already queued.
  [[nodiscard]] std::optional<engine::Found> reserve(const DocumentSubject& about);
  // Empty if there is such a notice already.
  [[nodiscard]] std::optional<engine::Found> reserve(const NoticeSubject& about);

  void confirm(std::span<const engine::Found> found);  // committed: queues the tasks
  void cancel(std::span<const engine::Found> found);

  // Call it once the end of a task is in the journal. `outcome`: its result, or why it was skipped.
  void settled(engine::TaskId id, const std::string& subject, engine::TaskState state,
               const std::string& outcome);

  // Waits for the next task; commands come before documents. Empty if stop() was called, or if all
  // sources have ended and everything is settled.
  [[nodiscard]] std::optional<engine::TaskRecord> next();

  void sources_have_ended();
  void stop();

  [[nodiscard]] std::uint64_t found();  // since the beginning of the run
  // Of those, the done tasks that left something alone or gave up a step.
  [[nodiscard]] std::uint64_t warned();

 private:
  struct Known {
    engine::TaskId id = 0;
    engine::TaskState state = engine::TaskState::pending;
    bool is_reserved = false;
    bool is_by_assistant = false;  // skipped because an assistant wrote the line
    DoneResult result{};
  };
  struct State {
    std::unordered_map<std::string, Known> known{};  // by subject
    std::deque<engine::TaskRecord> commands{};       // and notices
    // By document with a command in progress: the commands that wait for its end.
    std::unordered_map<std::string, std::deque<engine::TaskRecord>> busy{};
    std::deque<engine::TaskRecord> documents{};
    engine::TaskId next_id = 1;
    std::size_t open = 0;  // reserved, waiting or in progress
    std::uint64_t found = 0;
    std::uint64_t warned = 0;
    bool have_sources_ended = false;
    bool has_stopped = false;
  };
  using Lock = Guarded<State>::Lock;

  static bool is_new(const State& state, const DocumentSighting& sight, const Command& command);
  static void note_end(State& state, Known& known, engine::TaskState how,
                       const std::string& outcome);
  static void queue(State& state, engine::TaskRecord task);
  static void release(State& state, const std::string& subject);
  static engine::Found reserve_one(State& state, std::string_view type, std::string subject);
  static void wait_while_reserved(Lock& lock, const std::string& subject);

  Guarded<State> state_;
};

}  // namespace tidemill::docs
