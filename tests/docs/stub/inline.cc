#include "tests/docs/stub/inline.h"

#include <algorithm>
#include <cctype>
#include <regex>

#include "tests/docs/stub/delimiters.h"
#include "tests/docs/stub/letters.h"
#include "tests/docs/stub/links.h"

namespace tidemill::docs_stub {
namespace {

using Tokens = std::vector<Token>;

class Reader {
 public:
  Reader(const std::string& text, const Rows& rows, const References& references)
      : text_(text), rows_(rows), references_(references) {}

  Tokens read() {
    while (at_ < text_.size()) {
      if (!read_special()) pending_ += text_[at_++];
    }
    flush();
    pair_up(tokens_, delimiters_);
    return join();
  }

 private:
  bool read_special() {
    switch (text_[at_]) {
      case '\n':
        return read_newline();
      case '\\':
        return read_escape();
      case '`':
        return read_code();
      case '*':
        return read_run(1);
      case '_':
        return rows_.whole && read_run(1);  // else a literal _x_ stays what it is
      case '~':
      case '=':
        return read_run(2);
      case '!':
        return at_ + 1 < text_.size() && text_[at_ + 1] == '[' && read_link(true);
      case '[':
        return read_link(false);
      case '<':
        return read_autolink();
      case '&':
        return read_reference();
      default:
        return false;
    }
  }

  void flush() {
    if (!pending_.empty()) tokens_.push_back({.text = std::exchange(pending_, {})});
  }

  void push(Token token) {
    flush();
    tokens_.push_back(std::move(token));
  }

  bool read_newline() {
    const auto kept = pending_.find_last_not_of(' ');
    const auto blanks = pending_.size() - (kept == std::string::npos ? 0 : kept + 1);
    pending_.resize(pending_.size() - blanks);
    push({.kind = blanks >= 2 ? Token::Kind::hard_break : Token::Kind::soft_break});
    skip_indent();
    return true;
  }

  void skip_indent() {
    ++at_;
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\t')) ++at_;
  }

  bool read_escape() {
    if (at_ + 1 == text_.size()) return false;
    const char next = text_[at_ + 1];
    if (next == '\n') {
      push({.kind = Token::Kind::hard_break});
      ++at_;
      skip_indent();
      return true;
    }
    const bool is_dropped = is_ascii_punctuation(next) && rows_.escapes;
    std::string letters = is_dropped ? "" : "\\";
    at_ += 2;
    letters += next;
    while (at_ < text_.size() && (static_cast<unsigned char>(text_[at_]) & 0xC0U) == 0x80U) {
      letters += text_[at_++];
    }
    push({.kind = Token::Kind::special, .text = letters});
    return true;
  }

  bool read_code() {
    const auto begin = std::min(text_.find_first_not_of('`', at_), text_.size());
    const auto length = begin - at_;
    const auto end = end_of_code(text_, begin, length);
    if (end == std::string::npos) {
      pending_ += text_.substr(at_, length);
      at_ = begin;
      return true;
    }
    std::string code = text_.substr(begin, end - length - begin);
    std::ranges::replace(code, '\n', ' ');
    const bool has_letters = code.find_first_not_of(' ') != std::string::npos;
    if (has_letters && code.size() > 2 && code.front() == ' ' && code.back() == ' ') {
      code = code.substr(1, code.size() - 2);
    }
    push({.kind = Token::Kind::code, .text = code});
    at_ = end;
    return true;
  }

  // Of `width` letters a delimiter; what is left over stands in front.
  bool read_run(std::size_t width) {
    const Run run = run_at(text_, at_);
    if (run.length < width) return false;
    const char marker = text_[at_];
    at_ += run.length;
    std::size_t left = run.length;
    if (left % width != 0) {
      push({.text = std::string(1, marker)});
      --left;
    }
    for (; left > 0; left -= width) {
      push({.text = std::string(width, marker)});
      delimiters_.push_back({.marker = marker,
                             .run = width == 1 ? run.length : 0,
                             .token = tokens_.size() - 1,
                             .opens = run.opens,
                             .closes = run.closes});
    }
    return true;
  }

