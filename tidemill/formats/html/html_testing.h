// Checks of HTML, for tests: what a browser would have to guess about is a mistake.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace tidemill::html {

// How often a text occurs.
inline std::size_t occurrences(std::string_view html, std::string_view wanted) {
  std::size_t count = 0;
  for (std::size_t at = 0; (at = html.find(wanted, at)) != std::string_view::npos; ++at) ++count;
  return count;
}

// The value of the first attribute of that name, as it is written.
inline std::string attribute_of(std::string_view html, std::string_view name) {
  const std::string start = " " + std::string(name) + "=\"";
  const std::size_t at = html.find(start);
  if (at == std::string_view::npos) return {};
  html.remove_prefix(at + start.size());
  return std::string(html.substr(0, html.find('"')));
}

// Empty, or the first mistake: an element that is not closed, a character that must be escaped, a
// control character, a number that is none. Style sheets are skipped.
inline std::string mistake_in(std::string_view html) {
  static constexpr std::array<std::string_view, 8> kVoid = {"br",   "hr",   "img", "input",
                                                            "link", "meta", "wbr", "!DOCTYPE"};
  std::vector<std::string_view> open;
  while (!html.empty()) {
    const std::size_t begin = std::min(html.find('<'), html.size());
    if (html.substr(0, begin).find_first_of(">\"'") != std::string_view::npos) {
      return "not escaped: " + std::string(html.substr(0, 80));
    }
    if (begin == html.size()) break;
    const std::size_t end = html.find('>', begin);
    if (end == std::string_view::npos) return "not ended: " + std::string(html.substr(begin, 80));
    std::string_view tag = html.substr(begin + 1, end - begin - 1);
    const std::string written(tag);
    html.remove_prefix(end + 1);
    if (tag.find('<') != std::string_view::npos || tag.find('\'') != std::string_view::npos ||
        occurrences(tag, "\"") % 2 != 0 || tag.find("nan") != std::string_view::npos ||
        tag.find("inf\"") != std::string_view::npos || tag.find("e+") != std::string_view::npos) {
      return "in a tag: " + written;
    }
    const bool is_leaf = tag.ends_with('/');
    const bool is_end = tag.starts_with('/');
    if (is_end) tag.remove_prefix(1);
    tag = tag.substr(0, tag.find_first_of(" /"));
    if (is_end) {
      if (open.empty() || open.back() != tag) return "closed without being open: " + written;
      open.pop_back();
    } else if (!is_leaf && std::ranges::find(kVoid, tag) == kVoid.end()) {
      open.push_back(tag);
    }
    if (tag == "style" && !is_end) html.remove_prefix(std::min(html.find("</style"), html.size()));
  }
  return open.empty() ? "" : "not closed: " + std::string(open.back());
}

}  // namespace tidemill::html
