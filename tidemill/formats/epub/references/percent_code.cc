#include "tidemill/formats/epub/references/percent_code.h"

namespace tidemill::epub {
namespace {

int hex_value(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

}  // namespace

bool is_percent_code(std::string_view text, std::size_t at) {
  return at + 2 < text.size() && text[at] == '%' && hex_value(text[at + 1]) >= 0 &&
         hex_value(text[at + 2]) >= 0;
}

std::string percent_decoded(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (is_percent_code(text, at)) {
      out += static_cast<char>(hex_value(text[at + 1]) * 16 + hex_value(text[at + 2]));
      at += 2;
    } else {
      out += text[at];
    }
  }
  return out;
}

std::string percent_encoded(std::string_view text, std::string_view bytes) {
  constexpr std::string_view kDigits = "0123456789ABCDEF";
  std::string out;
  for (const char byte : text) {
    if (!bytes.contains(byte)) {
      out.push_back(byte);
      continue;
    }
    const auto code = static_cast<unsigned char>(byte);
    out += {'%', kDigits[code >> 4U], kDigits[code & 15U]};
  }
  return out;
}

}  // namespace tidemill::epub
