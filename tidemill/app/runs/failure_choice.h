// The choice of dead letters: tasks by number, all, or those that failed for some reason.
#pragma once

#include <string>
#include <vector>

#include "tidemill/base/result.h"
#include "tidemill/engine/journal.h"
#include "tidemill/ui/command/values.h"

namespace tidemill::app {

struct FailureChoice {
  std::vector<engine::TaskId> tasks{};  // each once, in the order of the command line
  bool is_all = false;
  std::string reason{};  // part of "step: reason"; empty: any

  [[nodiscard]] bool is_empty() const { return tasks.empty() && !is_all && reason.empty(); }
  [[nodiscard]] bool matches(const engine::Letter& letter) const;
};

// Tasks together with --all or --reason are a usage error, because the meaning would be unclear.
[[nodiscard]] Result<FailureChoice> choice_of(const command::Values& values);

// A task without a dead letter is a failure that names it. Takes eight bytes per dead letter.
[[nodiscard]] Result<std::vector<engine::TaskId>> chosen_letters(const FailureChoice& choice,
                                                                 const engine::Journal& journal);

}  // namespace tidemill::app
