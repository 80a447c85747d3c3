// The only file that knows ICU.
#include <unicode/normalizer2.h>
#include <unicode/unistr.h>

#include <algorithm>

#include "tidemill/book/container_names.h"

namespace tidemill::book {

std::string folded_name(std::string_view name) {
  const auto is_ascii = [](char c) { return static_cast<unsigned char>(c) < 0x80; };
  std::string folded;
  if (std::ranges::all_of(name, is_ascii)) {
    folded = name;
    for (char& c : folded) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    return folded;
  }
  UErrorCode code = U_ZERO_ERROR;
  const icu::Normalizer2* nfd = icu::Normalizer2::getNFDInstance(code);
  if (U_FAILURE(code)) return std::string(name);  // ICU without its data: names are told by bytes
  const auto text = icu::UnicodeString::fromUTF8(
      icu::StringPiece(name.data(), static_cast<std::int32_t>(name.size())));
  // Folding may leave what is no longer decomposed.
  const icu::UnicodeString once = nfd->normalize(text, code).foldCase();
  nfd->normalize(once, code).toUTF8String(folded);
  return U_FAILURE(code) ? std::string(name) : folded;
}

}  // namespace tidemill::book
