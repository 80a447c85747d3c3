// Formats a count with its noun: "1 file", "2,500 files", "0 batches".
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "tidemill/formats/text/quantity.h"

namespace tidemill::text {

[[nodiscard]] inline std::string counted(std::uint64_t count, std::string_view one,
                                         std::string_view many) {
  return count_text(count).append(" ").append(count == 1 ? one : many);
}

// For nouns whose plural only adds an s.
[[nodiscard]] inline std::string counted(std::uint64_t count, std::string_view one) {
  return counted(count, one, std::string(one) + "s");
}

}  // namespace tidemill::text
