#include "tidemill/formats/epub/css/tokens.h"

#include <algorithm>

#include "tidemill/formats/epub/words.h"

namespace tidemill::epub {
namespace {

using Kind = CssToken::Kind;

bool is_newline(char c) { return c == '\n' || c == '\r' || c == '\f'; }
bool is_css_name_character(char c) { return is_name_start(c) || is_digit(c) || c == '-'; }

std::string_view trimmed_url(std::string_view url) {
  const auto is_skipped = [](char c) { return is_space(c) || c == '"' || c == '\''; };
  while (!url.empty() && is_skipped(url.front())) url.remove_prefix(1);
  while (!url.empty() && is_skipped(url.back())) url.remove_suffix(1);
  return url;
}

}  // namespace

CssTokens::CssTokens(std::string_view css, xml::Position start) : css_(css), position_(start) {
  ahead_ = scan();
}

CssToken CssTokens::next() {
  CssToken token = ahead_;
  ahead_ = scan();
  return token;
}

bool CssTokens::has_rules_ahead() const {
  CssTokens copy = *this;
  while (true) {
    const CssToken token = copy.next();
    if (token.is('{')) return true;
    if (token.kind == Kind::end || token.is(';') || token.is('}')) return false;
  }
}

char CssTokens::at(std::size_t offset) const {
  return here_ + offset < css_.size() ? css_[here_ + offset] : '\0';
}

bool CssTokens::has_escape(std::size_t offset) const {
  return at(offset) == '\\' && here_ + offset + 1 < css_.size() && !is_newline(at(offset + 1));
}

bool CssTokens::starts_name(std::size_t offset) const {
  return is_name_start(at(offset)) || has_escape(offset);
}

void CssTokens::skip(std::size_t count) {
  const std::size_t end = std::min(here_ + count, css_.size());
  for (; here_ < end; ++here_) {
    const char c = css_[here_];
    if (c == '\n' || c == '\f' || (c == '\r' && at(1) != '\n')) {
      ++position_.line;
      position_.column = 1;
    } else if (c != '\r' && (static_cast<unsigned char>(c) & 0xC0U) != 0x80U) {
      ++position_.column;
    }
  }
}

// Names: letters, and escapes of up to six digits with one white space after them.
void CssTokens::skip_name() {
  while (true) {
    if (is_css_name_character(at(0))) {
      skip(1);
    } else if (has_escape(0)) {
      skip(1);
      if (!is_hex_digit(at(0))) {
        skip(1);
        continue;
      }
      for (int digits = 0; digits < 6 && is_hex_digit(at(0)); ++digits) skip(1);
      if (is_space(at(0))) skip(1);
    } else {
      return;
    }
  }
}

// "!" with any white space before "important".
bool CssTokens::skip_important() {
  constexpr std::string_view kWord = "important";
  std::size_t offset = 1;
  while (is_space(at(offset))) ++offset;
  if (here_ + offset > css_.size()) return false;
  if (!same_in_any_case(css_.substr(here_ + offset, kWord.size()), kWord)) return false;
  skip(offset + kWord.size());
  return true;
}

void CssTokens::scan_comment(CssToken& token) {
  token.kind = Kind::comment;
  const auto end = css_.find("*/", here_ + 2);
  if (end == std::string_view::npos) {
    token.problem = "a comment is not terminated";
    skip(css_.size() - here_);
  } else {
    skip(end + 2 - here_);
  }
}

void CssTokens::scan_string(CssToken& token) {
  token.kind = Kind::string;
  const char quote = at(0);
  skip(1);
  const std::size_t start = here_;
  while (here_ < css_.size()) {
    const char c = at(0);
    if (c == quote) {
      token.text = css_.substr(start, here_ - start);
      skip(1);
      return;
    }
    if (is_newline(c)) {
      token.problem = "a string has a line break";
      token.text = css_.substr(start, here_ - start);
      while (here_ < css_.size() && at(0) != ';' && at(0) != '}' && at(0) != '{') skip(1);
      return;
    }
    skip(c == '\\' ? (at(1) == '\r' && at(2) == '\n' ? 3 : 2) : 1);
  }
  token.problem = "a string is not terminated";
  token.text = css_.substr(start, here_ - start);
}

void CssTokens::scan_url(CssToken& token) {
  token.kind = Kind::url;
  skip(4);
  while (is_space(at(0))) skip(1);
  if (at(0) == '"' || at(0) == '\'') {
    CssToken inner;
    scan_string(inner);
    token.text = trimmed_url(inner.text);
    token.problem = inner.problem;
    while (is_space(at(0))) skip(1);
    if (here_ == css_.size()) {
      token.problem = "a url( is not closed";
      return;
    }
    if (at(0) != ')' && token.problem.empty())
      token.problem = "a url( has something after its string";
    skip(1);
    return;
  }
  const std::size_t start = here_;
  // A ')' directly after "url(" counts as the first character of the URL.
  const std::size_t from = here_ + (at(0) == ')' ? 1 : 0);
  const std::size_t end = std::min(css_.find(')', from), css_.size());
  if (end == css_.size()) token.problem = "a url( is not closed";
  token.text = trimmed_url(css_.substr(start, end - start));
  skip(end - here_ + 1);
}

void CssTokens::scan_number(CssToken& token) {
  token.kind = Kind::number;
  skip(1);
  while (is_digit(at(0)) || (at(0) == '.' && is_digit(at(1)))) skip(1);
  if (at(0) == '%') {
    skip(1);
    token.kind = Kind::percentage;
  } else if (starts_name(0)) {
    skip_name();
  }
}

void CssTokens::scan_range(CssToken& token) {
  token.kind = Kind::range;
  skip(2);
  std::size_t digits = 0;
  while (is_hex_digit(at(0)) || at(0) == '?' || at(0) == '-') {
    digits = at(0) == '-' ? 0 : digits + 1;
    if (digits == 7) token.problem = "a character escape has more than six digits";
    skip(1);
  }
}

bool CssTokens::scan_word(CssToken& token) {
  const char c = at(0);
  if (lower(c) == 'u' && same_in_any_case(css_.substr(here_, 4), "url(")) {
    scan_url(token);
    return true;
  }
  if (lower(c) == 'u' && at(1) == '+' && (is_hex_digit(at(2)) || at(2) == '?')) {
    scan_range(token);
    return true;
  }
  if (starts_name(0) || (c == '-' && (starts_name(1) || at(1) == '-'))) {
    const std::size_t start = here_;
    skip_name();
    token.kind = Kind::ident;
    token.text = css_.substr(start, here_ - start);
    if (at(0) == '(') {
      token.kind = Kind::function;
      skip(1);
    }
    return true;
  }
  Kind kind = Kind::end;
  if (c == '@' && (starts_name(1) || (at(1) == '-' && starts_name(2)))) kind = Kind::at_keyword;
  if (c == '#' && (is_css_name_character(at(1)) || has_escape(1))) kind = Kind::hash;
  if (c == '.' && (is_css_name_character(at(1)) || has_escape(1)) && !is_digit(at(1)))
    kind = Kind::class_name;
  if (kind == Kind::end) return false;
  token.kind = kind;
  const std::size_t start = here_;
  skip(1);
  skip_name();
  token.text = css_.substr(start, here_ - start);
  return true;
}

bool CssTokens::scan_sign(CssToken& token) {
  const char c = at(0);
  const std::string_view rest = css_.substr(here_);
  if (rest.starts_with("/*")) {
    scan_comment(token);
  } else if (rest.starts_with("-->")) {
    token.kind = Kind::html_comment;
    skip(3);
  } else if (rest.starts_with("<!--")) {
    token.kind = Kind::html_comment;
    skip(4);
  } else if (is_digit(c) || ((c == '.' || c == '+' || c == '-') && is_digit(at(1))) ||
             ((c == '+' || c == '-') && at(1) == '.' && is_digit(at(2)))) {
    scan_number(token);
  } else if (c == '"' || c == '\'') {
    scan_string(token);
  } else if (c == '!' && skip_important()) {
    token.kind = Kind::important;
  } else if (at(1) == '=' && std::string_view("~|^$*").find(c) != std::string_view::npos) {
    token.kind = Kind::match;
    skip(2);
  } else {
    return false;
  }
  return true;
}

CssToken CssTokens::scan() {
  CssToken token{.at = position_};
  if (here_ >= css_.size()) return token;
  const std::size_t start = here_;
  if (is_space(at(0))) {
    token.kind = Kind::space;
    while (is_space(at(0))) skip(1);
  } else if (!scan_sign(token) && !scan_word(token)) {
    token.kind = Kind::mark;
    token.text = css_.substr(here_, 1);
    skip(1);
  }
  if (token.text.data() == nullptr) token.text = css_.substr(start, here_ - start);
  return token;
}

}  // namespace tidemill::epub
