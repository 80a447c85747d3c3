#include "tidemill/formats/xml/prolog.h"

#include <string>

namespace tidemill::xml {
namespace {

using Mark = Prolog::Mark;

Mark mark_of(std::string_view head) {
  using namespace std::string_view_literals;
  if (head.starts_with("\x00\x00\xfe\xff"sv) || head.starts_with("\xff\xfe\x00\x00"sv)) {
    return Mark::utf32;
  }
  if (head.starts_with("\xff\xfe")) return Mark::utf16le;
  if (head.starts_with("\xfe\xff")) return Mark::utf16be;
  if (head.starts_with("\xef\xbb\xbf")) return Mark::utf8;
  return Mark::none;
}

// A document begins with '<': the position of the zeros around it shows the character width.
Mark look_of(std::string_view head) {
  using namespace std::string_view_literals;
  if (head.starts_with("\0\0\0<"sv) || head.starts_with("<\0\0\0"sv)) return Mark::utf32;
  if (head.starts_with("<\0"sv)) return Mark::utf16le;
  if (head.starts_with("\0<"sv)) return Mark::utf16be;
  return Mark::none;
}

// The declaration is ASCII in every encoding: dropping the zeros and the mark leaves its text.
std::string plain(std::string_view head) {
  std::string text;
  for (const char byte : head.substr(0, 512)) {
    if (byte > 0) text.push_back(byte);
  }
  return text;
}

bool is_space(char byte) { return byte == ' ' || byte == '\t' || byte == '\r' || byte == '\n'; }

// The value of version= or encoding= in the declaration.
std::string value_in(std::string_view declaration, std::string_view name) {
  std::size_t at = declaration.find(name);
  if (at == std::string_view::npos || at == 0 || !is_space(declaration[at - 1])) return {};
  at += name.size();
  while (at < declaration.size() && (is_space(declaration[at]) || declaration[at] == '=')) ++at;
  if (at >= declaration.size() || (declaration[at] != '"' && declaration[at] != '\'')) return {};
  const std::size_t end = declaration.find(declaration[at], at + 1);
  if (end == std::string_view::npos) return {};
  return std::string(declaration.substr(at + 1, end - at - 1));
}

std::string lowered(std::string text) {
  for (char& c : text) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
  return text;
}

}  // namespace

Prolog prolog_of(std::string_view head) {
  Prolog prolog{.mark = mark_of(head), .looks_like = look_of(head)};
  const std::string text = plain(head);
  if (!text.starts_with("<?xml") || text.size() < 6 || !is_space(text[5])) return prolog;
  const std::string_view declaration = std::string_view(text).substr(0, text.find("?>"));
  prolog.version = value_in(declaration, "version");
  prolog.declared_encoding = value_in(declaration, "encoding");
  return prolog;
}

bool is_utf8(const Prolog& prolog) {
  if (prolog.mark != Mark::none) return prolog.mark == Mark::utf8;
  if (prolog.looks_like != Mark::none) return false;
  return prolog.declared_encoding.empty() || lowered(prolog.declared_encoding) == "utf-8";
}

bool names_no_encoding(const Prolog& prolog) {
  if (prolog.mark != Mark::none || prolog.looks_like != Mark::none) return false;
  const std::string declared = lowered(prolog.declared_encoding);
  return declared == "utf8" || declared == "utf16";
}

}  // namespace tidemill::xml
