// Texts that people see as the same, as one: by how accents are written, by case.
#pragma once

#include <string>
#include <string_view>

namespace tidemill::epub {

// The same text with its letters and accents in one character where there is one (NFC): names that
// look the same are the same. What is no UTF-8 stays as it is.
[[nodiscard]] std::string composed(std::string_view text);

// What is equal for two names that differ only in case or in how accents are written (canonical
// decomposition and full case folding). Must be UTF-8.
[[nodiscard]] std::string folded_name(std::string_view name);

}  // namespace tidemill::epub
