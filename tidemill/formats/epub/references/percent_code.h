// Percent-encoding: how a URL writes bytes that it must not contain literally.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace tidemill::epub {

// There is a percent-code such as "%20" at this offset.
[[nodiscard]] bool is_percent_code(std::string_view text, std::size_t at);
// "a%20b" becomes "a b"; a '%' that does not begin a percent-code is kept.
[[nodiscard]] std::string percent_decoded(std::string_view text);
// Encodes the given bytes; by default those that a URL path must not contain literally.
[[nodiscard]] std::string percent_encoded(std::string_view text,
                                          std::string_view bytes = " \"#%<>?[\\]^`{|}");

}  // namespace tidemill::epub
