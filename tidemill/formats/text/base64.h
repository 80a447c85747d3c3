// Base64 as of RFC 4648 section 4, with padding: for bytes that must travel through text.
#pragma once

#include <string>
#include <string_view>

namespace tidemill::text {

[[nodiscard]] std::string base64(std::string_view bytes);

}  // namespace tidemill::text
