// PatientCheckpoints: a checkpoint that does not fit on a full disk is waited for, as everything
// else that goes into the journal is.
#pragma once

#include <optional>

#include "tidemill/base/result.h"
#include "tidemill/engine/checkpoints.h"
#include "tidemill/state/journal/patience.h"

namespace tidemill::docs {

// Thread-safe.
class PatientCheckpoints final : public engine::Checkpoints {
 public:
  PatientCheckpoints(engine::Journal& journal, journal::Patience& patience)
      : kept_(journal), patience_(patience) {}

  Result<std::optional<engine::Checkpoint>> load(engine::TaskId id) override {
    return kept_.load(id);
  }
  Result<void> save(engine::TaskId id, const engine::Checkpoint& checkpoint) override {
    return patience_.insist([&] { return kept_.save(id, checkpoint); });
  }
  Result<void> clear(engine::TaskId id) override {
    return patience_.insist([&] { return kept_.clear(id); });
  }

 private:
  engine::JournalCheckpoints kept_;
  journal::Patience& patience_;
};

}  // namespace tidemill::docs
