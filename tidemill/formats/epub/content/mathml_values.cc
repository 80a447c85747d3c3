#include "tidemill/formats/epub/content/mathml_values.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>

#include "tidemill/formats/epub/words.h"

namespace tidemill::epub {
namespace {

constexpr std::array<std::string_view, 8> kUnits = {"em", "ex", "in", "cm", "mm", "px", "pt", "pc"};
constexpr std::array<std::string_view, 7> kSpaces = {
    "veryverythin", "verythin", "thin", "medium", "thick", "verythick", "veryverythick"};
constexpr std::array<std::string_view, 3> kMeasures = {"height", "depth", "width"};
constexpr std::array<std::string_view, 16> kColors = {
    "aqua", "black", "blue",   "fuchsia", "gray",   "green", "lime",  "maroon",
    "navy", "olive", "purple", "red",     "silver", "teal",  "white", "yellow"};

bool is_one_of(std::span<const std::string_view> words, std::string_view text) {
  return std::ranges::find(words, text) != words.end();
}

bool is_named_space(std::string_view text) {
  if (!text.ends_with("mathspace")) return false;
  text.remove_suffix(std::string_view("mathspace").size());
  if (text.starts_with("negative")) text.remove_prefix(std::string_view("negative").size());
  return is_one_of(kSpaces, text);
}

// Takes digits with at most one point among them; false: there is no digit.
bool take_number(std::string_view& text) {
  std::size_t digits = 0;
  std::size_t points = 0;
  std::size_t at = 0;
  for (; at < text.size(); ++at) {
    if (is_digit(text[at])) {
      ++digits;
    } else if (text[at] != '.' || ++points > 1) {
      break;
    }
  }
  text.remove_prefix(at);
  return digits > 0;
}

}  // namespace

bool is_math_length(std::string_view value) {
  std::string_view text = trimmed(value);
  if (is_named_space(text)) return true;
  if (text.starts_with('-')) text.remove_prefix(1);
  return take_number(text) && (text.empty() || text == "%" || is_one_of(kUnits, text));
}

bool is_math_padding(std::string_view value) {
  std::string_view text = trimmed(value);
  if (text.starts_with('-') || text.starts_with('+')) text.remove_prefix(1);
  if (!take_number(text)) return false;
  text = trimmed(text);
  if (is_one_of(kUnits, text) || is_named_space(text)) return true;
  if (text.starts_with('%')) text = trimmed(text.substr(1));
  return text.empty() || is_one_of(kMeasures, text);
}

bool is_math_color(std::string_view value) {
  std::string_view text = trimmed(value);
  if (text.starts_with('#')) {
    text.remove_prefix(1);
    return (text.size() == 3 || text.size() == 6) && std::ranges::all_of(text, is_hex_digit);
  }
  return std::ranges::any_of(kColors,
                             [&](std::string_view name) { return same_in_any_case(name, text); });
}

}  // namespace tidemill::epub
