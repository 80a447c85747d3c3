// Register: which tasks there are, by what they are about. Every source of work (the sweep over the
// server, webhooks, document tasks) asks it what is new, so that one line in a document is one task
// however often it is seen; and the feeder takes from it what is to be done next.
//
// A command that is seen again is
//   known   while its task waits, runs or lies with the letters
//   known   when its task is done and the document has not changed since: what we look at is old
//   new     when its task is done, its line was removed, and the document has changed since, by
//           its revision or by its time (Outline 1.9 gives what is typed no new revision): somebody
//           wrote it once more
//   known   when its line could not be removed, its letter was dropped, or an assistant wrote it:
//   it
//           had its turn
// ?ai-file is our own question. It is new when its guidance is: neither /ai-file nor ?ai-file had
// the same before, and it is not empty.
//
// Commands of one document are handed out one after the other, in the order in which they were
// seen: two that change a text at once could undo each other.
//
// Reserving comes first, then the caller's commit into the journal, then confirm() or cancel().
// Whoever sees the same subject in between waits: "known" means that it is durable.
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

// What somebody saw of a document.
struct Sight {
  std::string document{};
  std::int64_t revision = 0;
  std::string updated_at{};
  std::vector<Command> commands{};
};

// Thread-safe.
class Register {
 public:
  // All tasks of the run so far; those that are pending are handed out first.
  [[nodiscard]] Result<void> load(const journal::SqliteJournal& journal);

  // Of what was seen, what is new. Each must be confirmed or cancelled.
  [[nodiscard]] std::vector<engine::Found> reserve(const Sight& sight);
  // Nothing: this delivery is known, or (without one) the document waits to be looked at already.
  [[nodiscard]] std::optional<engine::Found> reserve(const DocumentSubject& about);
  // Nothing: it was said before.
  [[nodiscard]] std::optional<engine::Found> reserve(const NoticeSubject& about);

  void confirm(std::span<const engine::Found> found);  // they are in the journal: to be done
  void cancel(std::span<const engine::Found> found);

  // How a task ended, once that is in the journal. `outcome`: its result, or why it was skipped.
  void settled(engine::TaskId id, const std::string& subject, engine::TaskState state,
               const std::string& outcome);

  // The next task, commands before documents; waits for one. Nothing: stop() was called, or all
  // sources have ended and everything is settled.
  [[nodiscard]] std::optional<engine::TaskRecord> next();

  void sources_have_ended();
  void stop();

  [[nodiscard]] std::uint64_t found();  // since the beginning of the run
  // Of those, the done ones with something left alone or given up.
  [[nodiscard]] std::uint64_t warned();

 private:
  struct Known {
    engine::TaskId id = 0;
    engine::TaskState state = engine::TaskState::pending;
    bool is_reserved = false;
    bool is_no_persons = false;  // it was skipped because an assistant wrote it
    DoneResult result{};
  };
  struct State {
    std::unordered_map<std::string, Known> known{};  // by subject
    std::deque<engine::TaskRecord> commands{};       // and notices
    // Of documents that have a command at work: those that wait for its end.
    std::unordered_map<std::string, std::deque<engine::TaskRecord>> busy{};
    std::deque<engine::TaskRecord> documents{};
    engine::TaskId next_id = 1;
    std::size_t open = 0;  // reserved, waiting or at work
    std::uint64_t found = 0;
    std::uint64_t warned = 0;
    bool have_sources_ended = false;
    bool has_stopped = false;
  };
  using Lock = Guarded<State>::Lock;

  static bool is_new(const State& state, const Sight& sight, const Command& command);
  static void note_end(State& state, Known& known, engine::TaskState how,
                       const std::string& outcome);
  static void queue(State& state, engine::TaskRecord task);
  static void release(State& state, const std::string& subject);
  static engine::Found reserve_one(State& state, std::string_view type, std::string subject);
  static void wait_while_reserved(Lock& lock, const std::string& subject);

  Guarded<State> state_;
};

}  // namespace tidemill::docs
