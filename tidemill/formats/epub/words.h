// Character classes, words and names as XML, HTML and CSS define them: ASCII only, independent of
// the locale. Nothing here fails.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace tidemill::epub {

// White space of HTML and CSS. XML does not count a form feed as white space, but text from an XML
// parser cannot contain one; only code that scans the raw bytes of a document needs is_xml_space().
[[nodiscard]] constexpr bool is_space(char c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f';
}
inline constexpr std::string_view kXmlSpace = " \t\r\n";
[[nodiscard]] constexpr bool is_xml_space(char c) { return kXmlSpace.contains(c); }

[[nodiscard]] constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }
[[nodiscard]] constexpr bool is_hex_digit(char c) {
  return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}
[[nodiscard]] constexpr bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}
// A byte of a multi-byte UTF-8 character.
[[nodiscard]] constexpr bool is_beyond_ascii(char c) {
  return static_cast<unsigned char>(c) >= 0x80U;
}
[[nodiscard]] constexpr char lower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}
[[nodiscard]] std::string lowered(std::string_view text);

[[nodiscard]] constexpr bool same_in_any_case(std::string_view a, std::string_view b) {
  if (a.size() != b.size()) return false;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (lower(a[i]) != lower(b[i])) return false;
  }
  return true;
}

[[nodiscard]] constexpr bool ends_in_any_case(std::string_view text, std::string_view end) {
  return text.size() >= end.size() && same_in_any_case(text.substr(text.size() - end.size()), end);
}

[[nodiscard]] constexpr bool is_blank(std::string_view text) {
  for (const char c : text) {
    if (!is_space(c)) return false;
  }
  return true;
}

[[nodiscard]] constexpr std::string_view trimmed(std::string_view text) {
  while (!text.empty() && is_space(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_space(text.back())) text.remove_suffix(1);
  return text;
}

// Trims the text and collapses every run of white space to one space.
[[nodiscard]] std::string normalized(std::string_view text);

// Removes the first word from the front of `rest` and returns it; empty: no words left.
[[nodiscard]] constexpr std::string_view next_word(std::string_view& rest) {
  while (!rest.empty() && is_space(rest.front())) rest.remove_prefix(1);
  std::size_t size = 0;
  while (size < rest.size() && !is_space(rest[size])) ++size;
  const std::string_view word = rest.substr(0, size);
  rest.remove_prefix(size);
  return word;
}

[[nodiscard]] constexpr bool has_word(std::string_view words, std::string_view wanted) {
  for (auto word = next_word(words); !word.empty(); word = next_word(words)) {
    if (word == wanted) return true;
  }
  return false;
}

// The views point into the text.
[[nodiscard]] std::vector<std::string_view> words_of(std::string_view text);

// Not empty, and without white space.
[[nodiscard]] constexpr bool is_word(std::string_view text) {
  std::string_view rest = text;
  return !text.empty() && next_word(rest) == text;
}

// Characters of an XML name. Every character beyond ASCII is accepted, because XML allows nearly
// all of them.
[[nodiscard]] constexpr bool is_name_start(char c) {
  return is_letter(c) || c == '_' || is_beyond_ascii(c);
}
[[nodiscard]] constexpr bool is_name_character(char c) {
  return is_name_start(c) || is_digit(c) || c == '-' || c == '.';
}
[[nodiscard]] bool is_ncname(std::string_view text);   // a name without a colon
[[nodiscard]] bool is_nmtoken(std::string_view text);  // one or more name characters or colons

}  // namespace tidemill::epub
