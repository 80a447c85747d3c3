// The checksum of a table of tokens: over the whole image but the checksum itself. Finds damage,
// not malice. Nothing here can fail; the image must be as long as a header.
#pragma once

#include <cstdint>
#include <string_view>

namespace tidemill::tokens {

[[nodiscard]] std::uint64_t checksum_of_image(std::string_view image);

}  // namespace tidemill::tokens
