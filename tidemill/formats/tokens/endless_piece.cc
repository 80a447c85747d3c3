#include "tidemill/formats/tokens/endless_piece.h"

#include "tidemill/formats/tokens/characters.h"
#include "tidemill/formats/tokens/forked_piece.h"

namespace tidemill::tokens {
namespace {

constexpr Kinds kNoSign = kLetter | kNumber | kSpace;

class PieceByRules final : public EndlessPiece {
 public:
  PieceByRules(SplitRules rules, Encoder& encoder, std::string_view text)
      : has_words_(rules == SplitRules::o200k), fork_(encoder) {
    const SeenCharacter c = see(text, 0);
    const SeenCharacter next = see(text, c.length);
    const Kinds word = has_words_ ? Kinds{kLetter | kMark} : kLetter;
    if ((c.kind & word) != 0) {
      behind_prefix_ = has_words_ ? Part::capitals : Part::letters;
    } else if (!is_newline(c.code) && (next.kind & word) != 0) {
      behind_prefix_ = has_words_ ? Part::capitals : Part::letters;
      prefix_ = c.length;
    } else if (c.code == ' ' && (next.kind & kNoSign) == 0) {
      behind_prefix_ = Part::signs;
      prefix_ = 1;
    } else {
      behind_prefix_ = c.kind == kSpace ? Part::spaces : Part::signs;
    }
  }

  Step follow(std::string_view text, bool is_whole) override {
    std::size_t taken = 0;
    for (;;) {
      const Part before = part_;
      taken += take(text.substr(taken), is_whole);
      if (part_ == Part::over) count_ = fork_.count();
      if (part_ == Part::over || part_ == before) {
        return {.taken = taken, .is_over = part_ == Part::over};
      }
    }
  }

  [[nodiscard]] std::uint64_t count() const override { return count_; }

 private:
  enum class Part : std::uint8_t {
    prefix,
    letters,
    capitals,
    small_letters,
    contraction,
    signs,
    sign_ends,
    spaces,
    over,
  };

  // Consumes the available text of this part, and moves to the next part when this one is over.
  std::size_t take(std::string_view text, bool is_whole) {
    switch (part_) {
      case Part::prefix:
        fork_.feed(text.substr(0, prefix_));
        part_ = behind_prefix_;
        return prefix_;
      case Part::letters:
        return run(text, is_whole, kLetter, true, Part::over);
      case Part::capitals:
        return capitals(text, is_whole);
      case Part::small_letters:
        return run(text, is_whole, kLower | kCaseless | kMark, true, Part::contraction);
      case Part::contraction:
        return contraction(text, is_whole);
      case Part::signs:
        return run(text, is_whole, kNoSign, false, Part::sign_ends);
      case Part::sign_ends:
        return sign_ends(text, is_whole);
      case Part::spaces:
        return spaces(text, is_whole);
      case Part::over:
        break;
    }
    return 0;
  }

  // Consumes characters that are (or with `wanted` false, are not) of these kinds.
  std::size_t run(std::string_view text, bool is_whole, Kinds kinds, bool wanted, Part next) {
    std::size_t end = 0;
    for (SeenCharacter c = see(text, 0); c.length != 0 && ((c.kind & kinds) != 0) == wanted;) {
      end += c.length;
      c = see(text, end);
    }
    fork_.feed(text.substr(0, end));
    if (end < text.size() || is_whole) part_ = next;
    return end;
  }

  std::size_t capitals(std::string_view text, bool is_whole) {
    std::size_t end = 0;
    std::size_t turn = 0;
    for (SeenCharacter c = see(text, 0); (c.kind & (kUpper | kCaseless | kMark)) != 0;) {
      end += c.length;
      if (c.kind != kUpper) turn = end;
      c = see(text, end);
    }
    fork_.feed(text.substr(0, end), turn);
    if (end == text.size() && !is_whole) return end;
    part_ = Part::contraction;
    if (see(text, end).kind == kLower) {
      fork_.join();
      part_ = Part::small_letters;
    }
    return end;
  }

  std::size_t contraction(std::string_view text, bool is_whole) {
    if (text.size() < 4 && !is_whole) return 0;
    const std::size_t end = contraction_end(text, 0);
    fork_.feed_last(text.substr(0, end));
    part_ = Part::over;
    return end;
  }

  std::size_t sign_ends(std::string_view text, bool is_whole) {
    std::size_t end = 0;
    while (end < text.size() && (is_newline(static_cast<unsigned char>(text[end])) ||
                                 (has_words_ && text[end] == '/'))) {
      ++end;
    }
    fork_.feed(text.substr(0, end));
    if (end < text.size() || is_whole) part_ = Part::over;
    return end;
  }

  // Holds back the last blank until the next character is known: it may belong to the next piece.
  std::size_t spaces(std::string_view text, bool is_whole) {
    std::size_t end = 0;
    std::size_t last = 0;
    std::size_t turn = 0;
    std::size_t turn_before_last = 0;
    for (SeenCharacter c = see(text, 0); c.kind == kSpace; c = see(text, end)) {
      last = end;
      end += c.length;
      turn_before_last = turn;
      if (is_newline(c.code)) turn = end;
    }
    if (end < text.size() || is_whole) part_ = Part::over;
    if (part_ != Part::over || (end < text.size() && turn < end)) {
      end = last;
      turn = turn_before_last;
    }
    fork_.feed(text.substr(0, end), turn);
    return end;
  }

  bool has_words_;  // o200k: upper-case, then lower-case letters
  ForkedPiece fork_;
  std::size_t prefix_ = 0;  // in bytes
  Part part_ = Part::prefix;
  Part behind_prefix_ = Part::letters;
  std::uint64_t count_ = 0;
};

}  // namespace

std::unique_ptr<EndlessPiece> endless_piece(SplitRules rules, Encoder& encoder,
                                            std::string_view text) {
  return std::make_unique<PieceByRules>(rules, encoder, text);
}

}  // namespace tidemill::tokens
