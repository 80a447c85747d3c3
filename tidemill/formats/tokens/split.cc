#include "tidemill/formats/tokens/split.h"

#include "tidemill/formats/tokens/characters.h"

namespace tidemill::tokens {
namespace {

// The unions of kinds in the patterns of o200k.
constexpr Kinds kHigh = kUpper | kCaseless | kMark;
constexpr Kinds kLow = kLower | kCaseless | kMark;
constexpr Kinds kNoSign = kLetter | kNumber | kSpace;

class Cut {
 public:
  Cut(std::string_view text, bool is_whole) : text_(text), is_whole_(is_whole) {}

  [[nodiscard]] std::size_t cl100k(std::size_t from, std::size_t digits) const;
  [[nodiscard]] std::size_t o200k(std::size_t from) const;
  [[nodiscard]] std::size_t with_contraction(std::size_t from) const;

 private:
  // The end of the run of characters that are of these kinds, or with `wanted` false, of none.
  [[nodiscard]] std::size_t behind(std::size_t from, Kinds kinds, bool wanted) const {
    for (;;) {
      const SeenCharacter c = see(text_, from);
      if (c.length == 0 || ((c.kind & kinds) != 0) != wanted) return from;
      from += c.length;
    }
  }
  // A run up to the end of an incomplete text may continue.
  [[nodiscard]] bool may_extend(std::size_t end) const { return end == text_.size() && !is_whole_; }
  [[nodiscard]] std::size_t certain(std::size_t end) const {
    return may_extend(end) ? kUncertain : end;
  }
  [[nodiscard]] std::size_t letters(std::size_t from) const {
    return certain(behind(from, kLetter, true));
  }
  [[nodiscard]] std::size_t number(std::size_t from, std::size_t digits) const;
  [[nodiscard]] std::size_t word(std::size_t from) const;
  [[nodiscard]] std::size_t signs(std::size_t from, bool slash_ends_too) const;
  [[nodiscard]] std::size_t spaces(std::size_t from) const;
  [[nodiscard]] std::size_t others(std::size_t from, SeenCharacter c, SeenCharacter next,
                                   bool slash) const;

  std::string_view text_;
  bool is_whole_;
};

std::size_t Cut::number(std::size_t from, std::size_t digits) const {
  for (; digits > 0; --digits) {
    const SeenCharacter c = see(text_, from);
    if (c.length == 0) return certain(from);
    if (c.kind != kNumber) return from;
    from += c.length;
  }
  return from;
}

// The end of 's 't 'm 'd 're 've 'll in upper or lower case (the long s counts as an s); `from` if
// there is none.
std::size_t Cut::with_contraction(std::size_t from) const {
  if (from == text_.size()) return certain(from);
  if (text_[from] != '\'') return from;
  const auto folded = [&](std::size_t at) { return see(text_, at).code | 0x20U; };
  const SeenCharacter first = see(text_, from + 1);
  if (first.length == 0) return is_whole_ ? from : kUncertain;
  if (first.code == 0x17f) return from + 3;
  const char32_t letter = folded(from + 1);
  if (first.length > 1) return from;
  if (letter == 's' || letter == 't' || letter == 'm' || letter == 'd') return from + 2;
  if (letter != 'r' && letter != 'v' && letter != 'l') return from;
  if (from + 2 == text_.size()) return is_whole_ ? from : kUncertain;
  return folded(from + 2) == (letter == 'l' ? U'l' : U'e') ? from + 3 : from;
}

// `from` is at a letter or a mark. A word is upper-case, then lower-case letters; letters without
// case and marks count as both. If no lower-case letter follows, the pattern backtracks to the last
// character that counts as one.
std::size_t Cut::word(std::size_t from) const {
  std::size_t end = from;
  std::size_t both = from;
  for (SeenCharacter c = see(text_, end); (c.kind & kHigh) != 0; c = see(text_, end)) {
    end += c.length;
    if (c.kind != kUpper) both = end;
  }
  if (may_extend(end)) return kUncertain;
  if (see(text_, end).kind == kLower) {
    end = behind(end, kLow, true);
  } else if (both != from) {
    end = both;
  }
  return with_contraction(end);
}

std::size_t Cut::signs(std::size_t from, bool slash_ends_too) const {
  from = behind(from, kNoSign, false);
  while (from < text_.size() && (is_newline(static_cast<unsigned char>(text_[from])) ||
                                 (slash_ends_too && text_[from] == '/'))) {
    ++from;
  }
  return certain(from);
}

// Up to the last newline; without one, all but the last space, which belongs to the next piece.
std::size_t Cut::spaces(std::size_t from) const {
  std::size_t end = from;
  std::size_t behind_newline = 0;
  std::size_t last = 0;
  for (SeenCharacter c = see(text_, end); c.kind == kSpace; c = see(text_, end)) {
    last = end;
    end += c.length;
    if (is_newline(c.code)) behind_newline = end;
  }
  if (may_extend(end)) return kUncertain;
  if (behind_newline != 0) return behind_newline;
  return end == text_.size() || last == from ? end : last;
}

std::size_t Cut::others(std::size_t from, SeenCharacter c, SeenCharacter next, bool slash) const {
  if (c.code == ' ' && next.length != 0 && (next.kind & kNoSign) == 0) {
    return signs(from + 1, slash);
  }
  return c.kind == kSpace ? spaces(from) : signs(from, slash);
}

std::size_t Cut::cl100k(std::size_t from, std::size_t digits) const {
  const SeenCharacter c = see(text_, from);
  if ((c.kind & kLetter) != 0) return letters(from);
  if (c.kind == kNumber) return number(from, digits);
  const std::size_t behind_c = from + c.length;
  if (c.code == '\'') {
    const std::size_t end = with_contraction(from);
    if (end != from) return end;
  }
  const SeenCharacter next = see(text_, behind_c);
  if (next.length == 0 && !is_whole_) return kUncertain;
  if (!is_newline(c.code) && (next.kind & kLetter) != 0) return letters(behind_c);
  return others(from, c, next, false);
}

std::size_t Cut::o200k(std::size_t from) const {
  const SeenCharacter c = see(text_, from);
  if ((c.kind & (kLetter | kMark)) != 0) return word(from);
  if (c.kind == kNumber) return number(from, 3);
  const SeenCharacter next = see(text_, from + c.length);
  if (next.length == 0 && !is_whole_) return kUncertain;
  if (!is_newline(c.code) && (next.kind & (kLetter | kMark)) != 0) return word(from + c.length);
  return others(from, c, next, true);
}

}  // namespace

std::size_t piece_end(SplitRules rules, std::string_view text, std::size_t from, bool is_whole) {
  const Cut cut(text, is_whole);
  switch (rules) {
    case SplitRules::cl100k:
      return cut.cl100k(from, 3);
    case SplitRules::qwen:
      return cut.cl100k(from, 1);
    case SplitRules::o200k:
      return cut.o200k(from);
  }
  return text.size();
}

std::size_t contraction_end(std::string_view text, std::size_t from) {
  return Cut(text, true).with_contraction(from);
}

}  // namespace tidemill::tokens
