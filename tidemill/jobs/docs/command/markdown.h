// Parses Outline's markdown as far as commands and blocks need it: lines, which of them are code,
// the parts of a line, and the positions of our markers.
//
// Code is the content of a fence (``` or ~~~, after at most three blanks or a list bullet; a fence
// that is never closed extends to the end). Indented code needs no detection: nothing that we
// search for may be indented by four blanks or a tab. Copies nothing, cannot fail, and runs in
// linear time.
//
// What the server does to a text (docs/guide/docs.md has more): lines of one paragraph are joined
// with blanks; a hard line break (Shift+Enter) comes back as a backslash and an n within the line;
// unnecessary escapes are dropped, others are added; HTML comments become visible text.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tidemill/jobs/docs/command/blocks.h"
#include "tidemill/jobs/docs/server/patch.h"

namespace tidemill::docs {

inline constexpr std::string_view kBlanks = " \t\r\v\f";
inline constexpr std::string_view kHardBreak = "\\n";  // as Outline writes it: two characters

struct MarkdownLine {
  std::size_t start = 0;  // offset in the text
  std::string_view body{};
  std::string_view end{};  // "\n", "\r\n", or empty in the last one
  bool is_code = false;    // including the fences

  [[nodiscard]] std::size_t size() const { return body.size() + end.size(); }
};

// The number of leading blanks that markdown ignores: 0 to 3. Empty if the line is indented code.
[[nodiscard]] std::optional<std::size_t> margin_of(std::string_view line);
[[nodiscard]] std::string_view trimmed(std::string_view text);  // blanks at both ends

// The part of a line between two hard breaks; the complete line if it has none. Breaks within
// `code` are plain characters.
struct LinePart {
  std::size_t start = 0;  // offset in the text
  std::string_view body{};
  bool follows_break = false;
  bool precedes_break = false;
};
[[nodiscard]] std::vector<LinePart> parts_of(const MarkdownLine& line);

// The text as users see it, without the backslashes before punctuation.
[[nodiscard]] std::string unescaped(std::string_view markdown);

// The run of ``` or ~~~ if the line would open a fence outside code.
struct Fence {
  char kind = '`';
  std::size_t at = 0;  // in the line
  std::size_t length = 0;
  bool is_bare = false;  // no other text on the line: may close a fence
};
[[nodiscard]] std::optional<Fence> fence_of(std::string_view line);

// One thread.
class LineReader {
 public:
  explicit LineReader(std::string_view text) : text_(text) {}  // must outlive the reader

  [[nodiscard]] std::optional<MarkdownLine> next();

 private:
  [[nodiscard]] bool takes_fence(const MarkdownLine& line);  // returns whether the line is code

  std::string_view text_;
  std::size_t at_ = 0;
  std::optional<Fence> open_{};
};

struct Marker {
  MarkedBlock block = MarkedBlock::summary;
  bool is_start = true;
  Range range{};
};
[[nodiscard]] std::string_view text_of(MarkedBlock block, bool is_start);
// The markers outside code, in order. A marker may share a line with other text: Outline joins
// lines.
[[nodiscard]] std::vector<Marker> markers_in(std::string_view text);

}  // namespace tidemill::docs
