// Letters as JavaScript and markdown-it see them, on UTF-8.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace tidemill::docs_stub {

[[nodiscard]] std::string trimmed(std::string_view text);        // as String.trim does
[[nodiscard]] std::string ascii_trimmed(std::string_view text);  // blanks, tabs and newlines only
[[nodiscard]] std::size_t leading_space(std::string_view text);  // bytes
[[nodiscard]] std::size_t trailing_space(std::string_view text);

[[nodiscard]] bool is_space(char32_t letter);
[[nodiscard]] bool is_punctuation(char32_t letter);  // symbols too
[[nodiscard]] bool is_ascii_punctuation(char letter);
[[nodiscard]] char32_t letter_at(std::string_view text, std::size_t at);
[[nodiscard]] char32_t letter_before(std::string_view text, std::size_t at);
void add_letter(std::string& text, char32_t letter);

}  // namespace tidemill::docs_stub
