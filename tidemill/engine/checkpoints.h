// Checkpoints: the progress of a task with several steps, stored so that the next attempt resumes
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
  std::string last_step{};              // the name of the last one: detects a changed plan
  std::string data{};                   // what that step returned; any bytes
  std::vector<std::string> warnings{};  // one for each non-critical step that failed

  bool operator==(const Checkpoint&) const = default;
};

// Thread-safe, but one task is used by one thread at a time.
class Checkpoints {
 public:
  virtual ~Checkpoints() = default;

  [[nodiscard]] virtual Result<std::optional<Checkpoint>> load(TaskId id) = 0;
  // Durable when it returns; replaces the previous checkpoint.
  [[nodiscard]] virtual Result<void> save(TaskId id, const Checkpoint& checkpoint) = 0;
  // The next attempt starts at the first step. A missing checkpoint is not an error.
  [[nodiscard]] virtual Result<void> clear(TaskId id) = 0;
};

// Checkpoints of a run's tasks, in its journal. Every save() and clear() is one commit. The journal
// itself removes a checkpoint when its task is done, skipped or abandoned, in the same commit.
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
