// The counter of a text under a vocabulary and its rules: cleans it, cuts it, counts the pieces.
// Nothing here can fail.
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

// A way to cut texts that is not among the Rules. Both as piece_end and endless_piece have it.
struct Cutting {
  std::size_t (*piece_end)(std::string_view text, std::size_t from, bool is_whole) = nullptr;
  std::unique_ptr<EndlessPiece> (*endless_piece)(Encoder& encoder, std::string_view text) = nullptr;
};

// The vocabulary must outlive it.
[[nodiscard]] std::unique_ptr<Counter> make_counter(const Vocabulary& vocabulary, Rules rules);
[[nodiscard]] std::unique_ptr<Counter> make_counter(const Vocabulary& vocabulary, Cutting cutting);

}  // namespace tidemill::tokens
