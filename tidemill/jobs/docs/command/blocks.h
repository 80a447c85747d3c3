// Blocks: the text that we write into a document, between two markers, each in a paragraph of its
// own.
//
//   <!-- AI-SUMMARY-START -->                 <!-- AI-SEARCH-TERMS-START -->
//
//   …                                         …
//
//   <!-- AI-SUMMARY-END -->                   <!-- AI-SEARCH-TERMS-END -->
//
// Users see the markers: Outline shows HTML comments as text. Only the text between them is ours. A
// user who removes a marker has taken the text over, and we do not change it any more. A start
// without an end, an end before its start, a marker of another block between ours, or two blocks
// that differ are `broken`, and we do not change them. Two equal blocks are `doubled`: a request
// that we assumed lost arrived late. Markers in code do not count.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tidemill/jobs/docs/server/patch.h"

namespace tidemill::docs {

enum class MarkedBlock : std::uint8_t { summary, terms };

enum class BlockState : std::uint8_t { none, whole, doubled, broken };

struct BlockReading {
  BlockState state = BlockState::none;
  std::string content{};  // of the first block, trimmed
  Range range{};          // of the first block, including both markers
};

// The blocks with both markers; none if they are broken.
[[nodiscard]] std::vector<Range> whole_blocks(std::string_view text, MarkedBlock block);
[[nodiscard]] BlockReading read_block(std::string_view text, MarkedBlock block);
// A block with its markers, as it is sent. The content must be quoted by the caller.
[[nodiscard]] std::string framed(MarkedBlock block, std::string_view content);

// Whether two texts are the same to a reader: Outline returns other blanks, escapes and markup than
// it was sent. Compares only letters, digits and non-ASCII characters.
[[nodiscard]] bool is_same(std::string_view a, std::string_view b);

// Quotes untrusted text (mostly of an assistant) for a document: paragraphs of plain text, valid
// UTF-8, without control characters and characters that change the reading direction, at most
// `most` bytes, cut between characters. The result has no formatting except `code`, and no part of
// it is a command or a marker, even after Outline has joined, split and unescaped it: where one
// could begin, its word becomes `code`.
[[nodiscard]] std::string quoted(std::string_view text, std::size_t most);
[[nodiscard]] std::string quoted_line(std::string_view text, std::size_t most);  // one paragraph

// The same for a comment, where commands are not recognised: markdown is kept, but images are
// escaped (a reader's browser would fetch them from any address).
[[nodiscard]] std::string tamed(std::string_view text, std::size_t most);
// On one line: newlines become blanks, runs of blanks are collapsed, and the ends are trimmed.
[[nodiscard]] std::string tamed_line(std::string_view text, std::size_t most);
// Valid UTF-8 without control characters, at most `most` bytes: for prompts to an assistant.
[[nodiscard]] std::string cleaned(std::string_view text, std::size_t most);

// The lines of a text that would be commands if they were not quoted: from the command's word to
// the end of its line, and to the end of its paragraph, each as canonical().
[[nodiscard]] std::vector<std::string> command_like(std::string_view text);
// The characters that is_same() compares.
[[nodiscard]] std::string canonical(std::string_view text);

}  // namespace tidemill::docs
