#include "tidemill/text/shell.h"

#include <string_view>

#include "tidemill/text/printable.h"

namespace tidemill::text {
namespace {

std::string hex_escape(char c) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  const auto byte = static_cast<unsigned char>(c);
  return {'\\', 'x', kDigits[byte >> 4U], kDigits[byte & 15U]};
}

// A backslash alone is no danger: printable() doubles it only to be reversible.
bool can_be_shown(std::string_view word) {
  std::string plain(word);
  std::erase(plain, '\\');
  return printable(plain) == plain;
}

std::string escaped_word(std::string_view word) {
  std::string text = "$'";
  for (const char c : word) {
    if (c == '\'' || c == '\\') {
      text += '\\';
      text += c;
    } else if (c >= ' ' && c <= '~') {
      text += c;
    } else {
      text += hex_escape(c);
    }
  }
  return text + "'";
}

std::string shell_word(std::string_view word) {
  constexpr std::string_view kHarmless =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./=:,@%+";
  if (word == "{}") return "{}";
  if (!word.empty() && word.find_first_not_of(kHarmless) == std::string_view::npos) {
    return std::string(word);
  }
  if (!can_be_shown(word)) return escaped_word(word);
  std::string text = "'";
  for (const char c : word) text += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return text + "'";
}

}  // namespace

std::string shell_line(std::span<const std::string> words) {
  std::string line;
  for (const std::string& word : words) line += (line.empty() ? "" : " ") + shell_word(word);
  return line;
}

}  // namespace tidemill::text
