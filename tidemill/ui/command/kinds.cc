#include "tidemill/ui/command/kinds.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>
#include <optional>
#include <system_error>

#include "tidemill/base/try.h"
#include "tidemill/ui/command/usage.h"

namespace tidemill::command {
namespace {

using std::chrono::milliseconds;

constexpr std::string_view kDigits = "0123456789";
constexpr std::uint64_t kMost = std::numeric_limits<std::uint64_t>::max();

std::unexpected<Failure> refuse(std::string_view text, std::string_view why) {
  return fail(Cure::give_up, FailureKind::usage, "usage", in_quotes(text) + " " + std::string(why));
}

std::unexpected<Failure> refuse_kind(std::string_view text, ValueKind kind) {
  return refuse(text, "is not " + accepted(Flag{.kind = kind}));
}

std::unexpected<Failure> refuse_large(std::string_view text) {
  return refuse(text, "is too large");
}

// Removes the leading digits from the text and returns them.
std::string_view take_digits(std::string_view& text) {
  const auto digits = text.substr(0, std::min(text.find_first_not_of(kDigits), text.size()));
  text.remove_prefix(digits.size());
  return digits;
}

// Empty: more than 64 bits.
std::optional<std::uint64_t> number_of(std::string_view digits) {
  std::uint64_t number = 0;
  const auto end = digits.data() + digits.size();
  if (std::from_chars(digits.data(), end, number).ec != std::errc()) return std::nullopt;
  return number;
}

std::optional<std::uint64_t> times(std::uint64_t a, std::uint64_t b) {
  if (b != 0 && a > kMost / b) return std::nullopt;
  return a * b;
}

// In milliseconds.
std::optional<std::uint64_t> duration_unit(std::string_view unit) {
  if (unit == "ms") return 1;
  if (unit.empty() || unit == "s") return 1000;
  if (unit == "m") return 60'000;
  if (unit == "h") return 3'600'000;
  if (unit == "d") return 86'400'000;
  return std::nullopt;
}

std::optional<std::uint64_t> size_unit(std::string_view unit) {
  if (unit.empty() || unit == "B") return 1;
  constexpr std::string_view kLetters = "KMGT";
  const char letter = unit[0] >= 'a' ? static_cast<char>(unit[0] - 'a' + 'A') : unit[0];
  const auto power = kLetters.find(letter);
  if (power == std::string_view::npos) return std::nullopt;
  unit.remove_prefix(1);
  if (!unit.empty() && unit != "B" && unit != "iB") return std::nullopt;
  return std::uint64_t{1} << (10 * (power + 1));
}

std::optional<double> rate_unit(std::string_view unit) {
  if (unit == "/s") return 1.0;
  if (unit == "/m") return 60.0;
  if (unit == "/h") return 3600.0;
  return std::nullopt;
}

// The value of ".5" in the unit; empty if it is not a whole number.
std::optional<std::uint64_t> fraction_of(std::string_view digits, std::uint64_t unit) {
  while (digits.ends_with('0')) digits.remove_suffix(1);
  if (digits.size() > 9) return std::nullopt;  // more decimals than any unit can divide
  std::uint64_t scale = 1;
  for (std::size_t i = 0; i < digits.size(); ++i) scale *= 10;
  const std::uint64_t scaled = digits.empty() ? 0 : number_of(digits).value_or(0) * unit;
  if (scaled % scale != 0) return std::nullopt;
  return scaled / scale;
}

template <class Read>
Result<void> check_range(const Flag& flag, std::string_view text, Read read) {
  LET(const auto value, read(text));
  if (const auto least = read(flag.least); least && value < *least) {
    return refuse(text, "is below the minimum of " + flag.least);
  }
  if (const auto most = read(flag.most); most && value > *most) {
    return refuse(text, "is above the maximum of " + flag.most);
  }
  return {};
}

}  // namespace

Result<bool> parse_toggle(std::string_view text) {
  if (text == "true") return true;
  if (text == "false") return false;
  return refuse_kind(text, ValueKind::toggle);
}

Result<std::uint64_t> parse_count(std::string_view text) {
  auto rest = text;
  const auto digits = take_digits(rest);
  if (digits.empty() || !rest.empty()) return refuse_kind(text, ValueKind::count);
  if (const auto number = number_of(digits)) return *number;
  return refuse_large(text);
}

Result<milliseconds> parse_duration(std::string_view text) {
  auto rest = text;
  const auto whole = take_digits(rest);
  std::string_view fraction;
  if (rest.starts_with('.')) {
    rest.remove_prefix(1);
    fraction = take_digits(rest);
    if (fraction.empty()) return refuse_kind(text, ValueKind::duration);
  }
  const auto unit = duration_unit(rest);
  if (whole.empty() || !unit) return refuse_kind(text, ValueKind::duration);
  const auto longest = static_cast<std::uint64_t>(kLongestDuration.count());
  const auto number = number_of(whole);
  if (!number || *number > longest / *unit) return refuse_large(text);
  const auto part = fraction_of(fraction, *unit);
  if (!part) return refuse(text, "is not a whole number of milliseconds");
  if (*part > longest - *number * *unit) return refuse_large(text);
  return milliseconds(*number * *unit + *part);
}

Result<Bytes> parse_size(std::string_view text) {
  auto rest = text;
  const auto digits = take_digits(rest);
  const auto unit = size_unit(rest);
  if (digits.empty() || !unit) return refuse_kind(text, ValueKind::size);
  const auto number = number_of(digits);
  const auto count = number ? times(*number, *unit) : std::nullopt;
  if (!count) return refuse_large(text);
  return Bytes{*count};
}

Result<double> parse_rate(std::string_view text) {
  const auto slash = std::min(text.find('/'), text.size());
  const auto number = text.substr(0, slash);
  const auto unit = rate_unit(text.substr(slash));
  double events = 0;
  const auto end = number.data() + number.size();
  const bool is_plain = number.find_first_not_of("0123456789.") == std::string_view::npos;
  const auto read = std::from_chars(number.data(), end, events, std::chars_format::fixed);
  if (!unit || !is_plain || read.ptr != end || number.empty())
    return refuse_kind(text, ValueKind::rate);
  if (read.ec != std::errc()) return refuse(text, "is out of range");
  if (events <= 0 || events / *unit <= 0) return refuse(text, "is not above zero");
  return events / *unit;
}

Result<void> check(const Flag& flag, std::string_view text) {
  switch (flag.kind) {
    case ValueKind::toggle:
      TRY(parse_toggle(text));
      return {};
    case ValueKind::count:
      return check_range(flag, text, parse_count);
    case ValueKind::duration:
      return check_range(flag, text, parse_duration);
    case ValueKind::size:
      return check_range(flag, text, parse_size);
    case ValueKind::rate:
      return check_range(flag, text, parse_rate);
    case ValueKind::choice:
      if (std::ranges::find(flag.choices, text) != flag.choices.end()) return {};
      return refuse(text, "is not " + accepted(flag));
    case ValueKind::text:
    case ValueKind::path:
    case ValueKind::run:
      break;
  }
  // A config file can contain a NUL; a command line and a file name cannot.
  if (text.find('\0') != std::string_view::npos) return refuse(text, "contains a NUL byte");
  if (flag.kind == ValueKind::path && text.empty())
    return refuse(text, "is not the name of a file");
  return {};
}

Result<void> check(const Argument& argument, std::string_view text) {
  return check(Flag{.name = argument.name, .kind = argument.kind, .choices = argument.choices},
               text);
}

std::string accepted(const Flag& flag) {
  switch (flag.kind) {
    case ValueKind::toggle:
      return "true or false";
    case ValueKind::count:
      return "a whole number such as 8";
    case ValueKind::duration:
      return "a duration such as 30s, 5m";
    case ValueKind::size:
      return "a size such as 4096, 64K, 10M";
    case ValueKind::rate:
      return "a rate such as 10/s, 600/m";
    case ValueKind::choice: {
      std::string names;
      for (const auto& choice : flag.choices) names += (names.empty() ? "" : ", ") + choice;
      return "one of " + names;
    }
    case ValueKind::path:
      return "the name of a file or folder";
    case ValueKind::run:
      return "a run: its id, the beginning of its id, last or last-JOB";
    case ValueKind::text:
      break;
  }
  return "text";
}

}  // namespace tidemill::command
