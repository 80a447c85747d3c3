#include "tidemill/formats/jsonl/grammar.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstring>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include "tidemill/formats/jsonl/characters.h"

namespace tidemill::jsonl {
namespace {

// True for characters that extend the number or word before them.
constexpr bool is_word_part(char c) {
  const char lower = static_cast<char>(c | 0x20);
  return is_digit(c) || (lower >= 'a' && lower <= 'z') || c == '.' || c == '+' || c == '-' ||
         c == '_';
}

constexpr bool is_plain(char c) {
  return c != '"' && c != '\\' && static_cast<unsigned char>(c) >= 0x20;
}

// The first byte that is a quote, a backslash or a control character.
const char* plain_end(const char* at, const char* end) {
#ifdef __SSE2__
  const __m128i quote = _mm_set1_epi8('"');
  const __m128i backslash = _mm_set1_epi8('\\');
  const __m128i control = _mm_set1_epi8(0x1f);
  while (end - at >= 16) {
    const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(at));
    const __m128i is_special =
        _mm_or_si128(_mm_or_si128(_mm_cmpeq_epi8(bytes, quote), _mm_cmpeq_epi8(bytes, backslash)),
                     _mm_cmpeq_epi8(_mm_min_epu8(bytes, control), bytes));
    const auto mask = static_cast<unsigned>(_mm_movemask_epi8(is_special));
    if (mask != 0) return at + std::countr_zero(mask);
    at += 16;
  }
#endif
  while (at != end && is_plain(*at)) ++at;
  return at;
}

constexpr int kNoDigit = -1;

constexpr int hex_digit(char c) {
  if (is_digit(c)) return c - '0';
  const char lower = static_cast<char>(c | 0x20);
  return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : kNoDigit;
}

// The number after \u; kNoDigit: not four hexadecimal digits.
int code_unit(const char* at, const char* end) {
  if (end - at < 4) return kNoDigit;
  int unit = 0;
  for (int i = 0; i < 4; ++i) {
    const int digit = hex_digit(at[i]);
    if (digit == kNoDigit) return kNoDigit;
    unit = unit * 16 + digit;
  }
  return unit;
}

// `at` is after "\u".
Flaw skip_code_unit(const char*& at, const char* end) {
  const int unit = code_unit(at, end);
  if (unit == kNoDigit) return Flaw::bad_escape;
  at += 4;
  if (unit < 0xd800 || unit > 0xdfff) return Flaw::none;
  if (unit >= 0xdc00 || end - at < 2 || at[0] != '\\' || at[1] != 'u') return Flaw::lone_surrogate;
  const int second = code_unit(at + 2, end);
  if (second == kNoDigit) return Flaw::bad_escape;
  if (second < 0xdc00 || second > 0xdfff) return Flaw::lone_surrogate;
  at += 6;
  return Flaw::none;
}

// `at` is at the backslash.
Flaw skip_escape(const char*& at, const char* end) {
  if (end - at < 2) return Flaw::bad_escape;
  const char kind = at[1];
  at += 2;
  switch (kind) {
    case '"':
    case '\\':
    case '/':
    case 'b':
    case 'f':
    case 'n':
    case 'r':
    case 't':
      return Flaw::none;
    case 'u':
      return skip_code_unit(at, end);
    default:
      return Flaw::bad_escape;
  }
}

// Moves `at` to the quote that ends the string, or to `end`.
Flaw skip_inside(const char*& at, const char* end) {
  while (true) {
    at = plain_end(at, end);
    if (at == end || *at == '"') return Flaw::none;
    if (*at != '\\') return Flaw::malformed;
    if (const Flaw flaw = skip_escape(at, end); flaw != Flaw::none) return flaw;
  }
}

// False: there are no digits.
bool skip_digits(const char*& at, const char* end) {
  const char* const begin = at;
  while (at != end && is_digit(*at)) ++at;
  return at != begin;
}

Flaw skip_number(const char*& at, const char* end) {
  if (*at == '-') ++at;
  if (at != end && *at == '0') {
    ++at;
  } else if (!skip_digits(at, end)) {
    return Flaw::bad_number;
  }
  if (at != end && *at == '.') {
    ++at;
    if (!skip_digits(at, end)) return Flaw::bad_number;
  }
  if (at != end && (*at == 'e' || *at == 'E')) {
    ++at;
    if (at != end && (*at == '+' || *at == '-')) ++at;
    if (!skip_digits(at, end)) return Flaw::bad_number;
  }
  return at != end && is_word_part(*at) ? Flaw::bad_number : Flaw::none;
}

// One thread.
class Checker {
 public:
  Checker(std::string_view json, std::uint32_t depth)
      : at_(json.data()),
        end_(json.data() + json.size()),
        deepest_(kDeepest - std::min(depth, kDeepest)) {}

