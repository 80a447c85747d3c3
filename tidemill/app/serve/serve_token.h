// ServeToken: the secret of the pages of `serve`, 64 hexadecimal digits in a file that only this
// user can read. It stays the same until the file is removed, so that a browser that was let in
// once stays let in.
#pragma once

#include <string>
#include <string_view>

#include "tidemill/base/result.h"

namespace tidemill::app {

inline constexpr std::size_t kTokenDigits = 64;

// Reads the file, or creates it with a new token. Fails with step "token": a file that others can
// access, that belongs to another user, or that holds something else.
[[nodiscard]] Result<std::string> serve_token_at(const std::string& path);

// Compares in a time that depends on the length of `given` only.
[[nodiscard]] bool is_same_token(std::string_view given, std::string_view token);

}  // namespace tidemill::app
