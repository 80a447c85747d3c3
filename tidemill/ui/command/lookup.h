// Lookup: questions about a Program that more than one reader of the description asks. A Verb
// pointer that is null means the program itself.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tidemill/ui/command/verb.h"

namespace tidemill::command {

// --help, --version and --print-config: the flags that parse() answers by itself.
[[nodiscard]] std::vector<Flag> standing_flags();

// All verbs in the order of the description, each before the ones below it.
[[nodiscard]] std::vector<const Verb*> all_verbs(const Program& program);
[[nodiscard]] const Verb* find_verb(const Program& program, std::string_view name);

// The verb's own, then the program's.
[[nodiscard]] std::vector<Flag> chosen_flags(const Program& program, const Verb* verb);
// The same, and the standing flags: all that may be typed.
[[nodiscard]] std::vector<Flag> typed_flags(const Program& program, const Verb* verb);

[[nodiscard]] const std::vector<Verb>& verbs_below(const Program& program, const Verb* verb);
[[nodiscard]] std::string last_word(const Verb& verb);  // "retry" of "letters retry"
// "tidemill each": how it is called.
[[nodiscard]] std::string call_of(const Program& program, const Verb* verb);
// "TIDEMILL_DRY_RUN"
[[nodiscard]] std::string variable_of(const Program& program, const Flag& flag);
// "see tidemill each --help"
[[nodiscard]] std::string see_help(const Program& program, const Verb* verb);

[[nodiscard]] const Argument* after_dashes(const Verb& verb);  // null: it takes none

}  // namespace tidemill::command
