// Config: the files tidemill.toml. A key at the top stands for a flag of every verb that has it; in
// a table [each] or [letters.retry] it is for that verb alone, and wins over the top of the same
// file. A later file wins over an earlier one.
//
// A file is checked as a whole, whatever the verb: an unknown key is refused with file:line, a
// value of the wrong type with file:line:column. A file that is not there is no failure.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tidemill/base/result.h"
#include "tidemill/ui/command/values.h"
#include "tidemill/ui/command/verb.h"

namespace tidemill::command {

// Nothing: the variable is not set.
using Environment = std::function<std::optional<std::string>(const std::string& name)>;

// The files to read, in order: the system's, then the user's. There is none in the current folder:
// a file that comes with somebody's data must not change what a command does to it.
[[nodiscard]] std::vector<std::string> config_paths(const Program& program,
                                                    const Environment& environment);

// The whole file; nothing when there is none. One that somebody else than this user and root owns,
// may write or may exchange is refused (io/files/own_path.h).
[[nodiscard]] Result<std::optional<std::string>> read_config_file(const std::string& path);

// What the text says for the verb's flags (and the program's), checked, with the place of each.
[[nodiscard]] Result<std::map<std::string, Value, std::less<>>> parse_config(
    const Program& program, const Verb& verb, const std::string& path, std::string_view text);

}  // namespace tidemill::command