  bool read_link(bool is_image) {
    const std::size_t begin = at_ + (is_image ? 1 : 0);
    const auto end = end_of_label(text_, begin);
    if (end == std::string::npos) return false;
    const std::string label = text_.substr(begin + 1, end - begin - 1);
    std::size_t after = end + 1;
    Link link;
    if (!read_target(after, link) && !read_label(label, end + 1, after, link)) return false;
    if (is_image) {
      push({.kind = Token::Kind::image, .text = label, .mark = {.value = link.address}});
    } else {
      const Mark mark{.kind = Mark::Kind::link, .value = link.address, .title = link.title};
      push({.kind = Token::Kind::open, .mark = mark});
      for (auto& token : Reader(label, rows_, references_).read()) push(std::move(token));
      push({.kind = Token::Kind::close, .mark = mark});
    }
    at_ = after;
    return true;
  }

  bool read_target(std::size_t& after, Link& link) {
    if (after >= text_.size() || text_[after] != '(') return false;
    std::size_t at = after + 1;
    at = std::min(text_.find_first_not_of(" \t\n", at), text_.size());
    if (at < text_.size() && text_[at] != ')' && !read_destination(text_, at, link)) return false;
    at = std::min(text_.find_first_not_of(" \t\n", at), text_.size());
    if (at >= text_.size() || text_[at] != ')') return false;
    after = at + 1;
    return true;
  }

  bool read_label(const std::string& label, std::size_t at, std::size_t& after, Link& link) {
    std::string wanted = label;
    after = at;
    if (at < text_.size() && text_[at] == '[') {
      const auto end = end_of_label(text_, at);
      if (end != std::string::npos) {
        if (end > at + 1) wanted = text_.substr(at + 1, end - at - 1);
        after = end + 1;
      }
    }
    const auto found = references_.find(label_of(wanted));
    if (found == references_.end()) return false;
    link = found->second;
    return true;
  }

  bool read_autolink() {
    static const std::regex kAddress(R"(<([A-Za-z][A-Za-z0-9+.\-]{1,31}:[^<>\x01-\x20]*)>)");
    static const std::regex kMail(R"(<([A-Za-z0-9.!#$%&'*+/=?^_`{|}~\-]+@[A-Za-z0-9.\-]+)>)");
    std::smatch found;
    const auto begin = text_.begin() + static_cast<std::ptrdiff_t>(at_);
    constexpr auto kHere = std::regex_constants::match_continuous;
    const bool is_address = std::regex_search(begin, text_.end(), found, kAddress, kHere);
    if (!is_address && !std::regex_search(begin, text_.end(), found, kMail, kHere)) return false;
    const std::string letters = found[1];
    const Mark mark{.kind = Mark::Kind::link,
                    .value = encoded(is_address ? letters : "mailto:" + letters)};
    push({.kind = Token::Kind::open, .mark = mark});
    push({.text = letters});
    push({.kind = Token::Kind::close, .mark = mark});
    at_ += letters.size() + 2;
    return true;
  }

  bool read_reference() {
    std::string decoded;
    if (!rows_.escapes || !read_entity(text_, at_, decoded)) return false;
    push({.kind = Token::Kind::special, .text = decoded});
    return true;
  }

  Tokens join() {
    Tokens joined;
    for (auto& token : tokens_) {
      const bool is_text = token.kind == Token::Kind::text;
      if (is_text && token.text.empty()) continue;
      if (is_text && !joined.empty() && joined.back().kind == Token::Kind::text) {
        joined.back().text += token.text;
      } else {
        joined.push_back(std::move(token));
      }
    }
    return joined;
  }

