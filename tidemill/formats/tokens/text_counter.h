// Makes the counter of a text for a vocabulary and its rules: it cleans the text, splits it and
// counts the tokens of the pieces. Nothing here can fail.
#pragma once

#include <cstddef>
#include <memory>
#include <string_view>

#include "tidemill/formats/tokens/encoder.h"
#include "tidemill/formats/tokens/endless_piece.h"
#include "tidemill/formats/tokens/split.h"
#include "tidemill/formats/tokens/tokenizer.h"
#include "tidemill/formats/tokens/vocabulary/vocabulary.h"

namespace tidemill::tokens {

// A way to split texts beyond the SplitRules. The functions have the contracts of piece_end() and
// endless_piece().
struct Cutting {
  std::size_t (*piece_end)(std::string_view text, std::size_t from, bool is_whole) = nullptr;
  std::unique_ptr<EndlessPiece> (*endless_piece)(Encoder& encoder, std::string_view text) = nullptr;
};

// The vocabulary must outlive the counter.
[[nodiscard]] std::unique_ptr<TokenCounter> make_counter(const Vocabulary& vocabulary,
                                                         SplitRules rules);
[[nodiscard]] std::unique_ptr<TokenCounter> make_counter(const Vocabulary& vocabulary,
                                                         Cutting cutting);

}  // namespace tidemill::tokens
