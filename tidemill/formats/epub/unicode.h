// Unicode normalisation and case folding, so that names that look the same compare equal.
#pragma once

#include <string>
#include <string_view>

namespace tidemill::epub {

// The text in NFC: letters and accents composed into one character where possible. Text that is not
// valid UTF-8 is returned unchanged.
[[nodiscard]] std::string composed(std::string_view text);

// A key that is equal for names that differ only in case or in how accents are encoded (canonical
// decomposition and full case folding). The name must be valid UTF-8.
[[nodiscard]] std::string folded_name(std::string_view name);

}  // namespace tidemill::epub
