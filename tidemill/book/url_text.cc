// The text of URLs and names: what percent-codes and composed letters stand for.
#include <unicode/normalizer2.h>
#include <unicode/unistr.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "tidemill/book/url.h"

namespace tidemill::book {
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

std::string composed(std::string_view text) {
  const auto is_ascii = [](char c) { return static_cast<unsigned char>(c) < 0x80; };
  if (std::ranges::all_of(text, is_ascii)) return std::string(text);
  UErrorCode code = U_ZERO_ERROR;
  const icu::Normalizer2* nfc = icu::Normalizer2::getNFCInstance(code);
  const auto letters = icu::UnicodeString::fromUTF8(
      icu::StringPiece(text.data(), static_cast<std::int32_t>(text.size())));
  std::string again;
  letters.toUTF8String(again);
  if (U_FAILURE(code) || again != text) return std::string(text);
  std::string out;
  nfc->normalize(letters, code).toUTF8String(out);
  return U_FAILURE(code) ? std::string(text) : out;
}

}  // namespace tidemill::book
