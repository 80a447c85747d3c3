// Wording: the texts that help, man pages and completions share.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "tidemill/ui/command/verb.h"

namespace tidemill::command {

// "-j, --jobs=N"; a toggle has no value, a choice lists its values: "--color=auto|never".
[[nodiscard]] std::string spelling_of(const Flag& flag);
// "N"; without a metavar, a word for the kind.
[[nodiscard]] std::string metavar_of(const Flag& flag);
// The help, followed by the choices, "(repeatable)" and the default in brackets, where they apply.
[[nodiscard]] std::string full_help(const Flag& flag);
// "--workers, -w"; empty: no aliases.
[[nodiscard]] std::string aliases_of(const Flag& flag);

// "[ROOT…]", "FILE", "-- COMMAND…"
[[nodiscard]] std::string spelling_of(const Argument& argument);

// The usage lines of the verb, or one made from its arguments.
[[nodiscard]] std::vector<std::string> usage_of(const Program& program, const Verb* verb);

struct FlagGroup {
  std::string title{};
  std::vector<Flag> flags{};
};
// All flags that may be typed, in the order in which their groups first appear. The flags of the
// program and the standing flags come last.
[[nodiscard]] std::vector<FlagGroup> groups_of(const Program& program, const Verb* verb);

[[nodiscard]] std::string environment_note(const Program& program);

}  // namespace tidemill::command
