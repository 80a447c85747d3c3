#include "tidemill/formats/xml/utf8_filter.h"

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "tidemill/formats/text/utf8.h"

namespace tidemill::xml {
namespace {

constexpr std::string_view kReplacement = "\xef\xbf\xbd";

// The length of the ASCII prefix, eight bytes at a time: most documents are nothing but ASCII.
std::size_t ascii_length(std::string_view text) {
  constexpr std::uint64_t kHighBits = 0x8080808080808080;
  std::size_t at = 0;
  for (std::uint64_t word = 0; at + sizeof(word) <= text.size(); at += sizeof(word)) {
    std::memcpy(&word, text.data() + at, sizeof(word));
    if ((word & kHighBits) != 0) break;
  }
  while (at < text.size() && static_cast<unsigned char>(text[at]) < 0x80) ++at;
  return at;
}

// The length of the valid UTF-8 prefix.
std::size_t valid_length(std::string_view text) {
  std::size_t at = 0;
  while (at < text.size()) {
    at += ascii_length(text.substr(at));
    // Non-ASCII characters usually come in runs.
    while (at < text.size() && static_cast<unsigned char>(text[at]) >= 0x80) {
      const std::size_t length = text::front_character(text.substr(at)).length;
      if (length == 0) return at;
      at += length;
    }
  }
  return at;
}

// The number of bytes at the end that may be the beginning of a character.
std::size_t cut_off(std::string_view text) {
  for (std::size_t length = 1; length <= 3 && length <= text.size(); ++length) {
    const auto byte = static_cast<unsigned char>(text[text.size() - length]);
    if (byte < 0x80) return 0;
    if (byte < 0xc0) continue;
    const std::size_t wanted = byte < 0xe0 ? 2 : byte < 0xf0 ? 3 : 4;
    return wanted > length ? length : 0;
  }
  return 0;
}

}  // namespace

std::string_view Utf8Filter::filtered(std::string_view part) {
  text_.clear();
  std::string joined;
  if (!kept_.empty()) {
    joined = kept_ + std::string(part);
    part = joined;
  }
  const std::size_t cut = cut_off(part);
  kept_ = part.substr(part.size() - cut);
  part.remove_suffix(cut);
  if (joined.empty() && valid_length(part) == part.size()) return part;
  put(part);
  return text_;
}

std::string_view Utf8Filter::rest() {
  text_.clear();
  put(kept_);
  kept_.clear();
  return text_;
}

void Utf8Filter::put(std::string_view bytes) {
  while (true) {
    const std::size_t valid = valid_length(bytes);
    text_ += bytes.substr(0, valid);
    bytes.remove_prefix(valid);
    if (bytes.empty()) return;
    text_ += kReplacement;
    has_stray_bytes_ = true;
    bytes.remove_prefix(1);
  }
}

}  // namespace tidemill::xml
