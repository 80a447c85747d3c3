#include "tidemill/formats/epub/references/fragment.h"

#include <algorithm>
#include <array>
#include <cstddef>

#include "tidemill/formats/epub/package/media_types.h"
#include "tidemill/formats/epub/words.h"

namespace tidemill::epub {
namespace {

bool is_word_character(char c) { return is_letter(c) || is_digit(c) || c == '_'; }

// The name in "name(…)"; empty: it is not of that form.
std::string_view scheme_of(std::string_view text) {
  const auto open = text.find('(');
  if (open == std::string_view::npos || open == 0 || !text.ends_with(')')) return {};
  const std::string_view name = text.substr(0, open);
  return std::ranges::all_of(name, is_word_character) ? name : std::string_view{};
}

// "xywh=1,2,3,4&t=10": one of the known names first, and no part without a value.
bool is_media_fragment(std::string_view text) {
  constexpr std::array<std::string_view, 6> kNames = {"t", "xywh", "track", "id", "xyn", "xyr"};
  bool is_first = true;
  while (true) {
    const std::size_t end = std::min(text.find('&'), text.size());
    const std::string_view part = text.substr(0, end);
    const auto equals = part.find('=');
    if (equals == std::string_view::npos || equals == 0 || equals + 1 == part.size()) return false;
    if (is_first && std::ranges::find(kNames, part.substr(0, equals)) == kNames.end()) return false;
    is_first = false;
    if (end == text.size()) return true;
    text.remove_prefix(end + 1);
  }
}

bool is_space_part(std::string_view text) {
  if (!text.starts_with("xywh=")) return false;
  text.remove_prefix(5);
  for (const std::string_view unit : {"pixel:", "percent:"}) {
    if (text.starts_with(unit)) text.remove_prefix(unit.size());
  }
  const auto commas = std::ranges::count(text, ',');
  const bool has_gap = text.empty() || text.front() == ',' || text.back() == ',' ||
                       text.find(",,") != std::string_view::npos;
  return commas == 3 && !has_gap &&
         std::ranges::all_of(text, [](char c) { return is_digit(c) || c == ','; });
}

bool is_time_part(std::string_view text) {
  if (!text.starts_with("t=")) return false;
  text.remove_prefix(2);
  if (text.starts_with("npt:")) text.remove_prefix(4);
  return !text.empty() && std::ranges::count(text, ',') <= 1 && text.back() != ',' &&
         std::ranges::all_of(
             text, [](char c) { return is_digit(c) || c == '.' || c == ':' || c == ','; });
}

void read_svg(std::string_view text, Fragment& fragment) {
  const std::size_t end = std::min(text.find('&'), text.size());
  const std::string_view first = text.substr(0, end);
  bool wants_space = false;
  if (first.starts_with("svgView(")) {
    fragment.is_valid = first.ends_with(')') && first.size() > 9;
  } else if (first.starts_with("t=")) {
    fragment.is_valid = is_time_part(first);
    wants_space = true;
  } else if (first.starts_with("xywh=")) {
    fragment.is_valid = is_space_part(first);
  } else if (first.find('=') != std::string_view::npos) {
    fragment.is_valid = false;
  } else {
    fragment.id = first;
    fragment.is_valid = is_ncname(first);
  }
  std::string_view rest = text.substr(end);
  while (fragment.is_valid && !rest.empty()) {
    rest.remove_prefix(1);
    const std::size_t part_end = std::min(rest.find('&'), rest.size());
    const std::string_view part = rest.substr(0, part_end);
    fragment.is_valid = wants_space ? is_space_part(part) : is_time_part(part);
    rest.remove_prefix(part_end);
  }
}

}  // namespace

Fragment read_fragment(const LinkTarget& target, std::string_view media_type) {
  Fragment fragment{.exists = target.has_fragment};
  std::string_view text = target.fragment;
  if (!fragment.exists || text.empty()) return fragment;
  if (media_type == kSvgType) {
    read_svg(text, fragment);
    return fragment;
  }
  const bool is_html = media_type == kXhtmlType || media_type == "text/html";
  if (is_html) text = text.substr(0, text.find(":~:"));  // a text directive
  if (const auto scheme = scheme_of(text); !scheme.empty()) {
    fragment.scheme = scheme;
  } else if (!is_html || !is_media_fragment(text)) {
    fragment.id = text;
    fragment.is_valid = is_html || is_ncname(text);
  }
  return fragment;
}

}  // namespace tidemill::epub
