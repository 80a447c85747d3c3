// Blocks: what we write into a document stands between two markers, each in a paragraph of its own.
//
//   <!-- AI-SUMMARY-START -->                 <!-- AI-SEARCH-TERMS-START -->
//
//   …                                         …
//
//   <!-- AI-SUMMARY-END -->                   <!-- AI-SEARCH-TERMS-END -->
//
// People see the markers: Outline shows HTML comments as text. Only what is between them is ours.
// Who removes a marker has taken the text over, and we do not touch it any more. A start without
// its end, an end before its start, a marker of another block between ours, or two blocks that
// differ are `broken`: hands off. Two that say the same are `doubled`: a request of ours that was
// thought lost came late. Markers in code do not count.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tidemill/jobs/docs/server/patch.h"

namespace tidemill::docs {

enum class Block : std::uint8_t { summary, terms };

enum class BlockState : std::uint8_t { none, whole, doubled, broken };

struct BlockReading {
  BlockState state = BlockState::none;
  std::string content{};  // of the first, without blanks and newlines at its ends
  Range range{};          // of the first: from its start marker to behind its end marker
};

// Those with both markers; none if they are broken.
[[nodiscard]] std::vector<Range> whole_blocks(std::string_view text, Block block);
[[nodiscard]] BlockReading read_block(std::string_view text, Block block);
// A block with its markers, as it is sent. The content is to be quoted: it is not looked at here.
[[nodiscard]] std::string framed(Block block, std::string_view content);

// Whether two texts are the same to a reader: Outline gives back other blanks, escapes and marks
// than it was given. Letters, digits and what is not ASCII are compared.
[[nodiscard]] bool is_same(std::string_view a, std::string_view b);

// What somebody else wrote (an assistant, above all), for a document: paragraphs of plain text,
// valid UTF-8, no control characters, none that turn the reading direction, at most `most` bytes,
// cut at a character. Whatever it holds, it formats nothing but `code`, and no part of it is a
// command or a marker, also not after Outline has joined, split and unescaped it: wherever one
// could begin, its word becomes `code`.
[[nodiscard]] std::string quoted(std::string_view text, std::size_t most);
[[nodiscard]] std::string quoted_line(std::string_view text, std::size_t most);  // one paragraph

// The same for a comment, where nobody looks for commands: markdown may stay, but images get a
// backslash (they would be fetched from wherever they say as soon as somebody reads the comment).
[[nodiscard]] std::string tamed(std::string_view text, std::size_t most);
// On one line: newlines become blanks, runs of blanks one, none at the ends.
[[nodiscard]] std::string tamed_line(std::string_view text, std::size_t most);
// Its characters alone: valid UTF-8 without controls, at most `most` bytes. For what an assistant
// is to read.
[[nodiscard]] std::string cleaned(std::string_view text, std::size_t most);

// The lines of a text that would be commands if nothing were quoted, from the command's word to
// the end of its line and to the end of its paragraph, as is_same() compares them.
[[nodiscard]] std::vector<std::string> command_like(std::string_view text);
// As is_same() compares.
[[nodiscard]] std::string canonical(std::string_view text);

}  // namespace tidemill::docs
