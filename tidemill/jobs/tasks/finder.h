// Finder: creates the tasks of a run. It walks folders or reads a list, and writes the names to the
// journal as fast as it can, ahead of the workers. So the total is known early, and the list of
// tasks survives a crash.
//
//   walk or list ──► bounded channel ──► register: commits of ≤ 4,096 names ──► journal
//   (thread 1)                           (thread 2)
//
// A commit contains the names that arrived since the last one, so the first name becomes a task at
// once and a million names take a few hundred commits. Each commit includes the position in the
// source, and an interrupted finder continues after that position.
//
// A folder that cannot be read becomes a task too, of the type kFindType. It starts as failed, is
// listed with the other dead letters, and retrying it walks that folder again.
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "tidemill/base/clock.h"
#include "tidemill/base/guarded.h"
#include "tidemill/base/result.h"
#include "tidemill/engine/channel.h"
#include "tidemill/jobs/tasks/file_source.h"
#include "tidemill/jobs/tasks/names.h"
#include "tidemill/state/journal/disk_full_wait.h"
#include "tidemill/state/journal/sqlite_journal.h"

namespace tidemill::jobs {

inline constexpr std::string_view kFindType = "find";  // a folder that could not be read
inline constexpr std::string_view kNameType = "name";  // a name that is too long, cut

// Thread-safe.
class Finder {
 public:
  struct Source {
    FileSource files{};
    std::string_view task_type{};           // of the tasks found: a constant of the job
    std::string position{};                 // where an earlier finder stopped
    std::vector<std::string> again{};       // folders to walk again
    std::vector<engine::TaskId> settles{};  // their dead letters: done when the finder ends
    bool is_read = false;                   // do not read the source any further
  };

  // The progress of the finder. `last` is the highest id in the journal.
  struct State {
    engine::TaskId last = 0;
    bool has_ended = false;
    std::optional<Failure> failure{};  // set if it ended early
  };

  // The journal, the disk-full wait and the clock must outlive the Finder.
  Finder(Source source, journal::SqliteJournal& journal, journal::DiskFullWait& patience,
         const Clock& clock, engine::TaskId first_id);
  Finder(const Finder&) = delete;
  Finder& operator=(const Finder&) = delete;
  ~Finder();  // stops and joins

  void stop();

  [[nodiscard]] std::uint64_t found() const { return found_.load(); }  // including failures()
  // Unreadable folders and unusable names.
  [[nodiscard]] std::uint64_t failures() const { return failures_.load(); }
  [[nodiscard]] State state() { return *state_.lock(); }
  // Waits until the journal has a task above `seen`, or the finder has ended.
  [[nodiscard]] State wait_beyond(engine::TaskId seen);
  [[nodiscard]] State wait_for_the_end();

 private:
  [[nodiscard]] Result<void> find();
  [[nodiscard]] bool send(TaskName&& name);
  void register_all();
  [[nodiscard]] Result<void> commit(std::vector<TaskName>& batch);
  [[nodiscard]] Result<void> commit_the_end();
  void end(std::optional<Failure> failure);

  const Source source_;
  journal::SqliteJournal& journal_;
  journal::DiskFullWait& patience_;
  const Clock& clock_;
  engine::TaskId next_id_;  // used by the registering thread only
  std::atomic<std::uint64_t> found_ = 0;
  std::atomic<std::uint64_t> failures_ = 0;
  std::optional<Failure> source_failure_;  // written before the channel closes, read afterwards
  engine::Channel<TaskName> channel_{{.items = 8'192, .bytes = mib(8)}};
  Guarded<State> state_;
  std::stop_source stop_;
  std::jthread registering_;
  std::jthread finding_;
};

}  // namespace tidemill::jobs
