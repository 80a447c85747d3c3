#include "tidemill/formats/epub/grammar/value_syntax.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <span>

#include "tidemill/formats/epub/references/percent_code.h"
#include "tidemill/formats/epub/references/url.h"
#include "tidemill/formats/epub/words.h"

namespace tidemill::epub {

// Dates and times.
namespace {

// Reads a value from its front; after the first mismatch everything fails. One thread.
class Front {
 public:
  explicit Front(std::string_view value) : rest_(value) {}

  Front& digits(std::size_t least, std::size_t most) {
    const auto found =
        static_cast<std::size_t>(std::ranges::find_if_not(rest_, is_digit) - rest_.begin());
    const std::size_t size = std::min(found, most);
    if (size < least) return fail();
    number_ = 0;
    std::from_chars(rest_.data(), rest_.data() + size, number_);
    rest_.remove_prefix(size);
    return *this;
  }
  // Two digits from `low` to `high`.
  Front& pair(int low, int high) {
    digits(2, 2);
    if (number_ < low || number_ > high) return fail();
    return *this;
  }
  Front& sign(std::string_view any_of) {
    if (rest_.empty() || !any_of.contains(rest_.front())) return fail();
    rest_.remove_prefix(1);
    return *this;
  }
  bool maybe(std::string_view any_of) {
    if (!fits_ || rest_.empty() || !any_of.contains(rest_.front())) return false;
    rest_.remove_prefix(1);
    return true;
  }
  [[nodiscard]] bool is_at_end() const { return rest_.empty(); }
  [[nodiscard]] bool whole() const { return fits_ && rest_.empty(); }
  Front& fail() {
    fits_ = false;
    rest_ = {};
    return *this;
  }

 private:
  std::string_view rest_;
  int number_ = 0;
  bool fits_ = true;
};

constexpr std::size_t kMany = 1000;

Front& date_of(Front& front) {
  return front.digits(4, kMany).sign("-").digits(2, 2).sign("-").digits(2, 2);
}

Front& time_of(Front& front) {
  front.digits(2, 2).sign(":").digits(2, 2);
  if (front.maybe(":")) {
    front.digits(2, 2);
    if (front.maybe(".")) front.digits(1, 3);
  }
  return front;
}

Front& zone_of(Front& front) {
  if (front.is_at_end() || front.maybe("Z")) return front;
  front.sign("+-").digits(2, 2);
  front.maybe(":");
  return front.digits(2, 2);
}

Front& xsd_date_of(Front& front) {
  front.maybe("-");
  return front.digits(4, kMany).sign("-").pair(1, 12).sign("-").pair(1, 31);
}

Front& xsd_zone_of(Front& front) {
  if (front.is_at_end() || front.maybe("Z")) return front;
  return front.sign("+-").pair(0, 14).sign(":").pair(0, 59);
}

bool is_year(std::string_view value) { return Front(value).digits(4, 4).whole(); }

bool is_yearless(std::string_view value) {
  if (value.starts_with("--")) value.remove_prefix(2);
  return Front(value).pair(0, 12).sign("-").pair(0, 31).whole();
}

// P1DT2H3M4.5S
bool is_iso_duration(std::string_view value) {
  if (!value.starts_with('P')) return false;
  value.remove_prefix(1);
  const std::size_t day = value.find('D');
  if (day != std::string_view::npos && Front(value.substr(0, day)).digits(1, kMany).whole()) {
    value.remove_prefix(day + 1);
    if (value.empty()) return true;
  }
  if (!value.starts_with('T') || value.size() == 1) return false;
  value.remove_prefix(1);
  for (std::string_view units = "HMS"; !value.empty();) {
    const std::size_t end = value.find_first_not_of("0123456789.");
    if (end == std::string_view::npos || !units.contains(value[end])) return false;
    Front number(value.substr(0, end));
    number.digits(1, kMany);
    if (value[end] == 'S' && number.maybe(".")) number.digits(1, 3);
    if (!number.whole()) return false;
    units.remove_prefix(units.find(value[end]) + 1);
    value.remove_prefix(end + 1);
  }
  return true;
}

// Words like "2h 30m".
bool is_words_duration(std::string_view value) {
  const auto skip = [&] {
    while (value.starts_with(' ')) value.remove_prefix(1);
  };
  skip();
  if (value.empty()) return false;
  for (; !value.empty(); skip()) {
    const std::size_t end = std::min(value.find_first_not_of("0123456789."), value.size());
    Front number(value.substr(0, end));
    number.digits(1, kMany);
    const bool has_part = number.maybe(".");
    if (has_part) number.digits(1, 3);
    if (!number.whole()) return false;
    value.remove_prefix(end);
    skip();
    if (value.empty() || !std::string_view(has_part ? "S" : "WDHMS").contains(value.front())) {
      return false;
    }
    value.remove_prefix(1);
  }
  return true;
}

}  // namespace

bool is_xsd_date(std::string_view value) {
  Front front(trimmed(value));
  return xsd_zone_of(xsd_date_of(front)).whole();
}

bool is_xsd_datetime(std::string_view value) {
  Front front(trimmed(value));
  xsd_date_of(front).sign("T").pair(0, 24).sign(":").pair(0, 59).sign(":").pair(0, 59);
  if (front.maybe(".")) front.digits(1, kMany);
  return xsd_zone_of(front).whole();
}

bool is_xsd_date_or_datetime(std::string_view value) {
  return is_xsd_date(value) || is_xsd_datetime(value);
}

bool is_html_date(std::string_view value) {
  Front front(trimmed(value));
  return date_of(front).whole();
}

bool is_html_time(std::string_view value) {
  Front front(trimmed(value));
  return time_of(front).whole();
}

bool is_html_month(std::string_view value) {
  return Front(trimmed(value)).digits(4, kMany).sign("-").digits(2, 2).whole();
}

bool is_html_week(std::string_view value) {
  return Front(trimmed(value)).digits(4, kMany).sign("-").sign("W").digits(2, 2).whole();
}

bool is_html_local(std::string_view value) {
  Front front(trimmed(value));
  return time_of(date_of(front).sign("T ")).whole();
}

bool is_html_global(std::string_view value) {
  Front front(trimmed(value));
  return zone_of(time_of(date_of(front).sign("T "))).whole();
}

bool is_html_moment(std::string_view value) {
  value = trimmed(value);
  return is_year(value) || is_yearless(value) || is_html_week(value) || is_html_date(value) ||
         is_html_month(value) || is_html_time(value) || is_html_global(value) ||
         is_iso_duration(value) || is_words_duration(value);
}

bool is_clock(std::string_view value) {
  value = trimmed(value);
  const std::size_t colons = static_cast<std::size_t>(std::ranges::count(value, ':'));
  Front front(value);
  if (colons == 2) {
    front.digits(1, kMany).sign(":").pair(0, 59).sign(":").pair(0, 59);
  } else if (colons == 1) {
    front.pair(0, 59).sign(":").pair(0, 59);
  } else {
    for (const std::string_view unit : {"ms", "min", "h", "s"}) {
      if (!value.ends_with(unit)) continue;
      value.remove_suffix(unit.size());
      break;
    }
    front = Front(value);
    front.digits(1, kMany);
  }
  if (front.maybe(".")) front.digits(1, kMany);
  return front.whole();
}

// MathML.
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

// Consumes digits with at most one point among them; false: no digit.
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

// URIs.
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

// Checks the part after the scheme if it begins with a slash, or a text without a scheme.
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
