// Documents in other encodings than UTF-8.
#include <optional>

#include "tidemill/formats/epub/css/encoding.h"
#include "tidemill/formats/epub/repair/xml_edit.h"
#include "tidemill/formats/epub/words.h"
#include "tidemill/formats/text/utf8.h"

namespace tidemill::epub {
namespace {

// By the mark; nothing: it is something else.
std::optional<CssEncoding> utf16_of(std::string_view document) {
  if (document.starts_with("\xff\xfe")) return CssEncoding{.name = "utf-16le", .mark = 2};
  if (document.starts_with("\xfe\xff")) return CssEncoding{.name = "utf-16be", .mark = 2};
  return std::nullopt;
}

// The others are control characters, and letters and quotes in windows-1252.
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
