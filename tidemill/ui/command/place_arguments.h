// Gives the words that are no flags to the arguments of a verb.
#pragma once

#include <string>
#include <vector>

#include "tidemill/base/result.h"
#include "tidemill/ui/command/values.h"
#include "tidemill/ui/command/verb.h"

namespace tidemill::command {

// In order. A list takes all but what the required arguments behind it need: SOURCE… TARGET works.
// Fails when a required one stays empty, when words are left over, or one is not of the kind.
[[nodiscard]] Result<void> place_arguments(const Program& program, const Verb& verb,
                                           const std::vector<std::string>& loose,
                                           const std::vector<std::string>& after, Values& values);

}  // namespace tidemill::command
