// The alphabet of byte-level files: a visible character for each byte, so that a token can be
// written in JSON whatever its bytes are. Printable bytes of Latin-1 stand for themselves, the
// other 68 are U+0100 and on. Nothing here can fail.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace tidemill::tokens {

// The bytes that `token` stands for; nothing when it is empty or a character is not in the
// alphabet.
[[nodiscard]] std::optional<std::string> bytes_of_token(std::string_view token);

}  // namespace tidemill::tokens
