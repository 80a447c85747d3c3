// CSS as a stream of tokens with line and column. One pass over the text, nothing is copied; the
// text must outlive the tokens.
//
// How it fails: any bytes are tokens; what is broken in one (an open string, an open comment) is
// its problem.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "tidemill/formats/xml/reader.h"

namespace tidemill::epub {

struct CssToken {
  enum class Kind : std::uint8_t {
    end,
    space,
    comment,
    ident,
    function,    // text is without the bracket
    at_keyword,  // text is with the @
    number,      // with or without a unit
    percentage,
    string,  // text is without the quotes, escapes as written
    url,     // text is what is in the brackets, without quotes
    hash,
    class_name,  // text is with the dot
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

// One thread. A value: a copy is a second reader at the same place.
class CssTokens {
 public:
  explicit CssTokens(std::string_view css, xml::Position start = {.line = 1, .column = 1});

  [[nodiscard]] const CssToken& peek() const { return ahead_; }
  CssToken next();
  // In the block that begins here, a block comes before a ';' or the end: it holds rules, not
  // declarations.
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
  [[nodiscard]] bool scan_sign(CssToken& token);  // what is made of several signs

  std::string_view css_;
  std::size_t here_ = 0;
  xml::Position position_;
  CssToken ahead_;
};

}  // namespace tidemill::epub
