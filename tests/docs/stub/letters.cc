#include "tests/docs/stub/letters.h"

#include <algorithm>
#include <array>
#include <utility>

namespace tidemill::docs_stub {
namespace {

bool is_tail(char c) { return (static_cast<unsigned char>(c) & 0xC0U) == 0x80U; }

std::size_t length_at(std::string_view text, std::size_t at) {
  std::size_t end = at + 1;
  while (end < text.size() && is_tail(text[end])) ++end;
  return end - at;
}

}  // namespace

char32_t letter_at(std::string_view text, std::size_t at) {
  const std::size_t length = length_at(text, at);
  const auto first = static_cast<unsigned char>(text[at]);
  if (length == 1) return first;
  char32_t letter = first & (0xFFU >> (length + 1));
  for (std::size_t i = 1; i < length; ++i) {
    letter = (letter << 6U) | (static_cast<unsigned char>(text[at + i]) & 0x3FU);
  }
  return letter;
}

char32_t letter_before(std::string_view text, std::size_t at) {
  std::size_t begin = at - 1;
  while (begin > 0 && is_tail(text[begin])) --begin;
  return letter_at(text, begin);
}

void add_letter(std::string& text, char32_t letter) {
  const auto tail = [&](unsigned shift) {
    text += static_cast<char>(0x80U | ((letter >> shift) & 0x3FU));
  };
  if (letter < 0x80) {
    text += static_cast<char>(letter);
  } else if (letter < 0x800) {
    text += static_cast<char>(0xC0U | (letter >> 6U));
    tail(0);
  } else if (letter < 0x10000) {
    text += static_cast<char>(0xE0U | (letter >> 12U));
    tail(6);
    tail(0);
  } else {
    text += static_cast<char>(0xF0U | (letter >> 18U));
    tail(12);
    tail(6);
    tail(0);
  }
}

bool is_space(char32_t letter) {
  return (letter >= 9 && letter <= 13) || letter == ' ' || letter == 0xA0 || letter == 0x1680 ||
         (letter >= 0x2000 && letter <= 0x200A) || letter == 0x2028 || letter == 0x2029 ||
         letter == 0x202F || letter == 0x205F || letter == 0x3000 || letter == 0xFEFF;
}

bool is_ascii_punctuation(char letter) {
  return (letter >= '!' && letter <= '/') || (letter >= ':' && letter <= '@') ||
         (letter >= '[' && letter <= '`') || (letter >= '{' && letter <= '~');
}

// The blocks of Unicode that matter in prose, not its tables.
bool is_punctuation(char32_t letter) {
  if (letter < 0x80) return is_ascii_punctuation(static_cast<char>(letter));
  constexpr std::array<std::pair<char32_t, char32_t>, 12> kRanges = {{{0xA1, 0xA9},
                                                                      {0xAB, 0xB1},
                                                                      {0xB4, 0xB4},
                                                                      {0xB6, 0xB8},
                                                                      {0xBB, 0xBB},
                                                                      {0xBF, 0xBF},
                                                                      {0xD7, 0xD7},
                                                                      {0x2010, 0x2027},
                                                                      {0x2030, 0x205E},
                                                                      {0x20A0, 0x2BFF},
                                                                      {0x3001, 0x3020},
                                                                      {0x1F300, 0x1FAFF}}};
  return std::ranges::any_of(
      kRanges, [&](const auto& range) { return letter >= range.first && letter <= range.second; });
}

std::size_t leading_space(std::string_view text) {
  std::size_t at = 0;
  while (at < text.size() && is_space(letter_at(text, at))) at += length_at(text, at);
  return at;
}

std::size_t trailing_space(std::string_view text) {
  std::size_t end = text.size();
  while (end > 0 && is_space(letter_before(text, end))) {
    --end;
    while (end > 0 && is_tail(text[end])) --end;
  }
  return text.size() - end;
}

std::string trimmed(std::string_view text) {
  text.remove_prefix(leading_space(text));
  text.remove_suffix(trailing_space(text));
  return std::string(text);
}

std::string ascii_trimmed(std::string_view text) {
  const auto first = text.find_first_not_of(" \t\n\r\f");
  if (first == std::string_view::npos) return {};
  return std::string(text.substr(first, text.find_last_not_of(" \t\n\r\f") - first + 1));
}

}  // namespace tidemill::docs_stub
