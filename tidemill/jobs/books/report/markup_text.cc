#include "tidemill/jobs/books/report/markup_text.h"

#include <algorithm>
#include <cstddef>

namespace tidemill::books {
namespace {

bool is_word(char byte) {
  return (byte >= '0' && byte <= '9') || (byte >= 'a' && byte <= 'z') ||
         (byte >= 'A' && byte <= 'Z') || static_cast<unsigned char>(byte) >= 0x80U;
}

std::string_view escaped(char byte) {
  switch (byte) {
    case '&':
      return "&amp;";
    case '<':
      return "&lt;";
    case '>':
      return "&gt;";
    case '"':
      return "&quot;";
    case '\'':
      return "&#39;";
    default:
      return {};
  }
}

// Whether text[at] is markup in Markdown or in the dialects that sites use.
bool is_sign(std::string_view text, std::size_t at) {
  const char before = at > 0 ? text[at - 1] : ' ';
  const std::string_view behind = text.substr(at + 1);
  const char after = behind.empty() ? ' ' : behind.front();
  switch (text[at]) {
    case '_':
      return !is_word(before) || !is_word(after);  // inside a word it is not markup
    case '&':
      return after == '#' || is_word(after);
    case ':':
      return behind.starts_with("//");  // would become a link to a place the book chooses
    case '.':
      return at >= 3 && text.substr(at - 3, 3) == "www";
    default:
      return std::string_view("\\`*[]<>|~$").contains(text[at]);
  }
}

std::size_t longest_run(std::string_view text, char sign) {
  std::size_t longest = 0;
  std::size_t run = 0;
  for (const char byte : text) {
    run = byte == sign ? run + 1 : 0;
    longest = std::max(longest, run);
  }
  return longest;
}

}  // namespace

std::string for_markup(std::string_view text) {
  std::string out;
  for (std::size_t at = 0; at < text.size(); ++at) {
    // Two characters that are valid in UTF-8 but not in XML.
    const std::string_view next = text.substr(at, 3);
    if (next == "\uFFFE" || next == "\uFFFF") {
      out += next == "\uFFFE" ? "\\u{fffe}" : "\\u{ffff}";
      at += 2;
      continue;
    }
    const std::string_view instead = escaped(text[at]);
    if (instead.empty()) {
      out.push_back(text[at]);
    } else {
      out += instead;
    }
  }
  return out;
}

std::string for_markdown(std::string_view text) {
  std::string out;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (is_sign(text, at)) out.push_back('\\');
    out.push_back(text[at]);
  }
  return out;
}

std::string code_span(std::string_view text, Within within) {
  if (text.empty()) return {};
  const std::string fence(longest_run(text, '`') + 1, '`');
  const auto is_at_edge = [&](char sign) { return text.front() == sign || text.back() == sign; };
  const std::string_view gap = is_at_edge('`') || is_at_edge(' ') ? " " : "";
  std::string out = fence;
  out += gap;
  for (const char byte : text) {
    if (byte == '|' && within == Within::table) out.push_back('\\');
    out.push_back(byte);
  }
  out += gap;
  return out + fence;
}

}  // namespace tidemill::books
