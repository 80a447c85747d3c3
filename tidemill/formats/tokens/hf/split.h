// Two more ways to split a text, used by Hugging Face files: the sequence of DeepSeek-V3 and the
// pattern of GPT-2. As in split.h, nothing here can fail, and the following text may decide where
// the last piece ends.
//
// DeepSeek-V3 splits three times, each pattern within the parts that the previous one left:
//
//   \p{N}{1,3}                     numbers
//   [一-龥぀-ゟ゠-ヿ]+               Han and kana
//   [!-~][A-Za-z]+                 an ASCII sign and ASCII letters
//     |[^\r\n\p{L}\p{P}\p{S}]?[\p{L}\p{M}]+
//     | ?[\p{P}\p{S}]+[\r\n]*
//     |\s*[\r\n]+|\s+(?!\S)|\s+    unmatched text stays together
//
// So for the third pattern, a number or a Han character is the end of the text.
#pragma once

#include <cstddef>
#include <memory>
#include <string_view>

#include "tidemill/formats/tokens/encoder.h"
#include "tidemill/formats/tokens/endless_piece.h"

namespace tidemill::tokens {

// As piece_end(): the end of the piece that begins at `from`, or kUncertain.
[[nodiscard]] std::size_t deepseek_piece_end(std::string_view text, std::size_t from,
                                             bool is_whole);
[[nodiscard]] std::size_t gpt2_piece_end(std::string_view text, std::size_t from, bool is_whole);

// As endless_piece(), for the same two.
[[nodiscard]] std::unique_ptr<EndlessPiece> deepseek_endless_piece(Encoder& encoder,
                                                                   std::string_view text);
[[nodiscard]] std::unique_ptr<EndlessPiece> gpt2_endless_piece(Encoder& encoder,
                                                               std::string_view text);

}  // namespace tidemill::tokens
