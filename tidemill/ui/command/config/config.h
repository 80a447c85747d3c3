// Config: the files tidemill.toml. A key at the top level sets a flag of every verb that has it; a
// key in a table such as [each] or [books.check] applies to that verb only, and overrides the top
// level of the same file. A later file overrides an earlier one.
//
// A file is checked completely, whatever the verb: an unknown key is rejected with file:line, a
// value of the wrong type with file:line:column. A missing file is not an error.
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

// Empty: the variable is not set.
using VariableLookup = std::function<std::optional<std::string>(const std::string& name)>;

// The files to read, in order: the system's, then the user's. No file is read from the current
// folder: a file that comes with the data must not change what a command does to that data.
[[nodiscard]] std::vector<std::string> config_paths(const Program& program,
                                                    const VariableLookup& environment);

// The contents of the file; empty if it does not exist. A file that another user than this one or
// root owns, can write or can replace is rejected (io/files/own_path.h).
[[nodiscard]] Result<std::optional<std::string>> read_config_file(const std::string& path);

// The values of the verb's and the program's flags in the text, checked, each with its location.
[[nodiscard]] Result<std::map<std::string, Value, std::less<>>> parse_config(
    const Program& program, const Verb& verb, const std::string& path, std::string_view text);

}  // namespace tidemill::command
