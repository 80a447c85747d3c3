#include "tidemill/formats/epub/words.h"

#include <algorithm>

namespace tidemill::epub {

std::string lowered(std::string_view text) {
  std::string small(text);
  std::ranges::transform(small, small.begin(), lower);
  return small;
}

std::string normalized(std::string_view text) {
  std::string result;
  for (auto word = next_word(text); !word.empty(); word = next_word(text)) {
    if (!result.empty()) result += ' ';
    result += word;
  }
  return result;
}

std::vector<std::string_view> words_of(std::string_view text) {
  std::vector<std::string_view> words;
  for (auto word = next_word(text); !word.empty(); word = next_word(text)) words.push_back(word);
  return words;
}

bool is_ncname(std::string_view text) {
  return !text.empty() && is_name_start(text.front()) &&
         std::ranges::all_of(text, is_name_character) && !text.contains("\xef\xbf\xbd");
}

bool is_nmtoken(std::string_view text) {
  return !text.empty() &&
         std::ranges::all_of(text, [](char c) { return is_name_character(c) || c == ':'; });
}

}  // namespace tidemill::epub