  const std::string& text_;
  const Rows& rows_;
  const References& references_;
  std::size_t at_ = 0;
  std::string pending_;
  Tokens tokens_;
  std::vector<Delimiter> delimiters_;
};

// A backslash and an n that no other backslash stands before; npos: none.
std::size_t find_break(const std::string& text, std::size_t from) {
  auto at = text.find("\\n", from);
  while (at != std::string::npos && at > 0 && text[at - 1] == '\\') at = text.find("\\n", at + 2);
  return at;
}

const std::regex& break_tag() {
  static const std::regex kTag(R"(<br\s*/?>)", std::regex::icase);
  return kTag;
}

// How hard breaks are written is also how they are read, in text that is not code.
Tokens with_breaks(const std::string& raw, Tokens tokens) {
  if (find_break(raw, 0) == std::string::npos && !std::regex_search(raw, break_tag())) {
    return tokens;
  }
  Tokens result;
  for (auto& token : tokens) {
    const bool is_text = token.kind == Token::Kind::text || token.kind == Token::Kind::special;
    const std::string text =
        is_text ? std::regex_replace(token.text, break_tag(), "\\n") : std::string();
    if (!is_text || find_break(text, 0) == std::string::npos) {
      result.push_back(std::move(token));
      continue;
    }
    std::size_t from = 0;
    for (auto at = find_break(text, 0); at != std::string::npos; at = find_break(text, from)) {
      result.push_back({.text = trimmed(text.substr(from, at - from))});
      result.push_back({.kind = Token::Kind::hard_break});
      from = at + 2;
    }
    result.push_back({.text = trimmed(text.substr(from))});
  }
  return result;
}

const std::regex& box() {
  static const std::regex kBox(R"(\[([Xx_\-\s])\]\s)");
  return kBox;
}

// The box goes, and what stands before it. The server writes "undefined" for a text of its own that
// has nothing behind the box, if more text follows.
void drop_box(Tokens& tokens) {
  std::smatch found;
  if (tokens.empty() || tokens[0].kind != Token::Kind::text) return;
  const std::string text = tokens[0].text;
  if (!std::regex_search(text, found, box())) return;
  tokens[0].text = found.suffix();
  const bool is_followed = tokens.size() > 1 && tokens[1].kind == Token::Kind::special;
  if (tokens[0].text.empty() && is_followed) tokens[0].text = "undefined";
}

void open_mark(std::vector<Mark>& marks, const Mark& mark) {
  std::erase_if(marks, [&](const Mark& other) { return other.kind == mark.kind; });
  const auto place =
      std::ranges::find_if(marks, [&](const Mark& other) { return other.kind > mark.kind; });
  marks.insert(place, mark);
}

void close_mark(std::vector<Mark>& marks, Mark::Kind kind) {
  std::erase_if(marks, [&](const Mark& other) { return other.kind == kind; });
}

std::vector<Span> spans_of(const Tokens& tokens, bool joins) {
  std::vector<Span> spans;
  std::vector<Mark> marks;
  for (const auto& token : tokens) {
    using Kind = Token::Kind;
    switch (token.kind) {
      case Kind::open:
        open_mark(marks, token.mark);
        break;
      case Kind::close:
        close_mark(marks, token.mark.kind);
        break;
      case Kind::code:
        open_mark(marks, {.kind = Mark::Kind::code});
        add_span(spans, {.text = token.text, .marks = marks});
        close_mark(marks, Mark::Kind::code);
        break;
      case Kind::hard_break:
        add_span(spans, {.kind = Span::Kind::hard_break, .marks = marks});
        break;
      case Kind::image:
        add_span(spans, {.kind = Span::Kind::image,
                         .text = "![" + token.text + "](" + token.mark.value + ")",
                         .marks = marks});
        break;
      case Kind::soft_break:
        add_span(spans, {.text = joins ? " " : "\n", .marks = marks});
        break;
      case Kind::text:
      case Kind::special:
        add_span(spans, {.text = token.text, .marks = marks});
        break;
    }
  }
  return spans;
}

}  // namespace

void add_span(std::vector<Span>& spans, Span span) {
  if (span.kind == Span::Kind::text) {
    if (span.text.empty()) return;
    if (!spans.empty() && spans.back().kind == Span::Kind::text &&
        spans.back().marks == span.marks) {
      spans.back().text += span.text;
      return;
    }
  }
  spans.push_back(std::move(span));
}

bool has_box(const std::string& raw, bool& is_ticked) {
  std::smatch found;
  if (!std::regex_search(raw, found, box())) return false;
  is_ticked = found[1] == "x" || found[1] == "X";
  return true;
}

InlineText read_inline(const std::string& raw, const Rows& rows, const References& references,
                       bool is_task) {
  Tokens tokens = Reader(raw, rows, references).read();
  if (is_task) drop_box(tokens);
  if (rows.breaks) tokens = with_breaks(raw, std::move(tokens));
  InlineText text;
  text.empties = static_cast<int>(std::erase_if(tokens, [](const Token& token) {
    return token.kind == Token::Kind::text && token.text == "\\";
  }));
  text.has_rest = text.empties == 0 || !tokens.empty();
  text.spans = spans_of(tokens, rows.joins);
  return text;
}

}  // namespace tidemill::docs_stub
