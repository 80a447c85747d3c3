// The endless pieces of hf/split.h: each follows the part of a pattern that its first characters
// select.
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>

#include "tidemill/formats/tokens/forked_piece.h"
#include "tidemill/formats/tokens/hf/split.h"
#include "tidemill/formats/tokens/hf/stretch.h"

namespace tidemill::tokens {
namespace {

// The parts of a pattern that may be endless.
enum class Part : std::uint8_t {
  run,          // characters of one kind
  line_ends,    // after signs
  blanks,       // all but the last, which may belong to the next piece
  line_blanks,  // the same, but one piece up to the last line end
  leftovers,    // not matched by a pattern; the last one may belong to a word
  over,
};

struct Course {
  std::size_t prefix = 0;  // bytes before the part begins
  Part part = Part::run;
  bool (*belongs)(const Glyph& glyph) = glyphs::is_word;  // to the run
  Part next = Part::over;                                 // after the run
  Side side = Side::all;
};

class PieceOnCourse final : public EndlessPiece {
 public:
  PieceOnCourse(Encoder& encoder, const Course& course) : course_(course), fork_(encoder) {}

  Step follow(std::string_view text, bool is_whole) override {
    std::size_t taken = take_prefix(text);
    for (Part before = Part::over; before != course_.part && course_.part != Part::over;) {
      before = course_.part;
      taken += take(text.substr(taken), is_whole);
    }
    if (course_.part == Part::over) count_ = fork_.count();
    return {.taken = taken, .is_over = course_.part == Part::over};
  }

  [[nodiscard]] std::uint64_t count() const override { return count_; }

 private:
  std::size_t take_prefix(std::string_view text) {
    const std::size_t prefix = course_.prefix;
    fork_.feed(text.substr(0, prefix));
    course_.prefix = 0;
    return prefix;
  }

  // Consumes the available text of the part, and moves to the next part when this one is over.
  std::size_t take(std::string_view text, bool is_whole) {
    Stretch stretch(text, is_whole, course_.side);
    if (course_.part == Part::run) return take_run(text, stretch, course_.belongs, course_.next);
    if (course_.part == Part::line_ends) {
      return take_run(text, stretch, glyphs::is_line_end, Part::over);
    }
    return take_but_last(text, stretch);
  }

  std::size_t take_run(std::string_view text, Stretch& stretch, bool (*belongs)(const Glyph&),
                       Part next) {
    const std::size_t end = stretch.run(0, belongs);
    fork_.feed(text.substr(0, end));
    if (stretch.is_certain()) course_.part = next;
    return end;
  }

  // Holds back the last character until the next one is known.
  std::size_t take_but_last(std::string_view text, Stretch& stretch) {
    const Part part = course_.part;
    const Kinds kind = part == Part::leftovers ? Kinds{0} : kSpace;
    std::size_t end = 0;
    std::size_t last = 0;
    std::size_t turn = 0;  // after the last line end
    std::size_t turn_before_last = 0;
    Glyph glyph = stretch.at(0);
    for (; glyph.length > 0 && glyph.kind == kind; glyph = stretch.at(end)) {
      last = end;
      end += glyph.length;
      turn_before_last = turn;
      if (part == Part::line_blanks && glyph.is_line_end()) turn = end;
    }
    const bool goes_with_next =
        part == Part::leftovers ? glyphs::is_word(glyph) : glyph.length > 0 && turn < end;
    if (!stretch.is_certain() || goes_with_next) {
      end = last;
      turn = turn_before_last;
    }
    if (stretch.is_certain()) course_.part = Part::over;
    fork_.feed(text.substr(0, end), turn);
    return end;
  }

  Course course_;
  ForkedPiece fork_;
  std::uint64_t count_ = 0;
};

// Both select the pattern in the same way as hf/split.cc.
Course deepseek_course(std::string_view text) {
  Stretch stretch(text, true);
  const Glyph first = stretch.at(0);
  const Side side = side_of(first);
  stretch.narrow(side);
  const Glyph second = stretch.at(first.length);
  const Course word{.side = side};
  const Course sign{.belongs = glyphs::is_sign, .next = Part::line_ends, .side = side};
  const auto behind_first = [&](Course course) {
    course.prefix = first.length;
    return course;
  };
  if (glyphs::is_word(first)) return word;
  if (glyphs::is_sign(first)) {
    const bool has_letters = first.code < 0x80 && second.is_ascii_letter();
    return has_letters ? behind_first({.belongs = glyphs::is_ascii_letter, .side = side}) : sign;
  }
  if (!first.is_line_end() && glyphs::is_word(second)) return behind_first(word);
  if (first.code == ' ' && glyphs::is_sign(second)) return behind_first(sign);
  return {.part = first.is(kSpace) ? Part::line_blanks : Part::leftovers, .side = side};
}

Course gpt2_course(std::string_view text) {
  Stretch stretch(text, true);
  const std::size_t prefix = stretch.at(0).code == ' ' ? 1 : 0;
  const Glyph glyph = stretch.at(prefix);
  if (glyph.length == 0 || glyph.is(kSpace)) return {.part = Part::blanks};
  if (glyphs::is_letter(glyph)) return {.prefix = prefix, .belongs = glyphs::is_letter};
  if (glyphs::is_number(glyph)) return {.prefix = prefix, .belongs = glyphs::is_number};
  return {.prefix = prefix, .belongs = glyphs::is_other};
}

}  // namespace

std::unique_ptr<EndlessPiece> deepseek_endless_piece(Encoder& encoder, std::string_view text) {
  return std::make_unique<PieceOnCourse>(encoder, deepseek_course(text));
}

std::unique_ptr<EndlessPiece> gpt2_endless_piece(Encoder& encoder, std::string_view text) {
  return std::make_unique<PieceOnCourse>(encoder, gpt2_course(text));
}

}  // namespace tidemill::tokens
