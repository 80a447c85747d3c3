// Usage: builds the Failure for a mistake of the user: FailureKind::usage, a reason that says what
// is wrong, and a hint that says where to look. The program exits with status 2.
#pragma once

#include <string>
#include <string_view>

#include "tidemill/base/result.h"

namespace tidemill::command {

// Quoted and escaped for display: an argument may contain any bytes.
[[nodiscard]] std::string in_quotes(std::string_view text);

// If the reason begins with the name of a flag, "--jobs: …", the flag becomes the subject of the
// Failure.
[[nodiscard]] std::unexpected<Failure> misuse(std::string reason, std::string hint = "");

// "did you mean --jobs? " or "", to be put before another hint.
[[nodiscard]] std::string did_you_mean(std::string_view name);

}  // namespace tidemill::command
