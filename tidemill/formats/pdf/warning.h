// What libqpdf says, as a Finding: it has no codes fine enough, so its words are looked at. For
// this folder only.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "tidemill/formats/pdf/pdf_check.h"

class QPDFExc;

namespace tidemill::pdf {

// Nothing: it only accompanies another warning.
[[nodiscard]] std::optional<Finding> finding_of(const QPDFExc& warning);

[[nodiscard]] Code code_of(std::string_view message, std::string_view object);

// Printable ASCII, at most a line of it.
[[nodiscard]] std::string as_ascii(std::string_view text);

}  // namespace tidemill::pdf
