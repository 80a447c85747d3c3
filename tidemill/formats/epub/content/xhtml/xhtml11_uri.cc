#include "tidemill/formats/epub/content/xhtml/xhtml11_uri.h"

#include <algorithm>
#include <cstddef>

#include "tidemill/formats/epub/references/percent_code.h"
#include "tidemill/formats/epub/references/url.h"
#include "tidemill/formats/epub/words.h"

namespace tidemill::epub {
namespace {

bool has_whole_escapes(std::string_view text) {
  for (std::size_t at = text.find('%'); at != std::string_view::npos; at = text.find('%', at + 1)) {
    if (!is_percent_code(text, at)) return false;
  }
  return true;
}

bool is_scheme(std::string_view text) {
  return !text.empty() && is_letter(text.front()) && std::ranges::all_of(text, [](char c) {
    return is_letter(c) || is_digit(c) || c == '+' || c == '-' || c == '.';
  });
}

// [::1], or [fe80::1%eth0]
bool has_good_brackets(std::string_view authority) {
  const auto open = authority.find('[');
  if (open == std::string_view::npos) return !authority.contains(']');
  const auto close = authority.find(']', open);
  if (close == std::string_view::npos) return false;
  const std::string_view address = authority.substr(open + 1, close - open - 1);
  return is_ip6_address(address.substr(0, address.find('%')));
}

// What follows the scheme, when it begins with a slash or there is none.
bool is_hierarchical(std::string_view text) {
  if (text.starts_with("//")) {
    text.remove_prefix(2);
    const auto end = std::min(text.find_first_of("/?#"), text.size());
    if (text.empty() || !has_good_brackets(text.substr(0, end))) return false;
    text.remove_prefix(end);
  }
  const std::string_view path = text.substr(0, text.find_first_of("?#"));
  return path.find_first_of("[]") == std::string_view::npos;
}

}  // namespace

bool is_any_uri(std::string_view value) {
  std::string_view text = trimmed(value);
  if (!has_whole_escapes(text) || std::ranges::count(text, '#') > 1) return false;
  const auto sign = text.find_first_of(":/?#");
  if (sign == std::string_view::npos || text[sign] != ':') return is_hierarchical(text);
  if (!is_scheme(text.substr(0, sign))) return false;
  text.remove_prefix(sign + 1);
  if (text.empty() || text.front() == '#') return false;
  return text.front() != '/' || is_hierarchical(text);
}

}  // namespace tidemill::epub
