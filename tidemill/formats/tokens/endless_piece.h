// EndlessPiece: follows a piece that is longer than a counter's buffer to its end, and counts it.
// Nothing here can fail.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>

#include "tidemill/formats/tokens/encoder.h"
#include "tidemill/formats/tokens/split.h"

namespace tidemill::tokens {

// One thread.
class EndlessPiece {
 public:
  virtual ~EndlessPiece() = default;

  struct Step {
    std::size_t taken = 0;  // bytes of the front of the text that are done with
    bool is_over = false;   // the next piece begins behind them
  };
  // Goes on at the front of `text`: all that is there yet of the rest, whole characters. With
  // `is_whole` nothing comes after it, and the piece is over. What is not taken comes again, with
  // more behind it; that must not be more than a few bytes.
  [[nodiscard]] virtual Step follow(std::string_view text, bool is_whole) = 0;

  // The tokens, once it is over.
  [[nodiscard]] virtual std::uint64_t count() const = 0;
};

// The piece begins at the front of `text`, a long one that does not tell where it ends; nothing of
// it is taken yet. The encoder must outlive what is made.
[[nodiscard]] std::unique_ptr<EndlessPiece> endless_piece(Rules rules, Encoder& encoder,
                                                          std::string_view text);

}  // namespace tidemill::tokens
