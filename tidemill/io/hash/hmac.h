// HMAC-SHA256, for signatures.
#pragma once

#include <string>
#include <string_view>

namespace tidemill::hash {

// In lower-case hexadecimal digits; empty when OpenSSL fails (no memory, no SHA-256), so reject an
// empty signature before comparing.
[[nodiscard]] std::string hmac_sha256(std::string_view key, std::string_view text);

// The time does not depend on where the texts differ; only texts of different sizes return early.
[[nodiscard]] bool equal_in_constant_time(std::string_view a, std::string_view b);

}  // namespace tidemill::hash
