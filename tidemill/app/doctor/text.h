// How the findings of `tidemill doctor` are shown: a table for people, an object for programs.
// Pure.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "tidemill/app/doctor/finding.h"

namespace tidemill::app {

// The worst of them.
[[nodiscard]] Verdict verdict_of(const std::vector<Finding>& findings);

// A line a finding, and what to do below it. Long texts go on in the next line, in their column; no
// width: as long as they are (a pipe).
[[nodiscard]] std::string text_of(const std::vector<Finding>& findings,
                                  std::optional<std::size_t> width, bool has_colour);

// "2 errors, 1 warning, 3 notes".
[[nodiscard]] std::string summary_of(const std::vector<Finding>& findings);

// docs/formats/output.md
[[nodiscard]] std::string json_of(const std::vector<Finding>& findings);

}  // namespace tidemill::app
