// Formats the findings of `tidemill doctor`: a table for people, a JSON object for programs. Pure.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "tidemill/app/doctor/finding.h"

namespace tidemill::app {

// The worst level.
[[nodiscard]] CheckLevel level_of(const std::vector<DoctorFinding>& findings);

// One line per finding, with the advice below it. Long texts wrap within their column; without a
// width (a pipe) they do not wrap.
[[nodiscard]] std::string text_of(const std::vector<DoctorFinding>& findings,
                                  std::optional<std::size_t> width, bool has_colour);

// "2 errors, 1 warning, 3 notes".
[[nodiscard]] std::string summary_of(const std::vector<DoctorFinding>& findings);

// docs/formats/output.md
[[nodiscard]] std::string json_of(const std::vector<DoctorFinding>& findings);

}  // namespace tidemill::app
