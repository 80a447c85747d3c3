#include "tidemill/jobs/import/rows/unescape.h"

#include <cstdint>
#include <cstring>

namespace tidemill::import {
namespace {

unsigned digit(char c) {
  if (c >= '0' && c <= '9') return static_cast<unsigned>(c - '0');
  return static_cast<unsigned>((c | 0x20) - 'a') + 10;
}

std::uint32_t unit_at(const char* hex) {
  return digit(hex[0]) << 12U | digit(hex[1]) << 8U | digit(hex[2]) << 4U | digit(hex[3]);
}

char* put_utf8(std::uint32_t code, char* out) {
  const auto byte = [&](std::uint32_t bits) { *out++ = static_cast<char>(bits); };
  if (code < 0x80) {
    byte(code);
  } else if (code < 0x800) {
    byte(0xc0 | code >> 6U);
    byte(0x80 | (code & 0x3f));
  } else if (code < 0x10000) {
    byte(0xe0 | code >> 12U);
    byte(0x80 | (code >> 6U & 0x3f));
    byte(0x80 | (code & 0x3f));
  } else {
    byte(0xf0 | code >> 18U);
    byte(0x80 | (code >> 12U & 0x3f));
    byte(0x80 | (code >> 6U & 0x3f));
    byte(0x80 | (code & 0x3f));
  }
  return out;
}

char letter_of(char escape) {
  switch (escape) {
    case 'b':
      return '\b';
    case 'f':
      return '\f';
    case 'n':
      return '\n';
    case 'r':
      return '\r';
    case 't':
      return '\t';
    default:
      return escape;  // the quote, the backslash and the slash
  }
}

}  // namespace

std::size_t unescape(std::string_view inside, char* out) {
  const char* from = inside.data();
  const char* const end = from + inside.size();
  char* to = out;
  while (from < end) {
    const auto left = static_cast<std::size_t>(end - from);
    const void* found = std::memchr(from, '\\', left);
    const auto* escape = found != nullptr ? static_cast<const char*>(found) : end;
    const auto plain = static_cast<std::size_t>(escape - from);
    std::memmove(to, from, plain);
    to += plain;
    from = escape;
    if (from == end) break;
    if (from[1] != 'u') {
      *to++ = letter_of(from[1]);
      from += 2;
      continue;
    }
    std::uint32_t code = unit_at(from + 2);
    from += 6;
    if (code >= 0xd800 && code < 0xdc00) {  // a surrogate pair: the second half follows
      code = 0x10000 + ((code - 0xd800) << 10U) + (unit_at(from + 2) - 0xdc00);
      from += 6;
    }
    to = put_utf8(code, to);
  }
  return static_cast<std::size_t>(to - out);
}

std::string unescaped(std::string_view inside) {
  std::string text(inside.size(), '\0');
  text.resize(unescape(inside, text.data()));
  return text;
}

}  // namespace tidemill::import
