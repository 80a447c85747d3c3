#include "tidemill/formats/epub/package/values.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "tidemill/formats/epub/words.h"

namespace tidemill::epub {

namespace {

bool is_alnum(char c) { return is_digit(c) || is_letter(c); }

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t end = std::min(text.find(separator, at), text.size());
    parts.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return parts;
}

bool all_of(std::string_view text, bool (*test)(char)) { return std::ranges::all_of(text, test); }

bool has_length(std::string_view text, std::size_t least, std::size_t most) {
  return text.size() >= least && text.size() <= most;
}

// One thread. Consumes the subtags of a language tag one by one.
class TagReader {
 public:
  explicit TagReader(std::string_view tag) : parts_(split(tag, '-')) {}

  bool is_well_formed() {
    if (!parts_.empty() && lowered(parts_[0]) == "x") return private_use() && is_at_end();
    if (!take([](std::string_view p) { return has_length(p, 2, 8) && all_of(p, is_letter); })) {
      return false;
    }
    for (int count = 0; count < 3 && take([](std::string_view p) {
                          return p.size() == 3 && all_of(p, is_letter);
                        });) {
      ++count;
    }
    take([](std::string_view p) { return p.size() == 4 && all_of(p, is_letter); });  // script
    take([](std::string_view p) {                                                    // region
      return (p.size() == 2 && all_of(p, is_letter)) || (p.size() == 3 && all_of(p, is_digit));
    });
    return variants() && extensions() && private_use() && is_at_end();
  }

 private:
  [[nodiscard]] bool is_at_end() const { return at_ == parts_.size(); }

  template <class Test>
  bool take(Test test) {
    if (is_at_end() || !test(parts_[at_])) return false;
    ++at_;
    return true;
  }

  bool variants() {
    std::set<std::string> seen;
    while (take([](std::string_view p) {
      return all_of(p, is_alnum) && (has_length(p, 5, 8) || (p.size() == 4 && is_digit(p[0])));
    })) {
      if (!seen.insert(lowered(parts_[at_ - 1])).second) return false;
    }
    return true;
  }

  bool extensions() {
    std::set<std::string> seen;
    while (take([](std::string_view p) {
      return p.size() == 1 && is_alnum(p[0]) && p != "x" && p != "X";
    })) {
      if (!seen.insert(lowered(parts_[at_ - 1])).second) return false;
      const std::size_t begin = at_;
      while (take([](std::string_view p) { return has_length(p, 2, 8) && all_of(p, is_alnum); })) {
      }
      if (at_ == begin) return false;
    }
    return true;
  }

  // Also true if there is none.
  bool private_use() {
    if (!take([](std::string_view p) { return p == "x" || p == "X"; })) return true;
    const std::size_t begin = at_;
    while (take([](std::string_view p) { return has_length(p, 1, 8) && all_of(p, is_alnum); })) {
    }
    return at_ > begin;
  }

  std::vector<std::string_view> parts_;
  std::size_t at_ = 0;
};

// Tags registered before tags had a grammar.
bool is_grandfathered(std::string_view tag) {
  static constexpr auto kTags = std::to_array<std::string_view>(
      {"art-lojban", "cel-gaulish", "en-gb-oed", "i-ami",    "i-bnn",    "i-default",
       "i-enochian", "i-hak",       "i-klingon", "i-lux",    "i-mingo",  "i-navajo",
       "i-pwn",      "i-tao",       "i-tay",     "i-tsu",    "no-bok",   "no-nyn",
       "sgn-be-fr",  "sgn-be-nl",   "sgn-ch-de", "zh-guoyu", "zh-hakka", "zh-min",
       "zh-min-nan", "zh-xiang"});
  return std::ranges::find(kTags, lowered(tag)) != kTags.end();
}

int days_of(int year, int month) {
  static constexpr std::array kDays = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  const bool is_leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
  return kDays.at(static_cast<std::size_t>(month - 1)) + (month == 2 && is_leap ? 1 : 0);
}

// One thread. The numbers of a date and the separators between them; it may end after any number.
class DateReader {
 public:
  explicit DateReader(std::string_view text) : text_(text) {}

  bool is_date() {
    const int year = number(1, 9999);
    if (year < 0) return false;
    if (is_at_end()) return true;
    const int month = take('-') ? number(1, 12) : -1;
    if (month < 0) return false;
    if (is_at_end()) return true;
    if (!take('-') || number(1, days_of(year, month)) < 0) return false;
    return is_at_end() || is_time();
  }

 private:
  bool is_time() {
    if (!take('T') || number(0, 23) < 0) return false;
    if (is_at_end()) return true;
    if (!take(':') || number(0, 59) < 0) return false;
    if (take(':') && (number(0, 59) < 0 || (take('.') && !digits()))) return false;
    return is_at_end() || (zone() && is_at_end());
  }

