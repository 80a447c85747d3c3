#include "tidemill/io/http/response_check.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>
#include <utility>

#include "tidemill/io/http/field.h"

namespace tidemill::http {
namespace {

using Milliseconds = std::chrono::milliseconds;
using Seconds = std::chrono::seconds;

constexpr Seconds kDay = std::chrono::hours(24);
constexpr Milliseconds kAfter429{60'000};  // when the server does not say how long
constexpr std::size_t kMostShown = 300;    // bytes of a body in a reason

bool are_digits(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
}

// "12" or "12.345": the standard allows only whole seconds, but some servers send fractions.
std::optional<Milliseconds> seconds_of(std::string_view value) {
  const auto point = value.find('.');
  const auto whole = value.substr(0, point);
  const auto part = point == std::string_view::npos ? "0" : value.substr(point + 1);
  if (!are_digits(whole) || !are_digits(part)) return std::nullopt;
  Seconds seconds{0};
  for (const char c : whole) seconds = std::min(seconds * 10 + Seconds(c - '0'), kDay);
  int thousandths = 0;
  for (std::size_t i = 0; i < 3; ++i) {
    thousandths = thousandths * 10 + (i < part.size() ? part[i] - '0' : 0);
  }
  if (part.find_first_not_of('0', 3) != std::string_view::npos) ++thousandths;
  return std::min<Milliseconds>(seconds + Milliseconds(thousandths), kDay);
}

// Parses a date from left to right. After the first mismatch it stays invalid.
struct Scanner {
  std::string_view rest;
  bool is_good = true;

  bool skip(std::string_view text) {
    is_good = is_good && rest.starts_with(text);
    if (is_good) rest.remove_prefix(text.size());
    return is_good;
  }

  int number(std::size_t digits) {
    int value = 0;
    is_good = is_good && rest.size() >= digits;
    for (std::size_t i = 0; is_good && i < digits; ++i) {
      is_good = rest[i] >= '0' && rest[i] <= '9';
      value = value * 10 + (rest[i] - '0');
    }
    if (is_good) rest.remove_prefix(digits);
    return value;
  }

  template <std::size_t N>
  unsigned one_of(const std::array<std::string_view, N>& names) {  // from 1 on
    for (unsigned i = 0; is_good && i < N; ++i) {
      if (rest.starts_with(names.at(i))) {
        rest.remove_prefix(names.at(i).size());
        return i + 1;
      }
    }
    is_good = false;
    return 0;
  }
};

constexpr std::array<std::string_view, 7> kLongDays = {
    "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"};
constexpr std::array<std::string_view, 7> kDays = {"Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"};
constexpr std::array<std::string_view, 12> kMonths = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                                      "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};

struct Date {
  int year = 0;
  unsigned month = 0;
  int day = 0;
  int hour = 0;
  int minute = 0;
  int second = 0;
};

void scan_time(Scanner& in, Date& date) {
  date.hour = in.number(2);
  in.skip(":");
  date.minute = in.number(2);
  in.skip(":");
  date.second = in.number(2);
}

// "Sun, 06 Nov 1994 08:49:37 GMT"; with the old names of days "Sunday, 06-Nov-94 08:49:37 GMT".
Scanner scan_date(Scanner in, bool is_old, Date& date) {
  in.one_of(is_old ? kLongDays : kDays);
  in.skip(", ");
  date.day = in.number(2);
  in.skip(is_old ? "-" : " ");
  date.month = in.one_of(kMonths);
  in.skip(is_old ? "-" : " ");
  date.year = in.number(is_old ? 2 : 4);
  in.skip(" ");
  scan_time(in, date);
  in.skip(" GMT");
  return in;
}

// "Sun Nov  6 08:49:37 1994".
Scanner scan_asctime(Scanner in, Date& date) {
  in.one_of(kDays);
  in.skip(" ");
  date.month = in.one_of(kMonths);
  in.skip(" ");
  date.day = in.rest.starts_with(' ') && in.skip(" ") ? in.number(1) : in.number(2);
  in.skip(" ");
  scan_time(in, date);
  in.skip(" ");
  date.year = in.number(4);
  return in;
}

// A two-digit year is the latest such year that is at most 50 years ahead (RFC 9110, 5.6.7).
int whole_year(int end, WallTime now) {
  const std::chrono::year_month_day today(std::chrono::floor<std::chrono::days>(now));
  const int this_year = int{today.year()};
  const int year = this_year - this_year % 100 + end;
  if (year > this_year + 50) return year - 100;
  return year + 100 <= this_year + 50 ? year + 100 : year;
}

// In whole seconds: the year 9999 does not fit into a WallTime.
std::optional<std::chrono::sys_seconds> date_of(std::string_view value, WallTime now) {
  const auto is_whole = [](const Scanner& in) { return in.is_good && in.rest.empty(); };
  const Scanner start{.rest = value};
  Date date;
  if (!is_whole(scan_date(start, false, date))) {
    if (is_whole(scan_date(start, true, date))) {
      date.year = whole_year(date.year, now);
    } else if (!is_whole(scan_asctime(start, date))) {
      return std::nullopt;
    }
  }
  const std::chrono::year_month_day day{std::chrono::year(date.year),
                                        std::chrono::month(date.month),
                                        std::chrono::day(static_cast<unsigned>(date.day))};
  if (!day.ok() || date.hour > 23 || date.minute > 59 || date.second > 60) return std::nullopt;
  return std::chrono::sys_days(day) + std::chrono::hours(date.hour) +
         std::chrono::minutes(date.minute) + Seconds(date.second);
}

// Length of the printable UTF-8 character at the beginning; 0: none.
std::size_t shown_size(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char first = byte(0);
  if (first < 0x80) return first >= ' ' && first != 0x7f ? 1 : 0;
  const std::size_t size = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  if (first < 0xc2 || first > 0xf4 || text.size() < size) return 0;
  char32_t code = first & (0x7fU >> size);
  for (std::size_t i = 1; i < size; ++i) {
    if ((byte(i) & 0xc0U) != 0x80) return 0;
    code = (code << 6U) | (byte(i) & 0x3fU);
  }
  constexpr std::array<char32_t, 5> kSmallest = {0, 0, 0xa0, 0x800, 0x10000};  // no C1 controls
  const bool is_surrogate = code >= 0xd800 && code <= 0xdfff;
  const bool turns_text = (code >= 0x2028 && code <= 0x202e) || (code >= 0x2066 && code <= 0x2069);
  return code < kSmallest.at(size) || code > 0x10ffff || is_surrogate || turns_text ? 0 : size;
}

// The beginning on one line, without control characters.
std::string beginning_of(std::string_view text) {
  std::string shown;
  text = trimmed(text);
  while (!text.empty() && shown.size() < kMostShown) {
    if (const auto size = shown_size(text); size > 0 && text.front() != ' ') {
      shown += text.substr(0, size);
      text.remove_prefix(size);
      continue;
    }
    const bool is_blank = std::string_view(" \t\r\n").contains(text.front());
    if (!is_blank) {
      shown += '?';
    } else if (!shown.ends_with(' ')) {
      shown += ' ';
    }
    text.remove_prefix(1);
  }
  return text.empty() ? shown : shown + "...";
}

bool is_retried(int status) {
  return status == 408 || status == 425 || status == 429 || (status >= 500 && status <= 599);
}

std::string hint_of(const HttpResponse& response) {
  switch (response.status) {
    case 400:
    case 422:
      return "check the version of the server: it does not accept this request";
    case 401:
      return "check the key: it may be missing, incomplete or expired";
    case 403:
      return "give the owner of the key permission for this";
    case 404:
      return "check the address, and whether the owner of the key may see this";
    case 413:
      return "reduce the size: the request is larger than the server accepts";
    default:
      break;
  }
  if (response.status < 300 || response.status > 399) return {};
  const std::string* const place = response.header("location");
  return place == nullptr ? "check the address: the server redirects, but does not say where to"
                          : "use the address that the server redirects to: " + beginning_of(*place);
}

}  // namespace

Result<void> judge(const HttpResponse& response, WallTime now) {
  const int status = response.status;
  if (status >= 200 && status <= 299) return {};
  Failure failure{.cure = Cure::give_up,
                  .step = "status",
                  .reason = "the server responded with " + std::to_string(status),
                  .hint = hint_of(response)};
  if (const auto text = beginning_of(response.body); !text.empty()) failure.reason += ": " + text;
  if (status == 409) {
    failure.cure = Cure::retry;
    failure.step = "conflict";
  } else if (is_retried(status)) {
    failure.cure = Cure::retry;
    if (status == 429) failure.not_before = kAfter429;
    const std::string* const wish = response.header("retry-after");
    if (wish != nullptr) failure.not_before = retry_after(*wish, now).value_or(failure.not_before);
  }
  return std::unexpected(std::move(failure));
}

std::optional<Milliseconds> retry_after(std::string_view value, WallTime now) {
  value = trimmed(value);
  if (const auto wait = seconds_of(value)) return wait;
  const auto date = date_of(value, now);
  if (!date) return std::nullopt;
  const auto second = std::chrono::floor<Seconds>(now);
  const Seconds ahead = std::clamp<Seconds>(*date - second, -kDay, kDay);  // nanoseconds follow
  return std::max(std::chrono::ceil<Milliseconds>(ahead - (now - second)), Milliseconds(0));
}

bool is_server_error(const HttpResponse& response) {
  return response.status >= 500 && response.status <= 599 && response.status != 501;
}

}  // namespace tidemill::http
