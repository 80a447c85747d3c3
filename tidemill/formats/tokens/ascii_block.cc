#include "tidemill/formats/tokens/ascii_block.h"

#include <emmintrin.h>

#include <bit>

namespace tidemill::tokens {
namespace {

using Bits = std::uint64_t;

constexpr Bits bit(std::size_t i) { return Bits{1} << i; }

// A bit mask for each class of bytes; bit i is byte i.
struct Classes {
  Bits letters = 0;
  Bits bit5 = 0;  // for a letter: it is in lower case
  Bits numbers = 0;
  Bits spaces = 0;
  Bits blanks = 0;  // U+0020 only
  Bits newlines = 0;
  Bits apostrophes = 0;
  Bits slashes = 0;
  Bits foreign = 0;  // not ASCII
};

Bits mask(__m128i lanes) {
  return static_cast<Bits>(static_cast<unsigned>(_mm_movemask_epi8(lanes)));
}

__m128i within(__m128i bytes, char first, char last) {
  return _mm_and_si128(_mm_cmpgt_epi8(bytes, _mm_set1_epi8(static_cast<char>(first - 1))),
                       _mm_cmpgt_epi8(_mm_set1_epi8(static_cast<char>(last + 1)), bytes));
}

Classes classes_of(const char* text) {
  Classes all;
  for (unsigned i = 0; i < 64; i += 16) {
    const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(text + i));
    const auto is = [&](char c) { return _mm_cmpeq_epi8(bytes, _mm_set1_epi8(c)); };
    const __m128i blanks = is(' ');
    all.letters |= mask(within(_mm_or_si128(bytes, _mm_set1_epi8(0x20)), 'a', 'z')) << i;
    all.bit5 |= mask(_mm_slli_epi16(bytes, 2)) << i;
    all.numbers |= mask(within(bytes, '0', '9')) << i;
    all.spaces |= mask(_mm_or_si128(blanks, within(bytes, '\t', '\r'))) << i;
    all.blanks |= mask(blanks) << i;
    all.newlines |= mask(_mm_or_si128(is('\n'), is('\r'))) << i;
    all.apostrophes |= mask(is('\'')) << i;
    all.slashes |= mask(is('/')) << i;
    all.foreign |= mask(bytes) << i;
  }
  return all;
}

// The length of the contraction that begins with the apostrophe at `text`; 0: none.
std::size_t contraction(const char* text) {
  const char first = static_cast<char>(text[1] | 0x20);
  if (first == 's' || first == 't' || first == 'm' || first == 'd') return 2;
  const char second = static_cast<char>(text[2] | 0x20);
  if ((first == 'r' || first == 'v') && second == 'e') return 3;
  return first == 'l' && second == 'l' ? 3 : 0;
}

Bits bits_below(std::size_t i) { return i >= 64 ? ~Bits{0} : bit(i) - 1; }

// Removes the starts of runs that are followed by a newline.
Bits without_newline_behind(Bits starts, Bits run_ends, Bits newlines) {
  for (Bits bad = run_ends & newlines; bad != 0; bad &= bad - 1) {
    const Bits behind = bad & (~bad + 1);
    starts &= ~std::bit_floor(starts & (behind - 1));
  }
  return starts;
}

// Newlines directly after signs belong to them, and so do slashes among the newlines. The addition
// carries from the first of them through the complete run.
Bits ends_of_signs(Bits signs, Bits newlines, Bits slashes) {
  const Bits starts = newlines & signs << 1U;
  const Bits ends = newlines | slashes;
  return (ends & ~(ends + starts)) | starts;
}

// The first of every three digits in a run.
Bits number_starts(Bits numbers) {
  Bits starts = numbers & ~(numbers << 1U);
  const Bits three = numbers & numbers << 1U & numbers << 2U;
  for (Bits more = starts << 3U & three; more != 0; more = more << 3U & three) starts |= more;
  return starts;
}

// cl100k: the letters after a contraction begin a piece.
Bits split_contractions(const char* text, Bits starts, Bits apostrophes, Bits letters) {
  for (; apostrophes != 0; apostrophes &= apostrophes - 1) {
    const auto at = static_cast<std::size_t>(std::countr_zero(apostrophes));
    const std::size_t end = at + contraction(text + at);
    if (end > at && end < 64) starts |= letters & bit(end);
  }
  return starts;
}

// o200k: a contraction belongs to the word before it.
Bits join_contractions(const char* text, Bits starts, Bits apostrophes, Bits letters) {
  std::size_t free_from = 0;
  for (; apostrophes != 0; apostrophes &= apostrophes - 1) {
    const auto at = static_cast<std::size_t>(std::countr_zero(apostrophes));
    const std::size_t end = at + contraction(text + at);
    if (end == at || at <= free_from) continue;
    free_from = end;
    starts &= ~(bits_below(end) & ~bits_below(at));
    if (end < 64) starts |= letters & bit(end);
  }
  return starts;
}

}  // namespace

