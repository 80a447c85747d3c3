// ForkedPiece: counts an endless run in two ways at once, when only the end of the run decides
// where its first piece ended.
//
// In a run of blanks, only the text after it decides whether the last newline so far is the last:
//
//      ··· blanks and newlines ···\n ·· blanks after the last newline so far ··
//      main: all of it, as one piece (if another newline comes)
//      count at the newline ───────┤ rest: as a separate piece (if none comes)
//
// The words of o200k are the same, with "letter without case, or mark" in place of the newline and
// "lower-case letter" for what may come. Nothing here can fail.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "tidemill/formats/tokens/encoder.h"
#include "tidemill/formats/tokens/long_piece.h"

namespace tidemill::tokens {

// One thread. The encoder must outlive the ForkedPiece.
class ForkedPiece {
 public:
  explicit ForkedPiece(Encoder& encoder) : main_(encoder), rest_(encoder) {}

  // `turn`: how much of `text` certainly belongs to the first piece; 0: nothing.
  void feed(std::string_view text, std::size_t turn = 0) {
    main_.feed(text.substr(0, turn));
    if (turn > 0) {
      count_at_turn_ = main_.count();
      rest_.reset();
    }
    main_.feed(text.substr(turn));
    if (count_at_turn_) rest_.feed(text.substr(turn));
  }
  // Everything so far is one piece.
  void join() {
    count_at_turn_.reset();
    rest_.reset();
  }
  // No turn can follow any more: the text belongs to the last piece.
  void feed_last(std::string_view text) {
    (count_at_turn_ && !rest_.is_empty() ? rest_ : main_).feed(text);
    if (rest_.is_empty()) count_at_turn_.reset();
  }
  // Without a turn the tokens of one piece; otherwise of the two pieces before and after the last
  // turn.
  [[nodiscard]] std::uint64_t count() {
    return count_at_turn_ ? *count_at_turn_ + rest_.count() : main_.count();
  }

 private:
  LongPiece main_;
  LongPiece rest_;
  std::optional<std::uint64_t> count_at_turn_{};
};

}  // namespace tidemill::tokens
