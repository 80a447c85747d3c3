// Encodes bytes as base64 (RFC 4648, section 4, with padding), for transport in text.
#pragma once

#include <string>
#include <string_view>

namespace tidemill::text {

[[nodiscard]] std::string base64(std::string_view bytes);

}  // namespace tidemill::text
