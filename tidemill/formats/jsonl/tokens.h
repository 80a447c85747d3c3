// Tokens: finds where the tokens of one line of JSON begin, and checks that they form valid JSON.
//
//   {"a": [1, "x"], "b": null}
//   ^^  ^ ^^^ ^  ^^ ^  ^ ^   ^      one mark per token; a string has one, where it opens
//
// simdjson's first stage finds the marks, 64 bytes at a time, and also invalid bytes: invalid
// UTF-8, a control character in a string, a string without an end. Everything else is checked here,
// token by token: take() accepts exactly what RFC 8259 allows, so a value may be kept as its text.
// The inside of a string is checked again only if it contains a backslash.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>

#include "tidemill/formats/jsonl/characters.h"
#include "tidemill/formats/jsonl/grammar.h"

namespace tidemill::jsonl {

enum class Ill : std::uint8_t {
  none,
  not_utf8,
  control,   // a control character in a string
  no_token,  // a string without an end, or only blanks
  too_long,  // not enough memory
};

// One thread.
class Tokens {
 public:
  Tokens();
  ~Tokens();

  // Replaces the previous line. kPadding bytes after the line are read and not used; the first of
  // them must be a blank or NUL. If the result is not `none`, there are no tokens.
  [[nodiscard]] Ill index(std::string_view line);
  // The same for a long line, in memory that does not grow with the tokens inside the values of the
  // record: only the two brackets of an object or array in it are marked, and take() still returns
  // its text. The complete line is checked at once; if it is not JSON, the result is `no_token`.
  [[nodiscard]] Ill index_shallow(std::string_view line);

  [[nodiscard]] std::size_t count() const { return count_; }
  // The first byte of a token; after the last token a blank or NUL.
  [[nodiscard]] char first(std::size_t i) const { return line_[starts_[i]]; }
  [[nodiscard]] const char* begin(std::size_t i) const { return line_ + starts_[i]; }
  // The text up to the next token, without trailing blanks: a complete string, or what may be a
  // number or a word.
  [[nodiscard]] std::string_view text(std::size_t i) const {
    const char* const at = line_ + starts_[i];
    const char* end = line_ + starts_[i + 1];
    while (end > at && is_blank(end[-1])) --end;
    return {at, static_cast<std::size_t>(end - at)};
  }

  // The text between the quotes of a string.
  [[nodiscard]] std::string_view inside(std::size_t i) const {
    const std::string_view whole = text(i);
    return whole.size() < 2 ? std::string_view{} : whole.substr(1, whole.size() - 2);
  }

  // Checks the value that begins with token `i`, inside `depth` objects and arrays, sets `json` to
  // its text, and moves `i` past it.
  [[nodiscard]] Flaw take(std::size_t& i, std::uint32_t depth, std::string_view& json);

  // The token after the value that begins with token `i`, which must have passed take().
  [[nodiscard]] std::size_t behind(std::size_t i) const;

 private:
  struct Stage;
  void find_backslash(const char* from);
  [[nodiscard]] Flaw check_escapes(const std::uint32_t* at);
  [[nodiscard]] Flaw check_word(const std::uint32_t* at) const;
  [[nodiscard]] Flaw check_number(const std::uint32_t* at) const;
  [[nodiscard]] Flaw check_scalar(const std::uint32_t* at);
  [[nodiscard]] Flaw check_nested(const std::uint32_t*& token, std::uint32_t deepest);

  std::unique_ptr<Stage> stage_;
  const char* line_ = nullptr;
  std::size_t size_ = 0;
  const std::uint32_t* starts_ = nullptr;
  std::size_t count_ = 0;
  const char* backslash_ = nullptr;  // the first backslash after the last searched position
};

}  // namespace tidemill::jsonl
