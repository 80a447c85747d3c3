// Percent-codes: how a URL writes the bytes that it must not have as they are.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace tidemill::epub {

// "%20" stands here.
[[nodiscard]] bool is_percent_code(std::string_view text, std::size_t at);
// "a%20b" as "a b"; what is no percent-code stays.
[[nodiscard]] std::string percent_decoded(std::string_view text);
// These bytes as percent-codes; with none named, all that a path in a URL must not have as they
// are.
[[nodiscard]] std::string percent_encoded(std::string_view text,
                                          std::string_view bytes = " \"#%<>?[\\]^`{|}");

}  // namespace tidemill::epub
