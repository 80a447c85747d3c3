#include "tidemill/formats/epub/grammar/value_syntax.h"

#include <algorithm>
#include <charconv>
#include <cstddef>

#include "tidemill/formats/epub/words.h"

namespace tidemill::epub {

namespace {

// A value that is read from its front; once something does not fit, nothing does. One thread.
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

}  // namespace tidemill::epub
