// Lookup: questions about a Program that more than one reader of the description asks. A Verb
// pointer that is null means the program itself.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tidemill/ui/command/verb.h"

namespace tidemill::command {

// --help, --version, --verbose and --print-config: the flags that parse() answers by itself.
[[nodiscard]] std::vector<Flag> standing_flags();

// All verbs in the order of the description, each before the ones below it.
[[nodiscard]] std::vector<const Verb*> all_verbs(const Program& program);
// By its name or an alias.
[[nodiscard]] const Verb* find_verb(const Program& program, std::string_view name);

// Whether "workers" (or "w") is the name, the letter or an alias of the flag.
[[nodiscard]] bool is_called(const Flag& flag, std::string_view name);
// "--jobs=4" of "--workers=4": stored command lines of earlier versions in today's names. Words
// after "--" stay.
[[nodiscard]] std::vector<std::string> with_first_names(std::vector<std::string> words,
                                                        const std::vector<Flag>& flags);

// The verb's own, then the program's.
[[nodiscard]] std::vector<Flag> chosen_flags(const Program& program, const Verb* verb);
// The same, and the standing flags: all that may be typed.
[[nodiscard]] std::vector<Flag> typed_flags(const Program& program, const Verb* verb);

[[nodiscard]] const std::vector<Verb>& verbs_below(const Program& program, const Verb* verb);
[[nodiscard]] std::string last_word(const Verb& verb);  // "check" of "books check"
// "tidemill each": how it is called.
[[nodiscard]] std::string call_of(const Program& program, const Verb* verb);
// "TIDEMILL_DRY_RUN"
[[nodiscard]] std::string variable_of(const Program& program, const Flag& flag);
// "see 'tidemill each --help'"
[[nodiscard]] std::string see_help(const Program& program, const Verb* verb);

[[nodiscard]] const Argument* after_dashes(const Verb& verb);  // null: it takes none

}  // namespace tidemill::command
