// The datatypes of attribute values. They are as lenient as the schemas that reading systems are
// tested with: complex values (a URL, a media query) are checked elsewhere or not at all.
#include <algorithm>
#include <array>
#include <utility>

#include "tidemill/formats/epub/grammar/grammar.h"
#include "tidemill/formats/epub/grammar/value_syntax.h"
#include "tidemill/formats/epub/package/values.h"
#include "tidemill/formats/epub/words.h"

namespace tidemill::epub {

namespace {

bool is_any(std::string_view /*value*/) { return true; }

bool is_nothing(std::string_view /*value*/) { return false; }

bool is_not_empty(std::string_view value) { return !is_blank(value); }

// Ignores white space around the name.
bool is_id(std::string_view value) { return is_ncname(trimmed(value)); }
bool is_token(std::string_view value) { return is_nmtoken(trimmed(value)); }

template <Datatype IsOne, bool MayBeEmpty>
bool is_list_of(std::string_view value) {
  auto word = next_word(value);
  if (word.empty()) return MayBeEmpty;
  for (; !word.empty(); word = next_word(value)) {
    if (!IsOne(word)) return false;
  }
  return true;
}

bool is_digits(std::string_view value) {
  return !value.empty() && std::ranges::all_of(value, is_digit);
}

bool is_integer(std::string_view value) {
  value = trimmed(value);
  if (value.starts_with('-') || value.starts_with('+')) value.remove_prefix(1);
  return is_digits(value);
}

bool is_zero(std::string_view digits) {
  return std::ranges::none_of(digits, [](char c) { return c >= '1' && c <= '9'; });
}

bool is_nonneg(std::string_view value) {
  value = trimmed(value);
  return is_integer(value) && (!value.starts_with('-') || is_zero(value));
}

bool is_positive(std::string_view value) { return is_nonneg(value) && !is_zero(value); }

std::size_t digits_at_front(std::string_view value) {
  return static_cast<std::size_t>(std::ranges::find_if_not(value, is_digit) - value.begin());
}

// The length of the decimal number without exponent at the front of the value; 0: none.
std::size_t decimal_at_front(std::string_view value) {
  std::size_t size = value.starts_with('-') || value.starts_with('+') ? 1 : 0;
  const std::size_t whole = digits_at_front(value.substr(size));
  size += whole;
  std::size_t part = 0;
  if (size < value.size() && value[size] == '.') {
    part = digits_at_front(value.substr(size + 1));
    if (whole > 0 || part > 0) size += 1 + part;
  }
  return whole == 0 && part == 0 ? 0 : size;
}

std::size_t number_at_front(std::string_view value) {
  const std::size_t size = decimal_at_front(value);
  if (size == 0 || size == value.size() || lower(value[size]) != 'e') return size;
  const std::string_view rest = value.substr(size + 1);
  const std::size_t sign = rest.starts_with('-') || rest.starts_with('+') ? 1 : 0;
  const std::size_t digits = digits_at_front(rest.substr(sign));
  return digits == 0 ? size : size + 1 + sign + digits;
}

bool is_decimal(std::string_view value) {
  value = trimmed(value);
  return !value.empty() && decimal_at_front(value) == value.size();
}

bool is_number(std::string_view value) {
  value = trimmed(value);
  if (value == "INF" || value == "-INF" || value == "NaN") return true;
  return !value.empty() && number_at_front(value) == value.size();
}

bool is_nonneg_number(std::string_view value) {
  value = trimmed(value);
  return is_number(value) &&
         (!value.starts_with('-') || is_zero(value.substr(0, decimal_at_front(value))));
}

bool is_positive_number(std::string_view value) {
  value = trimmed(value);
  return is_number(value) && !value.starts_with('-') &&
         (value == "INF" || !is_zero(value.substr(0, decimal_at_front(value))));
}

// A number with an optional unit or %.
bool is_length(std::string_view value) {
  value = trimmed(value);
  const std::size_t size = number_at_front(value);
  if (size == 0) return false;
  const std::string_view unit = value.substr(size);
  return unit == "%" || std::ranges::all_of(unit, is_letter);
}

bool is_pixels(std::string_view value) {
  value = trimmed(value);
  if (value.ends_with('%')) value.remove_suffix(1);
  return is_digits(value);
}

// Pixels, percent, or parts ("3*", "*").
bool is_multi_length(std::string_view value) {
  value = trimmed(value);
  return value == "*" ||
         is_pixels(value.ends_with('*') ? value.substr(0, value.size() - 1) : value);
}

// Letters first, then letters and digits, in parts of one to eight.
bool is_language(std::string_view value) {
  value = trimmed(value);
  for (bool is_first = true;; is_first = false) {
    const std::string_view part = value.substr(0, value.find('-'));
    if (part.empty() || part.size() > 8) return false;
    for (const char c : part) {
      if (!is_letter(c) && (is_first || !is_digit(c))) return false;
    }
    if (part.size() == value.size()) return true;
    value.remove_prefix(part.size() + 1);
  }
}

bool is_language_or_empty(std::string_view value) { return value.empty() || is_language(value); }

bool is_utf8_name(std::string_view value) { return same_in_any_case(value, "utf-8"); }

bool is_hash_name(std::string_view value) { return value.size() > 1 && value.front() == '#'; }

bool is_one_char(std::string_view value) {
  return !value.empty() && std::ranges::count_if(value, [](char c) {
                             return (static_cast<unsigned char>(c) & 0xc0U) != 0x80U;
                           }) == 1;
}

bool is_frame_name(std::string_view value) { return !value.starts_with('_'); }

bool is_frame_target(std::string_view value) {
  constexpr std::array kWords = {"_blank", "_self", "_parent", "_top"};
  return is_frame_name(value) || std::ranges::any_of(kWords, [&](std::string_view word) {
           return same_in_any_case(word, value);
         });
}

bool is_size(std::string_view value) {
  const std::size_t by = value.find('x');
  if (by == std::string_view::npos) return false;
  const auto is_side = [](std::string_view side) { return is_digits(side) && side.front() != '0'; };
  return is_side(value.substr(0, by)) && is_side(value.substr(by + 1));
}

bool is_color(std::string_view value) {
  return value.size() == 7 && value.front() == '#' &&
         std::ranges::all_of(value.substr(1), is_hex_digit);
}

bool is_email(std::string_view value) {
  const std::size_t at = value.find('@');
  return at != std::string_view::npos && at > 0 && at + 1 < value.size() &&
         !value.substr(at + 1).contains('@');
}

bool is_email_list(std::string_view value) {
  for (;;) {
    const std::size_t comma = std::min(value.find(','), value.size());
    if (!is_email(value.substr(0, comma))) return false;
    if (comma == value.size()) return true;
    value.remove_prefix(comma + 1);
  }
}

bool is_coords(std::string_view value) {
  value = trimmed(value);
  for (;;) {
    const std::size_t comma = std::min(value.find(','), value.size());
    if (!is_number(value.substr(0, comma))) return false;
    if (comma == value.size()) return true;
    value.remove_prefix(comma + 1);
  }
}

bool is_html_uri(std::string_view value) { return is_blank(value) || is_any_uri(value); }

bool is_alphabet(std::string_view value) {
  return value == "ipa" || (value.starts_with("x-") && value.size() > 2);
}

using Named = std::pair<std::string_view, Datatype>;

// A URI in HTML may be empty.
constexpr auto kDatatypes = std::to_array<Named>({
    {"text", is_any},
    {"never", is_nothing},
    {"string", is_any},
    {"token", is_not_empty},
    {"nonempty", is_not_empty},
    {"word", is_word},
    {"words", is_any},
    {"some-words", is_not_empty},
    {"id", is_id},
    {"idref", is_id},
    {"idrefs", is_list_of<is_id, false>},
    {"ncname", is_id},
    {"name", is_token},
    {"nmtoken", is_token},
    {"nmtokens", is_list_of<is_token, false>},
    {"uri", is_any_uri},
    {"anyuri", is_any_uri},
    {"html-uri", is_html_uri},
    {"uris", is_any},
    {"nonempty-uri", is_not_empty},
    {"language", is_language},
    {"language-or-empty", is_language_or_empty},
    {"integer", is_integer},
    {"nonneg", is_nonneg},
    {"positive", is_positive},
    {"decimal", is_decimal},
    {"number", is_number},
    {"numbers", is_list_of<is_number, false>},
    {"nonneg-number", is_nonneg_number},
    {"positive-number", is_positive_number},
    {"length", is_length},
    {"pixels", is_pixels},
    {"multi-length", is_multi_length},
    {"date", is_xsd_date},
    {"datetime", is_xsd_datetime},
    {"date-or-datetime", is_xsd_date_or_datetime},
    {"html-date", is_html_date},
    {"html-time", is_html_time},
    {"html-month", is_html_month},
    {"html-week", is_html_week},
    {"html-datetime", is_html_global},
    {"html-local-datetime", is_html_local},
    {"html-moment", is_html_moment},
    {"clock", is_clock},
    {"mime", is_media_type},
    {"charset", is_token},
    {"charsets", is_list_of<is_token, false>},
    {"utf-8", is_utf8_name},
    {"media", is_any},
    {"frame-name", is_frame_name},
    {"frame-target", is_frame_target},
    {"hash-name", is_hash_name},
    {"character", is_one_char},
    {"sizes", is_list_of<is_size, false>},
    {"color", is_color},
    {"email", is_email},
    {"emails", is_email_list},
    {"coords", is_coords},
    {"autocomplete", is_any},
    {"script", is_any},
    {"style", is_any},
    {"prefixes", is_any},
    {"alphabet", is_alphabet},
    {"math-length", is_math_length},
    {"math-padding", is_math_padding},
    {"math-color", is_math_color},
});

}  // namespace

Datatype datatype_named(std::string_view name) {
  for (const auto& [known, datatype] : kDatatypes) {
    if (known == name) return datatype;
  }
  return nullptr;
}

}  // namespace tidemill::epub
