#include "tidemill/formats/tokens/hf/split.h"

#include "tidemill/formats/tokens/hf/stretch.h"
#include "tidemill/formats/tokens/split.h"

namespace tidemill::tokens {
namespace {

// \s+(?!\S)|\s+, preceded by \s*[\r\n]+ if `to_line_end`.
std::size_t blanks_end(Stretch& stretch, std::size_t from, bool to_line_end) {
  std::size_t end = from;
  std::size_t last = from;      // beginning of the last blank
  std::size_t line_end = from;  // after the last line end
  Glyph glyph = stretch.at(from);
  for (; glyph.is(kSpace); glyph = stretch.at(end)) {
    last = end;
    end += glyph.length;
    if (glyph.is_line_end()) line_end = end;
  }
  if (to_line_end && line_end > from) return line_end;
  return glyph.length == 0 || last == from ? end : last;
}

// Unmatched characters stay together. The last one before a word belongs to the word.
std::size_t leftover_end(Stretch& stretch, std::size_t from) {
  std::size_t end = from;
  std::size_t last = from;
  Glyph glyph = stretch.at(from);
  for (; glyph.length > 0 && glyph.kind == 0; glyph = stretch.at(end)) {
    last = end;
    end += glyph.length;
  }
  return glyphs::is_word(glyph) ? last : end;
}

std::size_t signs_end(Stretch& stretch, std::size_t from) {
  return stretch.run(stretch.run(from, glyphs::is_sign), glyphs::is_line_end);
}

std::size_t deepseek_end(Stretch& stretch, std::size_t from) {
  const Glyph first = stretch.at(from);
  const std::size_t behind = from + first.length;
  stretch.narrow(side_of(first));
  if (glyphs::is_number(first)) {
    std::size_t end = behind;
    for (int more = 2; more > 0; --more) end += stretch.at(end).length;
    return end;
  }
  if (glyphs::is_word(first)) return stretch.run(from, glyphs::is_word);
  const Glyph second = stretch.at(behind);
  if (glyphs::is_sign(first)) {
    if (first.code < 0x80 && second.is_ascii_letter()) {
      return stretch.run(behind, glyphs::is_ascii_letter);
    }
    return signs_end(stretch, from);
  }
  if (!first.is_line_end() && glyphs::is_word(second)) return stretch.run(behind, glyphs::is_word);
  if (first.code == ' ' && glyphs::is_sign(second)) return signs_end(stretch, behind);
  return first.is(kSpace) ? blanks_end(stretch, from, true) : leftover_end(stretch, from);
}

// The end of 's, 't, 're, 've, 'm, 'll or 'd; `from` if there is none.
std::size_t short_form_end(Stretch& stretch, std::size_t from) {
  const char32_t second = stretch.at(from + 1).code;
  if (second == 's' || second == 't' || second == 'm' || second == 'd') return from + 2;
  if (second != 'r' && second != 'v' && second != 'l') return from;
  const char32_t third = stretch.at(from + 2).code;
  return third == (second == 'l' ? U'l' : U'e') ? from + 3 : from;
}

std::size_t gpt2_end(Stretch& stretch, std::size_t from) {
  const Glyph first = stretch.at(from);
  if (first.code == '\'') {
    const std::size_t end = short_form_end(stretch, from);
    if (end > from) return end;
  }
  const std::size_t word = first.code == ' ' ? from + 1 : from;
  const Glyph glyph = stretch.at(word);
  if (glyph.length == 0 || glyph.is(kSpace)) return blanks_end(stretch, from, false);
  if (glyphs::is_letter(glyph)) return stretch.run(word, glyphs::is_letter);
  if (glyphs::is_number(glyph)) return stretch.run(word, glyphs::is_number);
  return stretch.run(word, glyphs::is_other);
}

}  // namespace

std::size_t deepseek_piece_end(std::string_view text, std::size_t from, bool is_whole) {
  Stretch stretch(text, is_whole);
  const std::size_t end = deepseek_end(stretch, from);
  return stretch.is_certain() ? end : kUncertain;
}

std::size_t gpt2_piece_end(std::string_view text, std::size_t from, bool is_whole) {
  Stretch stretch(text, is_whole);
  const std::size_t end = gpt2_end(stretch, from);
  return stretch.is_certain() ? end : kUncertain;
}

}  // namespace tidemill::tokens
