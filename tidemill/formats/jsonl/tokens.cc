#include "tidemill/formats/jsonl/tokens.h"

#include <simdjson.h>

#include <emmintrin.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <vector>

namespace tidemill::jsonl {
namespace {

constexpr std::size_t kLeastKept = std::size_t{64} * 1024;  // smallest line capacity of the parser
constexpr std::size_t kMostKept = std::size_t{4} * 1024 * 1024;

// A bit for each of 16 bytes that is not a digit.
unsigned no_digits(const char* at) {
  const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(at));
  const __m128i above = _mm_sub_epi8(bytes, _mm_set1_epi8('0'));
  const __m128i is_digit = _mm_cmpeq_epi8(_mm_min_epu8(above, _mm_set1_epi8(9)), above);
  return ~static_cast<unsigned>(_mm_movemask_epi8(is_digit)) & 0xffffU;
}

// Whether the token from `at` to `next` is -?(0|[1-9][0-9]*)(\.[0-9]+)? and short.
bool is_plain_number(const char* at, const char* next) {
  at += *at == '-' ? 1 : 0;
  std::uint64_t others = no_digits(at) | no_digits(at + 16) << 16U | std::uint64_t{1} << 32U;
  const int whole = std::countr_zero(others);
  int end = whole;
  if (at[whole] == '.') {
    others &= others - 1;
    end = std::countr_zero(others);
    if (end == whole + 1) return false;
  }
  if (whole == 0 || end >= 32 || (*at == '0' && whole > 1)) return false;
  return at + end == next || is_blank(at[end]);
}

// The closing quote of the string that opens at `at`.
std::size_t string_end(std::string_view json, std::size_t at) {
  for (std::size_t end = json.find('"', at + 1);; end = json.find('"', end + 1)) {
    std::size_t backslashes = 0;
    while (json[end - 1 - backslashes] == '\\') ++backslashes;
    if (backslashes % 2 == 0) return end;
  }
}

// The last byte of the number or word that begins at `at`.
std::size_t word_end(std::string_view json, std::size_t at) {
  return std::min(json.find_first_of(" \t\r\n,]}", at), json.size()) - 1;
}

// `json` must be valid.
void mark_shallow(std::string_view json, std::vector<std::uint32_t>& starts) {
  std::size_t level = 0;
  for (std::size_t at = 0; at < json.size(); ++at) {
    const char c = json[at];
    if (is_blank(c)) continue;
    if (c == '}' || c == ']') --level;
    if (level <= 1) starts.push_back(static_cast<std::uint32_t>(at));
    if (c == '{' || c == '[') {
      ++level;
    } else if (c == '"') {
      at = string_end(json, at);
    } else if (c != '}' && c != ']' && c != ',' && c != ':') {
      at = word_end(json, at);
    }
  }
}

}  // namespace

struct Tokens::Stage {
  std::unique_ptr<simdjson::internal::dom_parser_implementation> parser{};
  std::size_t capacity = 0;
  std::vector<std::uint32_t> shallow{};
};

Tokens::Tokens() : stage_(std::make_unique<Stage>()) {}
Tokens::~Tokens() = default;

Ill Tokens::index(std::string_view line) {
  count_ = 0;
  const bool is_wasteful = stage_->capacity > kMostKept && line.size() < kMostKept / 2;
  if (!stage_->parser || line.size() > stage_->capacity || is_wasteful) {
    stage_->parser.reset();
    stage_->capacity = std::max<std::size_t>(kLeastKept, line.size());
    const auto error = simdjson::get_active_implementation()->create_dom_parser_implementation(
        stage_->capacity, 1, stage_->parser);
    if (error != simdjson::SUCCESS) return Ill::too_long;
  }
  simdjson::internal::dom_parser_implementation& parser = *stage_->parser;
  const auto* const bytes = reinterpret_cast<const std::uint8_t*>(line.data());
  const auto error = parser.stage1(bytes, line.size(), simdjson::stage1_mode::regular);
  if (error == simdjson::UTF8_ERROR) return Ill::not_utf8;
  if (error == simdjson::UNESCAPED_CHARS) return Ill::control;
  if (error != simdjson::SUCCESS) return Ill::no_token;
  line_ = line.data();
  size_ = line.size();
  starts_ = parser.structural_indexes.get();  // followed by the size, twice
  count_ = parser.n_structural_indexes;
  find_backslash(line_);
  return Ill::none;
}

