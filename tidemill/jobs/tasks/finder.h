// Finder: makes tasks of names. It walks folders or reads a list, and writes what it finds into the
// journal as fast as it can, ahead of the workers: so the total is known early, and the list of
// tasks survives whatever happens.
//
//   walk or list ──► bounded channel ──► register: commits of ≤ 4,096 names ──► journal
//   (thread 1)                           (thread 2)
//
// A commit holds what has come in since the last one, so the first name is a task at once and a
// million names cost a few hundred commits. With every commit goes the position in the source; an
// interrupted finder goes on behind it.
//
// A folder that cannot be read is a task too, of the type kFindType: it has failed from the start,
// it is listed with the other letters, and retrying it looks into that folder again.
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
#include "tidemill/state/journal/patience.h"
#include "tidemill/state/journal/sqlite_journal.h"

namespace tidemill::jobs {

inline constexpr std::string_view kFindType = "find";  // a folder that could not be read
inline constexpr std::string_view kNameType = "name";  // the beginning of a name that is too long

// Thread-safe.
class Finder {
 public:
  struct Source {
    FileSource files{};
    std::string_view task_type{};           // of what is found: a constant of the job
    std::string position{};                 // where an earlier finder stopped
    std::vector<std::string> again{};       // folders to look into again, instead of the source
    std::vector<engine::TaskId> settles{};  // the letters that asked for it: done when it ends
    bool is_read = false;                   // there is nothing more to find in the source
  };

  // How far it has come. `last` is the highest id that is in the journal.
  struct State {
    engine::TaskId last = 0;
    bool has_ended = false;
    std::optional<Failure> failure{};  // why it ended early
  };

  // The journal, the patience and the clock must outlive it.
  Finder(Source source, journal::SqliteJournal& journal, journal::Patience& patience,
         const Clock& clock, engine::TaskId first_id);
  Finder(const Finder&) = delete;
  Finder& operator=(const Finder&) = delete;
  ~Finder();  // stops and joins

  void stop();

  [[nodiscard]] std::uint64_t found() const { return found_.load(); }  // the troubles too
  [[nodiscard]] std::uint64_t troubles() const { return troubles_.load(); }
  [[nodiscard]] State state() { return *state_.lock(); }
  // Waits until there is a task above `seen` in the journal, or no more will come.
  [[nodiscard]] State wait_beyond(engine::TaskId seen);
  [[nodiscard]] State wait_for_the_end();

 private:
  [[nodiscard]] Result<void> find();
  [[nodiscard]] bool send(Name&& name);
  void register_all();
  [[nodiscard]] Result<void> commit(std::vector<Name>& batch);
  [[nodiscard]] Result<void> commit_the_end();
  void end(std::optional<Failure> failure);

  const Source source_;
  journal::SqliteJournal& journal_;
  journal::Patience& patience_;
  const Clock& clock_;
  engine::TaskId next_id_;  // the registering thread's
  std::atomic<std::uint64_t> found_ = 0;
  std::atomic<std::uint64_t> troubles_ = 0;
  std::optional<Failure> source_failure_;  // written before the channel closes, read after
  engine::Channel<Name> channel_{{.items = 8'192, .bytes = mib(8)}};
  Guarded<State> state_;
  std::stop_source stop_;
  std::jthread registering_;
  std::jthread finding_;
};

}  // namespace tidemill::jobs
