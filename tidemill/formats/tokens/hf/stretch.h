// Stretch: the part of a text that a pattern of a Hugging Face file is applied to, character by
// character. For hf/split.cc and hf/endless.cc. Nothing here can fail; the text is valid UTF-8.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "tidemill/formats/tokens/characters.h"
#include "tidemill/formats/tokens/unicode.h"

namespace tidemill::tokens {

struct Glyph {
  char32_t code = 0;
  std::size_t length = 0;  // 0: the stretch ends here
  Kinds kind = 0;

  [[nodiscard]] bool is(Kinds kinds) const { return (kind & kinds) != 0; }
  [[nodiscard]] bool is_line_end() const { return code == '\r' || code == '\n'; }
  [[nodiscard]] bool is_ascii_letter() const {
    return (code >= 'a' && code <= 'z') || (code >= 'A' && code <= 'Z');
  }
};

// The parts that DeepSeek-V3 separates before it applies its last pattern.
enum class Side : std::uint8_t { all, number, han, other };

[[nodiscard]] inline Side side_of(const Glyph& glyph) {
  if (glyph.is(kNumber)) return Side::number;
  const bool is_han = glyph.code >= 0x4e00 && glyph.code <= 0x9fa5;
  const bool is_kana = glyph.code >= 0x3040 && glyph.code <= 0x30ff;
  return is_han || is_kana ? Side::han : Side::other;
}

// Records whether a caller has reached the end of an incomplete text, because the result is then
// uncertain. One thread.
class Stretch {
 public:
  Stretch(std::string_view text, bool is_whole, Side side = Side::all)
      : text_(text), is_whole_(is_whole), side_(side) {}

  [[nodiscard]] Glyph at(std::size_t i) {
    if (i >= text_.size()) {
      is_certain_ = is_certain_ && is_whole_;
      return {};
    }
    const SeenCharacter seen = see(text_, i);
    const Glyph glyph{.code = seen.code, .length = seen.length, .kind = seen.kind};
    return side_ == Side::all || side_ == side_of(glyph) ? glyph : Glyph{};
  }
  // The position after the run of characters for which `belongs` is true.
  template <class Belongs>
  [[nodiscard]] std::size_t run(std::size_t i, Belongs belongs) {
    for (Glyph glyph = at(i); glyph.length > 0 && belongs(glyph); glyph = at(i)) i += glyph.length;
    return i;
  }
  // Restricts the stretch to this side.
  void narrow(Side side) { side_ = side; }
  [[nodiscard]] bool is_certain() const { return is_certain_; }

 private:
  std::string_view text_;
  bool is_whole_;
  bool is_certain_ = true;
  Side side_;
};

namespace glyphs {
inline constexpr Kinds kWord = kLetter | kMark;
inline constexpr Kinds kSign = kPunctuation | kSymbol;

[[nodiscard]] inline bool is_letter(const Glyph& glyph) { return glyph.is(kLetter); }
[[nodiscard]] inline bool is_ascii_letter(const Glyph& glyph) { return glyph.is_ascii_letter(); }
[[nodiscard]] inline bool is_word(const Glyph& glyph) { return glyph.is(kWord); }
[[nodiscard]] inline bool is_number(const Glyph& glyph) { return glyph.is(kNumber); }
[[nodiscard]] inline bool is_sign(const Glyph& glyph) { return glyph.is(kSign); }
[[nodiscard]] inline bool is_line_end(const Glyph& glyph) { return glyph.is_line_end(); }
// Neither letter nor number nor blank: a sign in GPT-2.
[[nodiscard]] inline bool is_other(const Glyph& glyph) {
  return !glyph.is(kLetter | kNumber | kSpace);
}
}  // namespace glyphs

}  // namespace tidemill::tokens
