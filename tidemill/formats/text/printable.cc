#include "tidemill/formats/text/printable.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <iterator>
#include <utility>

#include "tidemill/formats/text/columns.h"
#include "tidemill/formats/text/utf8.h"

namespace tidemill::text {
namespace {

using Range = std::pair<char32_t, char32_t>;  // first, last

// Characters that are invisible or move the visible ones. Sorted.
constexpr Range kUnseen[] = {
    {0x80, 0x9f},       // C1 controls: U+009B is an escape sequence by itself on some terminals
    {0x61c, 0x61c},     // Arabic letter mark
    {0x180e, 0x180e},   // Mongolian vowel separator
    {0x200b, 0x200f},   // zero width space, joiners, direction marks
    {0x2028, 0x202e},   // line and paragraph separator, embeddings and overrides
    {0x2060, 0x206f},   // word joiner, invisible operators, isolates, deprecated shapes
    {0xfeff, 0xfeff},   // byte order mark
    {0xfff9, 0xfffb},   // annotations
    {0xe0000, 0xe007f}  // tags: can spell an invisible text
};

bool is_unseen(char32_t code) {
  const auto* const range = std::ranges::lower_bound(kUnseen, code, {}, &Range::second);
  return range != std::end(kUnseen) && code >= range->first;
}

void append_code(std::string& out, unsigned number, std::size_t least_digits) {
  std::array<char, 8> digits{};
  const auto* const end =
      std::to_chars(digits.data(), digits.data() + digits.size(), number, 16).ptr;
  const auto count = static_cast<std::size_t>(end - digits.data());
  if (count < least_digits) out.append(least_digits - count, '0');
  out.append(digits.data(), count);
}

void append_byte(std::string& out, char byte) {
  out += "\\x";
  append_code(out, static_cast<unsigned char>(byte), 2);
}

void append_ascii(std::string& out, char c) {
  switch (c) {
    case '\n':
      out += "\\n";
      return;
    case '\t':
      out += "\\t";
      return;
    case '\r':
      out += "\\r";
      return;
    case '\\':
      out += "\\\\";
      return;
    default:
      if (c < 0x20 || c == 0x7f) {
        append_byte(out, c);
      } else {
        out += c;
      }
  }
}

}  // namespace

std::string printable(std::string_view bytes) {
  std::string out;
  out.reserve(bytes.size());
  while (!bytes.empty()) {
    const auto [code, length] = front_character(bytes);
    if (length == 0) {
      append_byte(out, bytes[0]);
    } else if (length == 1) {
      append_ascii(out, bytes[0]);
    } else if (is_unseen(code)) {
      out += "\\u{";
      append_code(out, code, 1);
      out += '}';
    } else {
      out += bytes.substr(0, length);
    }
    bytes.remove_prefix(std::max<std::size_t>(length, 1));
  }
  return out;
}

std::string fit(std::string_view bytes, std::size_t width) {
  return shorten(printable(bytes), width);
}

}  // namespace tidemill::text
