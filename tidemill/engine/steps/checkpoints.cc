#include "tidemill/engine/checkpoints.h"

#include <span>

#include "tidemill/engine/journal.h"

namespace tidemill::engine {
namespace {

Result<void> commit_one(Journal& journal, const Entry& entry) {
  return journal.commit(std::span(&entry, 1));
}

}  // namespace

Result<std::optional<Checkpoint>> JournalCheckpoints::load(TaskId id) {
  return journal_.checkpoint(id);
}

Result<void> JournalCheckpoints::save(TaskId id, const Checkpoint& checkpoint) {
  return commit_one(journal_, Checkpointed{.id = id, .checkpoint = checkpoint});
}

Result<void> JournalCheckpoints::clear(TaskId id) {
  return commit_one(journal_, Cleared{.id = id});
}

}  // namespace tidemill::engine
