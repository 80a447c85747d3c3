// ForkedPiece: an endless run of which only the end tells where its first piece ended, counted both
// ways side by side.
//
// Of a run of blanks, only what follows the run tells whether the last newline in it was the last:
//
//      ··· blanks and newlines ···\n ·· blanks after the last newline so far ··
//      main: all of it, as one piece (if another newline comes)
//      count at the newline ───────┤ rest: as a piece of its own (if none comes)
//
// The words of o200k are the same, with "letter without case, or mark" for the newline and "small
// letter" for what may come. Nothing here can fail.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "tidemill/formats/tokens/encoder.h"
#include "tidemill/formats/tokens/long_piece.h"

namespace tidemill::tokens {

// One thread. The encoder must outlive it.
class ForkedPiece {
 public:
  explicit ForkedPiece(Encoder& encoder) : main_(encoder), rest_(encoder) {}

  // `turn`: up to where `text` belongs to the first piece in any case, 0: nothing of it does.
  void feed(std::string_view text, std::size_t turn = 0) {
    main_.feed(text.substr(0, turn));
    if (turn > 0) {
      count_at_turn_ = main_.count();
      rest_.reset();
    }
    main_.feed(text.substr(turn));
    if (count_at_turn_) rest_.feed(text.substr(turn));
  }
  // All of it was one piece.
  void join() {
    count_at_turn_.reset();
    rest_.reset();
  }
  // It is known that no turn comes any more: this belongs to the last piece.
  void feed_last(std::string_view text) {
    (count_at_turn_ && !rest_.is_empty() ? rest_ : main_).feed(text);
    if (rest_.is_empty()) count_at_turn_.reset();
  }
  // Of one piece if there was no turn, of the two before and behind the last one if there was.
  [[nodiscard]] std::uint64_t count() {
    return count_at_turn_ ? *count_at_turn_ + rest_.count() : main_.count();
  }

 private:
  LongPiece main_;
  LongPiece rest_;
  std::optional<std::uint64_t> count_at_turn_{};
};

}  // namespace tidemill::tokens
