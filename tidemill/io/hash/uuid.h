// Name-based UUIDs: the same name in the same namespace always gives the same UUID.
#pragma once

#include <string>
#include <string_view>

namespace tidemill::hash {

// RFC 4122, version 5, in lower case with dashes. `space` is a UUID; any other text is replaced by
// its own version 5 UUID in the nil namespace. Empty if OpenSSL fails (no memory).
[[nodiscard]] std::string uuid5(std::string_view space, std::string_view name);

// 8-4-4-4-12 hexadecimal digits of either case.
[[nodiscard]] bool is_uuid(std::string_view text);

}  // namespace tidemill::hash
