// Blocks: what we write into a document stands between two markers, each on a line of its own.
//
//   <!-- AI-SUMMARY-START -->                 <!-- AI-SEARCH-TERMS-START -->
//   …                                         …
//   <!-- AI-SUMMARY-END -->                   <!-- AI-SEARCH-TERMS-END -->
//
// Only what is between them is ours. Who removes a marker has taken the text over, and we do not
// touch it any more. A start without its end, an end before its start, the same marker twice, or
// a marker of another block between ours is no block (and with any of them the state is `broken`:
// hands off). Markers in code do not count.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace tidemill::docs {

enum class Block : std::uint8_t { summary, terms };

enum class BlockState : std::uint8_t { none, whole, broken };

struct BlockReading {
  BlockState state = BlockState::none;
  std::string content{};  // of a whole one, without the newlines next to the markers
};

[[nodiscard]] BlockReading read_block(std::string_view text, Block block);

// With a whole block its content is replaced; with none the block is added (a summary at the
// beginning, terms at the end, but before a fence that is never closed), with an empty line between
// it and the rest. Every other byte of the text stays. Nothing: the block is broken. The content
// is to be tame: it is not looked at here.
[[nodiscard]] std::optional<std::string> with_block(std::string_view text, Block block,
                                                    std::string_view content);

// What somebody else wrote (an assistant, above all), made fit to stand in a document: valid UTF-8,
// no control characters but newlines, none that turn the reading direction, no line that is a
// command or a marker, no fence that is never closed, no image (all those get a backslash in
// front: an image would be fetched from wherever it says as soon as somebody reads the document),
// at most `most` bytes, cut at a character.
[[nodiscard]] std::string tamed(std::string_view text, std::size_t most);
// The same on one line: newlines become blanks, runs of blanks one, none at the ends.
[[nodiscard]] std::string tamed_line(std::string_view text, std::size_t most);
// Its characters alone: valid UTF-8 without controls, at most `most` bytes. For what an assistant
// is to read: commands, markers and fences stay as they are.
[[nodiscard]] std::string cleaned(std::string_view text, std::size_t most);

}  // namespace tidemill::docs
