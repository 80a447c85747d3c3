// Tokens: where the tokens of one line of JSON begin, and whether what they make up is JSON.
//
//   {"a": [1, "x"], "b": null}
//   ^^  ^ ^^^ ^  ^^ ^  ^ ^   ^      one mark a token; a string has one, where it opens
//
// simdjson's first stage finds the marks, 64 bytes at a time, and with them what is wrong with the
// bytes: no UTF-8, a control character in a string, a string without an end. Everything else is
// looked at here, token by token: take() passes exactly what RFC 8259 allows, so a value may be
// kept as the text it is. A string's inside is looked at again only if there is a backslash in it.
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
  no_token,  // a string without an end, or nothing but blanks
  too_long,  // there is no memory for it
};

// One thread.
class Tokens {
 public:
  Tokens();
  ~Tokens();

  // Takes the place of the line before. kPadding bytes behind it are read and not used; the first
  // of them is a blank or NUL. Not `none`: there are no tokens.
  [[nodiscard]] Ill index(std::string_view line);
  // The same for a long line, in memory that does not grow with the tokens inside the values of the
  // record: of an object or list in it only the two brackets are marked, and take() answers with
  // its text all the same. The line is found to be JSON at once; if it is not, the answer is
  // `no_token`.
  [[nodiscard]] Ill index_shallow(std::string_view line);

  [[nodiscard]] std::size_t count() const { return count_; }
  // The first byte of a token; behind the last one a blank or NUL.
  [[nodiscard]] char first(std::size_t i) const { return line_[starts_[i]]; }
  [[nodiscard]] const char* begin(std::size_t i) const { return line_ + starts_[i]; }
  // From there to the next token, without the blanks before it: all of a string, or of what may be
  // a number or a word.
  [[nodiscard]] std::string_view text(std::size_t i) const {
    const char* const at = line_ + starts_[i];
    const char* end = line_ + starts_[i + 1];
    while (end > at && is_blank(end[-1])) --end;
    return {at, static_cast<std::size_t>(end - at)};
  }

  // What is between the quotes of a string.
  [[nodiscard]] std::string_view inside(std::size_t i) const {
    const std::string_view whole = text(i);
    return whole.size() < 2 ? std::string_view{} : whole.substr(1, whole.size() - 2);
  }

  // Looks at the value that begins with token `i`, which lies in `depth` objects and lists, answers
  // with its text, and moves `i` behind it.
  [[nodiscard]] Flaw take(std::size_t& i, std::uint32_t depth, std::string_view& json);

  // Behind the value that begins with token `i`, which was found to be good.
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
  const char* backslash_ = nullptr;  // there is none between where was looked last and this one
};

}  // namespace tidemill::jsonl
