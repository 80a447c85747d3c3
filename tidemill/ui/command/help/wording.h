// Wording: the phrases that help, man pages and completions share.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "tidemill/ui/command/verb.h"

namespace tidemill::command {

// "-j, --jobs=N"; a toggle has no value, a choice shows what it takes: "--color=auto|never".
[[nodiscard]] std::string spelling_of(const Flag& flag);
// "N", or a word for the kind.
[[nodiscard]] std::string metavar_of(const Flag& flag);
// The help, and what else is known: the choices, whether it is repeatable, the default in brackets.
[[nodiscard]] std::string full_help(const Flag& flag);
// "--workers, -w"; empty: it has none.
[[nodiscard]] std::string aliases_of(const Flag& flag);

// "[ROOT…]", "FILE", "-- COMMAND…"
[[nodiscard]] std::string spelling_of(const Argument& argument);

// The verb's own lines, or one made from its arguments.
[[nodiscard]] std::vector<std::string> usage_of(const Program& program, const Verb* verb);

struct FlagGroup {
  std::string title{};
  std::vector<Flag> flags{};
};
// Everything that may be typed, in the order in which the groups are first named. The flags of the
// program and the standing ones come last.
[[nodiscard]] std::vector<FlagGroup> groups_of(const Program& program, const Verb* verb);

[[nodiscard]] std::string environment_note(const Program& program);

}  // namespace tidemill::command
