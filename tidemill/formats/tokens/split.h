// Where the pieces of a text begin: the patterns of tiktoken, written out by hand.
//
// A text is cut into pieces first (a word with the blank before it, up to three digits, a run of
// signs …), and merging never crosses a cut. What follows the text may decide where its last piece
// ends, so a text that goes on is cut only as far as is certain. Nothing here can fail.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace tidemill::tokens {

enum class Rules : std::uint8_t {
  cl100k,  // cl100k_base; Llama 3 has the same
  qwen,    // as cl100k, but every digit for itself
  o200k,   // o200k_base
};

inline constexpr std::size_t kUncertain = 0;

// Where the piece that begins at `from` ends. `text` is valid UTF-8 and `from` is inside it, at the
// begin of a piece. With `is_whole` the text ends there; without, the answer is kUncertain when it
// depends on what comes after.
[[nodiscard]] std::size_t piece_end(Rules rules, std::string_view text, std::size_t from,
                                    bool is_whole);

// Behind 's 't 'm 'd 're 've 'll, in any case, when one stands at `from` of a text that ends there;
// else `from`.
[[nodiscard]] std::size_t contraction_end(std::string_view text, std::size_t from);

}  // namespace tidemill::tokens
