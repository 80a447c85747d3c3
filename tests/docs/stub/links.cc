#include "tests/docs/stub/links.h"

#include <algorithm>
#include <cctype>
#include <regex>
#include <string_view>

#include "tests/docs/stub/inline.h"
#include "tests/docs/stub/letters.h"

namespace tidemill::docs_stub {
namespace {

std::string unescaped(const std::string& text) {
  std::string result;
  for (std::size_t at = 0; at < text.size();) {
    if (text[at] == '\\' && at + 1 < text.size() && is_ascii_punctuation(text[at + 1])) {
      result += text[at + 1];
      at += 2;
    } else if (text[at] != '&' || !read_entity(text, at, result)) {
      result += text[at++];
    }
  }
  return result;
}

}  // namespace

std::string encoded(const std::string& address) {
  constexpr std::string_view kKept = ";/?:@&=+$,-_.!~*'()#%";
  constexpr std::string_view kDigits = "0123456789ABCDEF";
  std::string result;
  for (const char c : address) {
    const auto byte = static_cast<unsigned char>(c);
    if (std::isalnum(byte) != 0 || kKept.find(c) != std::string_view::npos) {
      result += c;
    } else {
      result += {'%', kDigits[byte >> 4U], kDigits[byte & 15U]};
    }
  }
  return result;
}

std::size_t end_of_code(const std::string& text, std::size_t at, std::size_t length) {
  while ((at = text.find('`', at)) != std::string::npos) {
    const auto end = std::min(text.find_first_not_of('`', at), text.size());
    if (end - at == length) return end;
    at = end;
  }
  return at;
}

std::size_t end_of_label(const std::string& text, std::size_t at) {
  int depth = 0;
  for (; at < text.size(); ++at) {
    if (text[at] == '\\') {
      ++at;
    } else if (text[at] == '`') {
      const auto run = std::min(text.find_first_not_of('`', at), text.size()) - at;
      const auto end = end_of_code(text, at + run, run);
      at = (end == std::string::npos ? at + run : end) - 1;
    } else if (text[at] == '[') {
      ++depth;
    } else if (text[at] == ']' && --depth == 0) {
      return at;
    }
  }
  return std::string::npos;
}

std::string label_of(const std::string& text) {
  std::string label;
  for (const char c : ascii_trimmed(text)) {
    if (c != ' ' && c != '\t' && c != '\n') {
      label += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    } else if (label.back() != ' ') {
      label += ' ';
    }
  }
  return label;
}

bool read_destination(const std::string& text, std::size_t& at, Link& link) {
  static const std::regex kAddress(R"(<([^<>\n]*)>|((?:\\[^ \n]|[^ \t\n()<\\]|\([^ \t\n()]*\))+))");
  static const std::regex kTitle(
      R"~([ \t\n]+("((?:\\.|[^"\\])*)"|'((?:\\.|[^'\\])*)'|\(([^()]*)\)))~");
  constexpr auto kHere = std::regex_constants::match_continuous;
  std::smatch found;
  auto from = text.begin() + static_cast<std::ptrdiff_t>(at);
  if (!std::regex_search(from, text.end(), found, kAddress, kHere)) return false;
  link.address = encoded(unescaped(found[1].matched ? found[1] : found[2]));
  at += static_cast<std::size_t>(found.length());
  from = text.begin() + static_cast<std::ptrdiff_t>(at);
  if (std::regex_search(from, text.end(), found, kTitle, kHere)) {
    link.title = unescaped(found[2].str() + found[3].str() + found[4].str());
    at += static_cast<std::size_t>(found.length());
  }
  return true;
}

}  // namespace tidemill::docs_stub
