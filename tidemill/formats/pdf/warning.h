// Translates a warning of libqpdf into a PdfFinding. Its error codes are too coarse, so the message
// text is matched. For this folder only.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "tidemill/formats/pdf/pdf_check.h"

class QPDFExc;

namespace tidemill::pdf {

// nullopt: the warning only accompanies another one.
[[nodiscard]] std::optional<PdfFinding> finding_of(const QPDFExc& warning);

[[nodiscard]] Code code_of(std::string_view message, std::string_view object);

// Printable ASCII, at most one line.
[[nodiscard]] std::string as_ascii(std::string_view text);

}  // namespace tidemill::pdf
