#include "tidemill/formats/epub/repair/xml_edit.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <utility>

#include "tidemill/formats/epub/css/encoding.h"
#include "tidemill/formats/epub/words.h"
#include "tidemill/formats/text/utf8.h"
#include "tidemill/formats/xml/html_entity.h"

namespace tidemill::epub {
namespace {

constexpr std::size_t kLongestLine = 400;  // bytes shown of a line

void append_resolved(std::string_view text, std::string& out) {
  while (!text.empty()) {
    const std::size_t sign = std::min(text.find('&'), text.size());
    out.append(text.substr(0, sign));
    text.remove_prefix(sign);
    if (text.empty()) return;
    const std::size_t end = text.substr(0, 40).find(';');
    const std::uint32_t code =
        end == std::string_view::npos ? 0 : character_of(text.substr(1, end - 1));
    if (code == 0) {
      out.push_back('&');
      text.remove_prefix(1);
    } else {
      text::append_utf8(code, out);
      text.remove_prefix(end + 1);
    }
  }
}

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    lines.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

std::string shown(char sign, std::string_view line) {
  if (line.ends_with('\r')) line.remove_suffix(1);
  std::string text(1, sign);
  text += line.substr(0, kLongestLine);
  if (line.size() > kLongestLine) text += "...";
  return text + "\n";
}

}  // namespace

std::uint32_t character_of(std::string_view name) {
  using Known = std::pair<std::string_view, std::uint32_t>;
  static constexpr std::array kXml = {Known("amp", '&'), Known("lt", '<'), Known("gt", '>'),
                                      Known("quot", '"'), Known("apos", '\'')};
  for (const auto& [known, code] : kXml) {
    if (known == name) return code;
  }
  if (name.starts_with('#')) {
    name.remove_prefix(1);
    const bool is_hex = name.starts_with('x') || name.starts_with('X');
    if (is_hex) name.remove_prefix(1);
    std::uint32_t code = 0;
    const char* end = name.data() + name.size();
    const auto read = std::from_chars(name.data(), end, code, is_hex ? 16 : 10);
    return read.ptr == end && code <= 0x10ffff ? code : 0;
  }
  return xml::html_entity(name);
}

void XmlEdit::replace(Span span, std::string text) {
  changes_.push_back({.span = span, .text = std::move(text)});
}

std::string XmlEdit::applied() const {
  std::vector<const Replacement*> order;
  for (const Replacement& change : changes_) order.push_back(&change);
  // Changes at the same place keep the order of the calls, which is their order in memory.
  std::ranges::sort(order, {},
                    [](const Replacement* one) { return std::pair(one->span.begin, one); });
  std::string text;
  std::size_t at = 0;
  for (const Replacement* change : order) {
    if (change->span.begin < at) continue;
    text += document_.substr(at, change->span.begin - at);
    text += change->text;
    at = change->span.end;
  }
  return text += document_.substr(at);
}

// Omits the common lines at both ends and shows the lines between: changes that are far apart form
// one block, which `most` truncates.
std::string XmlEdit::diff(std::size_t most) const {
  const std::string changed = applied();
  const auto before = lines_of(document_);
  const auto after = lines_of(changed);
  std::string text;
  std::size_t shown_lines = 0;
  std::size_t old_at = 0;
  std::size_t new_at = 0;
  const bool is_line_by_line = before.size() == after.size();
  const auto add = [&](char sign, std::string_view line) {
    if (++shown_lines <= most) text += shown(sign, line);
  };
  if (is_line_by_line) {
    for (; old_at < before.size(); ++old_at) {
      if (before[old_at] == after[old_at]) continue;
      add('-', before[old_at]);
      add('+', after[old_at]);
    }
  } else {
    while (old_at < before.size() && new_at < after.size() && before[old_at] == after[new_at]) {
      ++old_at;
      ++new_at;
    }
    std::size_t old_end = before.size();
    std::size_t new_end = after.size();
    while (old_end > old_at && new_end > new_at && before[old_end - 1] == after[new_end - 1]) {
      --old_end;
      --new_end;
    }
    if (old_at > 0) add(' ', before[old_at - 1]);
    for (; old_at < old_end; ++old_at) add('-', before[old_at]);
    for (; new_at < new_end; ++new_at) add('+', after[new_at]);
  }
  if (shown_lines > most) {
    text += "... " + std::to_string(shown_lines - most) + " more lines\n";
  }
  return text;
}

std::string text_of_document(std::string_view document) {
  std::string text;
  for (const Scanned& piece : scan(document)) {
    if (piece.kind == Scanned::Kind::text) append_resolved(piece.whole.in(document), text);
    if (piece.kind == Scanned::Kind::cdata) {
      text += document.substr(piece.whole.begin + 9, piece.whole.end - piece.whole.begin - 12);
    }
  }
  return text;
}

namespace {

// By the byte order mark; nullopt: not UTF-16.
std::optional<CssEncoding> utf16_of(std::string_view document) {
  if (document.starts_with("\xff\xfe")) return CssEncoding{.name = "utf-16le", .mark = 2};
  if (document.starts_with("\xfe\xff")) return CssEncoding{.name = "utf-16be", .mark = 2};
  return std::nullopt;
}

// Bytes 80 to 9F are control characters in ISO-8859-1, but letters and quotes in windows-1252.
bool is_certain(std::string_view document) {
  for (const char byte : document) {
    const auto code = static_cast<unsigned char>(byte);
    if (code >= 0x80 && code < 0xa0) return false;
  }
  return true;
}

bool is_declared_latin1(std::string_view document) {
  if (!document.starts_with("<?xml")) return false;
  const std::string head = lowered(document.substr(0, document.find("?>")));
  return head.contains("\"iso-8859-1\"") || head.contains("'iso-8859-1'");
}

}  // namespace

std::string utf8_of_latin1(std::string_view bytes) {
  if (!is_certain(bytes)) return std::string(bytes);
  std::string out;
  for (const char byte : bytes) text::append_utf8(static_cast<unsigned char>(byte), out);
  return out;
}

std::string utf8_of_document(std::string_view document) {
  if (const auto utf16 = utf16_of(document)) return utf8_of_css(document, *utf16);
  if (text::is_utf8(document) || !is_declared_latin1(document)) return std::string(document);
  return utf8_of_latin1(document);
}

}  // namespace tidemill::epub
