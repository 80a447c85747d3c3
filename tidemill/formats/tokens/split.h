// Splits a text into pieces: the patterns of tiktoken, implemented without regular expressions.
//
// A text is first split into pieces (a word with the blank before it, up to three digits, a run of
// signs …), and no merge crosses the boundary of a piece. The following text may decide where the
// last piece ends, so an incomplete text is split only as far as is certain. Nothing here can fail.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace tidemill::tokens {

enum class SplitRules : std::uint8_t {
  cl100k,  // cl100k_base, also Llama 3
  qwen,    // as cl100k, but every digit is a piece
  o200k,   // o200k_base
};

inline constexpr std::size_t kUncertain = 0;

// The end of the piece that begins at `from`. `text` is valid UTF-8 and `from` is inside it, at the
// beginning of a piece. With `is_whole` the text is complete; otherwise the result is kUncertain if
// it depends on the following text.
[[nodiscard]] std::size_t piece_end(SplitRules rules, std::string_view text, std::size_t from,
                                    bool is_whole);

// The end of 's 't 'm 'd 're 've 'll, in upper or lower case, at `from` in a complete text; `from`
// if there is none.
[[nodiscard]] std::size_t contraction_end(std::string_view text, std::size_t from);

}  // namespace tidemill::tokens
