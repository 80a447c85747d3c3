// Uuids that are derived, not drawn: the same name in the same space is the same uuid, always.
#pragma once

#include <string>
#include <string_view>

namespace tidemill::hash {

// RFC 4122, version 5: in lower case with dashes. `space` is a uuid; anything else is taken as the
// uuid made of its own version 5 in the nil space. Empty, which is no uuid, should OpenSSL fail (no
// memory).
[[nodiscard]] std::string uuid5(std::string_view space, std::string_view name);

// 8-4-4-4-12 hexadecimal digits of either case.
[[nodiscard]] bool is_uuid(std::string_view text);

}  // namespace tidemill::hash
