// EndlessPiece: follows a piece that is longer than a counter's buffer to its end, and counts its
// tokens. Nothing here can fail.
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
    std::size_t taken = 0;  // bytes consumed from the front of the text
    bool is_over = false;   // the next piece begins after them
  };
  // Continues at the front of `text`: the available rest, in complete characters. With `is_whole`
  // the text ends there, and so does the piece. Bytes not taken are passed again, with more after
  // them; that must be only a few bytes.
  [[nodiscard]] virtual Step follow(std::string_view text, bool is_whole) = 0;

  // The number of tokens, once the piece is over.
  [[nodiscard]] virtual std::uint64_t count() const = 0;
};

// For the piece that begins at the front of `text`, which is long but does not contain its end.
// Nothing of it is consumed yet. The encoder must outlive the result.
[[nodiscard]] std::unique_ptr<EndlessPiece> endless_piece(SplitRules rules, Encoder& encoder,
                                                          std::string_view text);

}  // namespace tidemill::tokens
