// CSS tokenizer: a stream of tokens with line and column. Reads the text once and copies nothing;
// the text must outlive the tokens.
//
// Never fails: any bytes yield tokens; CssToken::problem describes a broken token (an unterminated
// string or comment).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "tidemill/formats/xml/xml_reader.h"

namespace tidemill::epub {

struct CssToken {
  enum class Kind : std::uint8_t {
    end,
    space,
    comment,
    ident,
    function,    // text excludes the bracket
    at_keyword,  // text includes the @
    number,      // with or without a unit
    percentage,
    string,  // text excludes the quotes; escapes as written
    url,     // text is the content of the brackets, without quotes
    hash,
    class_name,  // text includes the dot
    range,       // U+26
    match,       // ~= |= ^= $= *=
    important,
    html_comment,  // <!-- or -->
    mark,          // any other character
  };
  Kind kind = Kind::end;
  std::string_view text{};
  xml::Position at{};
  std::string_view problem{};  // empty: none

  [[nodiscard]] bool is(char mark) const {
    return kind == Kind::mark && text.size() == 1 && text.front() == mark;
  }
};

// One thread. A value: a copy is an independent reader at the same position.
class CssTokens {
 public:
  explicit CssTokens(std::string_view css, xml::Position start = {.line = 1, .column = 1});

  [[nodiscard]] const CssToken& peek() const { return ahead_; }
  CssToken next();
  // True if a nested block comes before any ';' or the end of the block that begins here: the block
  // contains rules, not declarations.
  [[nodiscard]] bool has_rules_ahead() const;

 private:
  [[nodiscard]] char at(std::size_t offset) const;  // 0 past the end
  [[nodiscard]] bool has_escape(std::size_t offset) const;
  [[nodiscard]] bool starts_name(std::size_t offset) const;
  void skip(std::size_t count);
  void skip_name();
  [[nodiscard]] bool skip_important();

  [[nodiscard]] CssToken scan();
  void scan_comment(CssToken& token);
  void scan_string(CssToken& token);
  void scan_url(CssToken& token);
  void scan_number(CssToken& token);
  void scan_range(CssToken& token);
  [[nodiscard]] bool scan_word(CssToken& token);  // idents, functions, names with a sign
  [[nodiscard]] bool scan_sign(CssToken& token);  // tokens of several punctuation characters

  std::string_view css_;
  std::size_t here_ = 0;
  xml::Position position_;
  CssToken ahead_;
};

}  // namespace tidemill::epub