  Flaw run() {
    do {
      if (const Flaw flaw = take_value(); flaw != Flaw::none) return flaw;
    } while (wants_value_);
    skip_blanks();
    return at_ == end_ ? Flaw::none : Flaw::trailing;
  }

 private:
  void skip_blanks() {
    while (at_ != end_ && is_blank(*at_)) ++at_;
  }

  // The next byte that is not blank; at the end NUL, which no JSON token begins with.
  char next() {
    skip_blanks();
    return at_ == end_ ? '\0' : *at_;
  }

  // Reads a scalar, an empty container, or the opening of a container, up to the next value.
  Flaw take_value() {
    Flaw flaw = Flaw::none;
    switch (next()) {
      case '{':
        return open(true);
      case '[':
        return open(false);
      case '"':
        flaw = take_string();
        break;
      case 't':
        flaw = take_word("true");
        break;
      case 'f':
        flaw = take_word("false");
        break;
      case 'n':
        flaw = take_word("null");
        break;
      default:
        flaw = take_number();
    }
    return flaw == Flaw::none ? after_value() : flaw;
  }

  Flaw take_string() {
    ++at_;
    if (const Flaw flaw = skip_inside(at_, end_); flaw != Flaw::none) return flaw;
    if (at_ == end_) return Flaw::malformed;
    ++at_;
    return Flaw::none;
  }

  Flaw take_word(std::string_view word) {
    if (!std::string_view(at_, end_).starts_with(word)) return Flaw::malformed;
    at_ += word.size();
    return at_ != end_ && is_word_part(*at_) ? Flaw::malformed : Flaw::none;
  }

  Flaw take_number() {
    if (at_ == end_) return Flaw::malformed;
    if (is_digit(*at_) || *at_ == '-') return skip_number(at_, end_);
    const bool is_meant = *at_ == '+' || *at_ == '.' || *at_ == 'N' || *at_ == 'I';
    return is_meant ? Flaw::bad_number : Flaw::malformed;
  }

  // The name of a member and the colon.
  Flaw take_name() {
    if (next() != '"') return Flaw::malformed;
    if (const Flaw flaw = take_string(); flaw != Flaw::none) return flaw;
    if (next() != ':') return Flaw::malformed;
    ++at_;
    return Flaw::none;
  }

  Flaw open(bool is_object) {
    if (level_ == deepest_) return Flaw::too_deep;
    ++at_;
    in_object_ = is_object;
    std::uint64_t& bits = objects_[level_ / 64];
    const std::uint64_t bit = std::uint64_t{1} << (level_ % 64);
    bits = is_object ? bits | bit : bits & ~bit;
    ++level_;
    if (next() == closing()) return after_value();
    wants_value_ = true;
    return is_object ? take_name() : Flaw::none;
  }

  // Continues after a value: closes the containers that end here, up to the next value.
  Flaw after_value() {
    while (level_ > 0) {
      const char c = next();
      if (c == ',') {
        ++at_;
        wants_value_ = true;
        return in_object_ ? take_name() : Flaw::none;
      }
      if (c != closing()) return Flaw::malformed;
      ++at_;
      --level_;
      in_object_ = level_ > 0 && (objects_[(level_ - 1) / 64] >> ((level_ - 1) % 64) & 1U) != 0;
    }
    wants_value_ = false;
    return Flaw::none;
  }

  [[nodiscard]] char closing() const { return in_object_ ? '}' : ']'; }

  const char* at_;
  const char* end_;
  std::uint32_t deepest_;
  std::uint32_t level_ = 0;
  bool in_object_ = false;
  bool wants_value_ = false;
  std::array<std::uint64_t, (kDeepest + 63) / 64> objects_{};  // a bit for each level
};

}  // namespace

std::string_view name_of(Flaw flaw) {
  switch (flaw) {
    case Flaw::none:
      return "no flaw";
    case Flaw::malformed:
      return "not JSON";
    case Flaw::bad_escape:
      return "invalid escape sequence";
    case Flaw::lone_surrogate:
      return "unpaired surrogate";
    case Flaw::bad_number:
      return "invalid number";
    case Flaw::too_deep:
      return "nested too deeply";
    case Flaw::trailing:
      return "data after the value";
  }
  return "unknown";
}

Flaw check(std::string_view json, std::uint32_t depth) { return Checker(json, depth).run(); }

Flaw check_string(std::string_view inside) {
  const char* at = inside.data();
  const char* const end = at + inside.size();
  const Flaw flaw = skip_inside(at, end);
  return flaw == Flaw::none && at != end ? Flaw::malformed : flaw;
}

}  // namespace tidemill::jsonl
