#include "tidemill/app/runs/failure_choice.h"

#include <algorithm>
#include <unordered_set>

#include "tidemill/app/runs/failure_text.h"
#include "tidemill/base/try.h"
#include "tidemill/ui/cli/pages.h"
#include "tidemill/ui/command/kinds.h"
#include "tidemill/ui/command/usage.h"

namespace tidemill::app {
namespace {

Result<void> demand_letter(engine::TaskId id, const engine::Journal& journal) {
  LET(const auto letter, journal.letter(id));
  if (letter) return {};
  LET(const auto task, journal.task(id));
  const std::string why =
      task ? "not a failed task: it is " + std::string(state_word(task->state)) : "no such task";
  return std::unexpected(Failure{.step = "task " + std::to_string(id),
                                 .reason = why + "; nothing was changed",
                                 .hint = "use list to see the failed tasks"});
}

}  // namespace

bool FailureChoice::matches(const engine::Letter& letter) const {
  const Failure& failure = letter.failures.failure;
  // failure text: the user chooses by what they read in the list
  return reason.empty() || (failure.step + ": " + failure.reason).contains(reason);
}

Result<FailureChoice> choice_of(const command::Values& values) {
  FailureChoice choice{.is_all = values.is_on("all"), .reason = values.text("reason")};
  if (values.has("reason") && choice.reason.empty()) {
    return command::misuse("--reason needs a text", "use --all for all failed tasks");
  }
  std::unordered_set<engine::TaskId> seen;
  for (const std::string& text : values.argument("TASK")) {
    LET(const engine::TaskId id, command::parse_count(text));
    if (seen.insert(id).second) choice.tasks.push_back(id);
  }
  if (!choice.tasks.empty() && (choice.is_all || !choice.reason.empty())) {
    return command::misuse("TASK cannot be used with --all or --reason");
  }
  if (choice.is_all && !choice.reason.empty()) {
    return command::misuse("--all cannot be used with --reason");
  }
  return choice;
}

Result<std::vector<engine::TaskId>> chosen_letters(const FailureChoice& choice,
                                                   const engine::Journal& journal) {
  for (const engine::TaskId id : choice.tasks) TRY(demand_letter(id, journal));
  if (!choice.tasks.empty()) return choice.tasks;
  std::vector<engine::TaskId> ids;
  TRY(cli::each_page([&](auto after, auto limit) { return journal.letters(after, limit); },
                     [&](const std::vector<engine::Letter>& page) -> Result<void> {
                       for (const auto& letter : page) {
                         if (choice.matches(letter)) ids.push_back(letter.id);
                       }
                       return {};
                     }));
  return ids;
}

}  // namespace tidemill::app
