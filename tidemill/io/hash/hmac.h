// HMAC-SHA256, for signatures.
#pragma once

#include <string>
#include <string_view>

namespace tidemill::hash {

// In lower-case hexadecimal digits; empty when OpenSSL cannot (no memory, no SHA-256): compare only
// with what is not empty.
[[nodiscard]] std::string hmac_sha256(std::string_view key, std::string_view text);

// Takes the same time wherever they differ; texts of different sizes are told apart at once.
[[nodiscard]] bool equal_in_constant_time(std::string_view a, std::string_view b);

}  // namespace tidemill::hash
