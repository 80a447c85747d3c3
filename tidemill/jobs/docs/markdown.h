// Markdown, as far as commands and blocks need it: lines, which of them are code, and where our
// markers stand.
//
// Code is what a fence holds (``` or ~~~, at most three blanks in front or behind a list's bullet;
// one that is never closed goes to the end). Indented code needs no finding: nothing that we look
// for may have four blanks or a tab in front. A line of text never opens or closes anything, so
// taking one out changes nothing about the others. Nothing is copied, nothing can fail; every
// reading is linear.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string_view>

#include "tidemill/jobs/docs/blocks.h"

namespace tidemill::docs {

inline constexpr std::string_view kBlanks = " \t\r\v\f";

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
  // Where the line starts that opened the fence in which the last line was.
  [[nodiscard]] std::optional<std::size_t> open_fence() const;

 private:
  [[nodiscard]] bool takes_fence(const Line& line);  // says whether the line is code

  std::string_view text_;
  std::size_t at_ = 0;
  std::optional<Fence> open_{};
  std::size_t opened_at_ = 0;
};

struct Marker {
  Block block = Block::summary;
  bool is_start = true;
};
[[nodiscard]] std::optional<Marker> marker_of(std::string_view line);
[[nodiscard]] std::string_view text_of(Marker marker);

// Where a block is: [start, end) is what lies between the lines of its markers.
struct Place {
  BlockState state = BlockState::none;
  std::size_t start = 0;
  std::size_t end = 0;
  [[nodiscard]] bool holds(std::size_t at) const {
    return state == BlockState::whole && start <= at && at < end;
  }
};

struct Places {
  std::array<Place, 2> blocks{};  // by Block
  std::optional<std::size_t> open_fence{};
};
[[nodiscard]] Places places_in(std::string_view text);

}  // namespace tidemill::docs