template <SplitRules Pattern>
std::uint64_t starts_in_block(const char* text, std::size_t known) {
  const Classes all = classes_of(text);
  if (all.foreign != 0) {
    const auto first = static_cast<std::size_t>(std::countr_zero(all.foreign));
    known = first < known ? first : known;
  }
  if (known < 4) return 1;
  const Bits within = bits_below(known);
  const Bits letters = all.letters & within;
  const Bits numbers = all.numbers & within;
  const Bits spaces = all.spaces & within;
  const Bits newlines = all.newlines & within;
  const Bits tabs_and_blanks = spaces & ~newlines;
  const Bits all_signs = within & ~(letters | numbers | spaces);
  const Bits sign_ends =
      ends_of_signs(all_signs, newlines, Pattern == SplitRules::o200k ? all.slashes & within : 0);
  const Bits signs = all_signs & ~sign_ends;

  // A piece begins at a run of spaces, after the last newline in it, and at its last space.
  const Bits free_spaces = spaces & ~sign_ends;
  Bits starts = free_spaces & ~(free_spaces << 1U);
  starts |= tabs_and_blanks & ~(spaces >> 1U);
  const Bits behind_newline = tabs_and_blanks & newlines << 1U;
  const Bits run_ends = (tabs_and_blanks + behind_newline) & ~tabs_and_blanks;
  starts |= without_newline_behind(behind_newline, run_ends, newlines);

  // A blank joins the signs after it; any space but a newline, or a single sign, joins the letters.
  const Bits sign_starts = signs & ~(signs << 1U) & ~(all.blanks << 1U);
  starts |= sign_starts;
  starts |= letters & ~(letters << 1U) & ~(tabs_and_blanks << 1U) & ~(sign_starts << 1U);
  starts |= Pattern == SplitRules::qwen ? numbers : number_starts(numbers);

  if constexpr (Pattern == SplitRules::o200k) {
    starts |= letters & ~all.bit5 & (letters & all.bit5) << 1U;
    const Bits inside = all.apostrophes & letters << 1U & letters >> 1U;
    starts = join_contractions(text, starts, inside, letters);
  } else {
    const Bits first = all.apostrophes & sign_starts & letters >> 1U;
    starts = split_contractions(text, starts, first, letters);
  }

  // Spaces or a contraction at the end may continue after the block.
  std::size_t last = known - 3;
  if ((spaces & bit(known - 1)) != 0) {
    last = known - static_cast<std::size_t>(std::countl_one(spaces << (64 - known)));
  }
  return (starts & bits_below(last + 1)) | 1U;
}

template std::uint64_t starts_in_block<SplitRules::cl100k>(const char*, std::size_t);
template std::uint64_t starts_in_block<SplitRules::qwen>(const char*, std::size_t);
template std::uint64_t starts_in_block<SplitRules::o200k>(const char*, std::size_t);

}  // namespace tidemill::tokens