Ill Tokens::index_shallow(std::string_view line) {
  count_ = 0;
  stage_->parser.reset();
  stage_->capacity = 0;
  if (!simdjson::validate_utf8(line.data(), line.size())) return Ill::not_utf8;
  if (jsonl::check(line) != Flaw::none) return Ill::no_token;
  std::vector<std::uint32_t>& starts = stage_->shallow;
  starts = {};
  mark_shallow(line, starts);
  line_ = line.data();
  size_ = line.size();
  count_ = starts.size();
  starts.insert(starts.end(), 2, static_cast<std::uint32_t>(size_));
  starts_ = starts.data();
  find_backslash(line_);
  return Ill::none;
}

void Tokens::find_backslash(const char* from) {
  const char* const end = line_ + size_;
  const void* found =
      from < end ? std::memchr(from, '\\', static_cast<std::size_t>(end - from)) : nullptr;
  backslash_ = found == nullptr ? end : static_cast<const char*>(found);
}

Flaw Tokens::check_escapes(const std::uint32_t* at) {
  const char* const begin = line_ + at[0];
  const char* const next = line_ + at[1];
  if (backslash_ < begin) find_backslash(begin);
  if (backslash_ >= next) return Flaw::none;
  find_backslash(next);
  const std::string_view whole = text(static_cast<std::size_t>(at - starts_));
  return jsonl::check_string(whole.substr(1, whole.size() - 2));
}

Flaw Tokens::check_word(const std::uint32_t* at) const {
  const std::string_view word = text(static_cast<std::size_t>(at - starts_));
  if (word == "true" || word == "false" || word == "null") return Flaw::none;
  return jsonl::check(word);
}

// The slow check runs for every token that is not a short number up to its end.
Flaw Tokens::check_number(const std::uint32_t* at) const {
  const char* const begin = line_ + at[0];
  const char* const next = line_ + at[1];
  if (is_plain_number(begin, next)) return Flaw::none;
  return jsonl::check(text(static_cast<std::size_t>(at - starts_)));
}

Flaw Tokens::check_scalar(const std::uint32_t* at) {
  const char c = line_[*at];
  if (c == '"') return backslash_ >= line_ + at[1] ? Flaw::none : check_escapes(at);
  if (is_digit(c) || c == '-') return check_number(at);
  return check_word(at);
}

Flaw Tokens::take(std::size_t& i, std::uint32_t depth, std::string_view& json) {
  const std::uint32_t* at = starts_ + i;
  const char c = line_[*at];
  if (c != '{' && c != '[') {
    json = text(i++);
    return check_scalar(at);
  }
  const char* const begin = line_ + *at;
  if (const Flaw flaw = check_nested(at, kDeepest - std::min(depth, kDeepest));
      flaw != Flaw::none) {
    return flaw;
  }
  i = static_cast<std::size_t>(at - starts_);
  json = {begin, line_ + at[-1] + 1};
  return Flaw::none;
}

// One loop and one bit per level: most bytes of nested values are checked here.
// NOLINTNEXTLINE(readability-function-cognitive-complexity)
Flaw Tokens::check_nested(const std::uint32_t*& token, std::uint32_t deepest) {
  std::array<std::uint64_t, (kDeepest + 63) / 64> objects;  // a bit for each level
  const char* const line = line_;
  const std::uint32_t* at = token;
  std::uint32_t level = 0;
  for (char c = line[*at];;) {
    // An object or array opens here.
    if (level == deepest) return Flaw::too_deep;
    bool in_object = c == '{';
    std::uint64_t& bits = objects[level / 64];
    const std::uint64_t bit = std::uint64_t{1} << (level % 64);
    bits = in_object ? bits | bit : bits & ~bit;
    ++level;
    ++at;
    bool is_empty = line[*at] == (in_object ? '}' : ']');
    for (;;) {
      if (!is_empty) {
        if (in_object) {
          if (line[at[0]] != '"' || line[at[1]] != ':') return Flaw::malformed;
          if (backslash_ < line + at[1]) {
            if (const Flaw flaw = check_escapes(at); flaw != Flaw::none) return flaw;
          }
          at += 2;
        }
        c = line[*at];
        if (c == '{' || c == '[') break;
        if (const Flaw flaw = check_scalar(at); flaw != Flaw::none) return flaw;
        ++at;
      }
      is_empty = false;
      while ((c = line[*at++]) != ',') {
        if (c != (in_object ? '}' : ']')) return Flaw::malformed;
        if (--level == 0) {
          token = at;
          return Flaw::none;
        }
        in_object = (objects[(level - 1) / 64] >> ((level - 1) % 64) & 1U) != 0;
      }
    }
  }
}

std::size_t Tokens::behind(std::size_t i) const {
  std::size_t level = 0;
  do {
    const char c = first(i++);
    if (c == '{' || c == '[') ++level;
    if (c == '}' || c == ']') --level;
  } while (level > 0);
  return i;
}

}  // namespace tidemill::jsonl
