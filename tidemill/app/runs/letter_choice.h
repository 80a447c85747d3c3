// Which letters are meant: tasks by number, all of them, or those that failed for some reason.
#pragma once

#include <string>
#include <vector>

#include "tidemill/base/result.h"
#include "tidemill/engine/journal.h"
#include "tidemill/ui/command/values.h"

namespace tidemill::app {

struct LetterChoice {
  std::vector<engine::TaskId> tasks{};  // each once, in the order of the command line
  bool is_all = false;
  std::string reason{};  // part of "step: reason"; empty: any

  [[nodiscard]] bool is_empty() const { return tasks.empty() && !is_all && reason.empty(); }
  [[nodiscard]] bool matches(const engine::Letter& letter) const;
};

// Tasks together with --all or --reason is misuse: nobody can tell what was meant.
[[nodiscard]] Result<LetterChoice> choice_of(const command::Values& values);

// A task that has no letter is a failure that names it. Eight bytes a letter.
[[nodiscard]] Result<std::vector<engine::TaskId>> chosen_letters(const LetterChoice& choice,
                                                                 const engine::Journal& journal);

}  // namespace tidemill::app
