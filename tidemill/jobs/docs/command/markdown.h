// Markdown as Outline keeps it, as far as commands and blocks need it: lines, which of them are
// code, the parts of a line, and where our markers stand.
//
// Code is what a fence holds (``` or ~~~, at most three blanks in front or behind a list's bullet;
// one that is never closed goes to the end). Indented code needs no finding: nothing that we look
// for may have four blanks or a tab in front. Nothing is copied, nothing can fail; every reading is
// linear.
//
// What the server does to a text that it is given (docs/guide/docs.md has more): lines of one
// paragraph are joined with blanks; a hard line break (Shift+Enter) comes back as a backslash and
// an n within the line; escapes that are not needed are dropped, others are added; HTML comments
// are text that people see.
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

struct Line {
  std::size_t start = 0;  // where it is in the text
  std::string_view body{};
  std::string_view end{};  // "\n", "\r\n", or nothing in the last one
  bool is_code = false;    // fences are, too

  [[nodiscard]] std::size_t size() const { return body.size() + end.size(); }
};

// Blanks in front of a line that markdown does not care about: 0 to 3. Nothing: it is indented.
[[nodiscard]] std::optional<std::size_t> margin_of(std::string_view line);
[[nodiscard]] std::string_view trimmed(std::string_view text);  // blanks at both ends

// What stands between two hard breaks of a line; the whole line, if it has none. Breaks within
// `code` are letters.
struct Part {
  std::size_t start = 0;  // where it is in the text
  std::string_view body{};
  bool follows_break = false;
  bool precedes_break = false;
};
[[nodiscard]] std::vector<Part> parts_of(const Line& line);

// Without the backslashes in front of punctuation: what people see.
[[nodiscard]] std::string unescaped(std::string_view markdown);

// The run of ``` or ~~~ of a line that opens a fence, were it text; else nothing.
struct Fence {
  char kind = '`';
  std::size_t at = 0;  // in the line
  std::size_t length = 0;
  bool is_bare = false;  // nothing in front of it and behind it: may close one
};
[[nodiscard]] std::optional<Fence> fence_of(std::string_view line);

// One thread.
class LineReader {
 public:
  explicit LineReader(std::string_view text) : text_(text) {}  // must outlive the reader

  [[nodiscard]] std::optional<Line> next();

 private:
  [[nodiscard]] bool takes_fence(const Line& line);  // says whether the line is code

  std::string_view text_;
  std::size_t at_ = 0;
  std::optional<Fence> open_{};
};

struct Marker {
  Block block = Block::summary;
  bool is_start = true;
  Range range{};
};
[[nodiscard]] std::string_view text_of(Block block, bool is_start);
// Those outside code, in their order. They may share a line with others: Outline joins lines.
[[nodiscard]] std::vector<Marker> markers_in(std::string_view text);

}  // namespace tidemill::docs