  [[nodiscard]] bool is_at_end() const { return at_ == text_.size(); }
  bool take(char c) {
    if (is_at_end() || text_[at_] != c) return false;
    ++at_;
    return true;
  }
  bool digits() {
    const std::size_t begin = at_;
    while (!is_at_end() && is_digit(text_[at_])) ++at_;
    return at_ > begin;
  }
  // -1: missing or out of range.
  int number(int least, int most) {
    const std::size_t begin = at_;
    int value = 0;
    if (!digits()) return -1;
    const auto [end, error] = std::from_chars(text_.data() + begin, text_.data() + at_, value);
    return error == std::errc{} && value >= least && value <= most ? value : -1;
  }
  bool zone() {
    if (take('Z')) return true;
    if (!take('+') && !take('-')) return false;
    return digits() && take(':') && digits();
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

// "12", "12.5": digits with an optional fraction.
std::optional<double> decimal(std::string_view text) {
  const std::size_t dot = text.find('.');
  const std::string_view whole = text.substr(0, dot);
  if (whole.empty() || !all_of(whole, is_digit)) return std::nullopt;
  if (dot != std::string_view::npos) {
    const std::string_view fraction = text.substr(dot + 1);
    if (fraction.empty() || !all_of(fraction, is_digit)) return std::nullopt;
  }
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc{} ? std::optional(value) : std::nullopt;
}

// "00" … "59", for seconds with an optional fraction.
std::optional<double> sixtieth(std::string_view text, bool with_fraction) {
  if (text.size() < 2 || text[0] > '5') return std::nullopt;
  if (text.size() > 2 && (!with_fraction || text[2] != '.')) return std::nullopt;
  return decimal(text);
}

}  // namespace

bool is_language_tag(std::string_view text) {
  return is_grandfathered(text) || TagReader(text).is_well_formed();
}

bool is_schema_language(std::string_view text) {
  const std::vector<std::string_view> parts = split(text, '-');
  return all_of(parts[0], is_letter) && std::ranges::all_of(parts, [](std::string_view part) {
           return has_length(part, 1, 8) && all_of(part, is_alnum);
         });
}

bool is_publication_date(std::string_view text) { return DateReader(trimmed(text)).is_date(); }

bool is_modified_date(std::string_view text) {
  constexpr std::string_view kForm = "0000-00-00T00:00:00Z";
  return std::ranges::equal(
      text, kForm, [](char c, char form) { return form == '0' ? is_digit(c) : c == form; });
}

bool is_uuid(std::string_view text) {
  const std::vector<std::string_view> groups = split(text, '-');
  return text.size() <= 36 && groups.size() == 5 &&
         std::ranges::all_of(groups, [](std::string_view group) {
           return !group.empty() && all_of(group, is_hex_digit);
         });
}

std::optional<double> clock_milliseconds(std::string_view text) {
  const std::vector<std::string_view> parts = split(text, ':');
  if (parts.size() == 1) {
    double unit = 1000;
    constexpr auto kUnits = std::to_array<std::pair<std::string_view, double>>(
        {{"ms", 1}, {"h", 3'600'000}, {"min", 60'000}, {"s", 1000}});
    for (const auto& [name, size] : kUnits) {
      if (!text.ends_with(name)) continue;
      text.remove_suffix(name.size());
      unit = size;
      break;
    }
    const std::optional<double> count = decimal(text);
    return count ? std::optional(*count * unit) : std::nullopt;
  }
  if (parts.size() > 3) return std::nullopt;
  const bool has_hours = parts.size() == 3;
  const std::optional<double> hours = decimal(has_hours ? parts[0] : "0");
  if (has_hours && !all_of(parts[0], is_digit)) return std::nullopt;
  const std::optional<double> minutes = sixtieth(parts[has_hours ? 1 : 0], false);
  const std::optional<double> seconds = sixtieth(parts[has_hours ? 2 : 1], true);
  if (!hours || !minutes || !seconds) return std::nullopt;
  return ((*hours * 60 + *minutes) * 60 + *seconds) * 1000;
}

bool is_media_type(std::string_view text) {
  const auto is_part = [](char c) {
    return is_alnum(c) || std::string_view("!#$&+-^_").find(c) != std::string_view::npos;
  };
  const std::size_t slash = text.find('/');
  return slash != std::string_view::npos && slash > 0 && slash + 1 < text.size() &&
         std::ranges::all_of(text.substr(0, slash), is_part) && is_part(text[slash + 1]);
}

}  // namespace tidemill::epub
