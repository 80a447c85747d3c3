// Checkpoints: how far a task of several steps has come, kept so that the next attempt goes on
// there.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "tidemill/base/result.h"
#include "tidemill/engine/task.h"

namespace tidemill::engine {

class Journal;

struct Checkpoint {
  std::size_t steps_done = 0;
  std::string last_step{};              // the name of the last of them: shows that the plan changed
  std::string data{};                   // what that step handed on; any bytes
  std::vector<std::string> warnings{};  // one for each non-critical step that failed

  bool operator==(const Checkpoint&) const = default;
};

// Thread-safe; but one task is worked on by one thread at a time.
class Checkpoints {
 public:
  virtual ~Checkpoints() = default;

  [[nodiscard]] virtual Result<std::optional<Checkpoint>> load(TaskId id) = 0;
  // Durable when it returns; replaces the checkpoint before it.
  [[nodiscard]] virtual Result<void> save(TaskId id, const Checkpoint& checkpoint) = 0;
  // The next attempt starts at the first step. Nothing there to remove is no error.
  [[nodiscard]] virtual Result<void> clear(TaskId id) = 0;
};

// Checkpoints of a run's tasks, in its journal. Every call is one commit. The journal removes a
// checkpoint by itself when its task is done, skipped or abandoned, in the commit that says so.
// Thread-safe.
class JournalCheckpoints final : public Checkpoints {
 public:
  explicit JournalCheckpoints(Journal& journal) : journal_(journal) {}

  [[nodiscard]] Result<std::optional<Checkpoint>> load(TaskId id) override;
  [[nodiscard]] Result<void> save(TaskId id, const Checkpoint& checkpoint) override;
  [[nodiscard]] Result<void> clear(TaskId id) override;

 private:
  Journal& journal_;
};

}  // namespace tidemill::engine
