// Usage: how a mistake of the user is said. FailureKind::usage, a reason that says what is wrong,
// and a hint that says where to look. The program answers with exit status 2.
#pragma once

#include <string>
#include <string_view>

#include "tidemill/base/result.h"

namespace tidemill::command {

// In quotes, and safe to show: an argument may hold anything.
[[nodiscard]] std::string in_quotes(std::string_view text);

// A reason about one flag begins with its name, "--workers is …": the Failure has it as its
// subject.
[[nodiscard]] std::unexpected<Failure> misuse(std::string reason, std::string hint = "");

// "did you mean --workers? " or "", to go in front of another hint.
[[nodiscard]] std::string did_you_mean(std::string_view name);

}  // namespace tidemill::command
