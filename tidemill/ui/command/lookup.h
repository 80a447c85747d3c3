// Lookup: queries about a Program that parsing, help and completions share. A null Verb pointer
// means the program itself.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tidemill/ui/command/verb.h"

namespace tidemill::command {

// --help, --version, --verbose and --print-config: the flags that parse() handles itself.
[[nodiscard]] std::vector<Flag> standing_flags();

// All verbs in the order of the description, each followed by its subverbs.
[[nodiscard]] std::vector<const Verb*> all_verbs(const Program& program);
// By name or alias.
[[nodiscard]] const Verb* find_verb(const Program& program, std::string_view name);

// Whether "workers" (or "w") is the name, the letter or an alias of the flag.
[[nodiscard]] bool is_called(const Flag& flag, std::string_view name);
// Replaces aliases by flag names: "--workers=4" becomes "--jobs=4". For command lines stored by
// earlier versions. Words after "--" are unchanged.
[[nodiscard]] std::vector<std::string> with_first_names(std::vector<std::string> words,
                                                        const std::vector<Flag>& flags);

// The flags of the verb, then those of the program that apply to it.
[[nodiscard]] std::vector<Flag> chosen_flags(const Program& program, const Verb* verb);
// The same and the standing flags: all flags that may be typed.
[[nodiscard]] std::vector<Flag> typed_flags(const Program& program, const Verb* verb);

[[nodiscard]] const std::vector<Verb>& verbs_below(const Program& program, const Verb* verb);
[[nodiscard]] std::string last_word(const Verb& verb);  // "check" of "books check"
// "tidemill each"
[[nodiscard]] std::string call_of(const Program& program, const Verb* verb);
// "TIDEMILL_DRY_RUN"
[[nodiscard]] std::string variable_of(const Program& program, const Flag& flag);
// "see 'tidemill each --help'"
[[nodiscard]] std::string see_help(const Program& program, const Verb* verb);

[[nodiscard]] const Argument* after_dashes(const Verb& verb);  // null: none

}  // namespace tidemill::command
