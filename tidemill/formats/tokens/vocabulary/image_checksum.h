// The checksum of a token table: over the complete image except the checksum itself. Detects
// damage, not tampering. Nothing here can fail; the image must be at least as long as a header.
#pragma once

#include <cstdint>
#include <string_view>

namespace tidemill::tokens {

[[nodiscard]] std::uint64_t checksum_of_image(std::string_view image);

}  // namespace tidemill::tokens
