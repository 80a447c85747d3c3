// The only file of formats/epub that uses ICU.
#include "tidemill/formats/epub/unicode.h"

#include <unicode/normalizer2.h>
#include <unicode/unistr.h>

#include <algorithm>
#include <cstdint>

#include "tidemill/formats/epub/words.h"

namespace tidemill::epub {
namespace {

bool is_ascii(std::string_view text) { return std::ranges::none_of(text, is_beyond_ascii); }

icu::UnicodeString characters_of(std::string_view utf8) {
  return icu::UnicodeString::fromUTF8(
      icu::StringPiece(utf8.data(), static_cast<std::int32_t>(utf8.size())));
}

}  // namespace

std::string composed(std::string_view text) {
  if (is_ascii(text)) return std::string(text);
  UErrorCode code = U_ZERO_ERROR;
  const icu::Normalizer2* nfc = icu::Normalizer2::getNFCInstance(code);
  const icu::UnicodeString characters = characters_of(text);
  std::string again;
  characters.toUTF8String(again);
  if (U_FAILURE(code) || again != text) return std::string(text);
  std::string out;
  nfc->normalize(characters, code).toUTF8String(out);
  return U_FAILURE(code) ? std::string(text) : out;
}

std::string folded_name(std::string_view name) {
  if (is_ascii(name)) return lowered(name);
  UErrorCode code = U_ZERO_ERROR;
  const icu::Normalizer2* nfd = icu::Normalizer2::getNFDInstance(code);
  if (U_FAILURE(code)) return std::string(name);  // ICU without its data: compare names by bytes
  // Case folding may leave text that is not decomposed, so it is normalized again.
  const icu::UnicodeString once = nfd->normalize(characters_of(name), code).foldCase();
  std::string folded;
  nfd->normalize(once, code).toUTF8String(folded);
  return U_FAILURE(code) ? std::string(name) : folded;
}

}  // namespace tidemill::epub
