// The recipe of `each`: a command for a file, run by a worker of a fleet with the same
// CommandRunner as on one machine. Its settings are the arguments of the verb.
#pragma once

#include <string>
#include <vector>

#include "tidemill/jobs/recipe.h"

namespace tidemill::each {

[[nodiscard]] const jobs::Recipe& recipe();

// `arguments`: of the verb, complete (run::RunCard). What only the coordinator needs is left out,
// so that a worker of another version does not stumble over it.
[[nodiscard]] std::string settings_of(const std::vector<std::string>& arguments);

}  // namespace tidemill::each
