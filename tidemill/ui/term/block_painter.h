// BlockPainter: computes the bytes that draw a block of lines on a terminal, over the previous
// block.
//
// The cursor rests at the start of the line below the block. Nothing above the block changes, and
// the screen is never cleared: each line is overwritten and the rest of it cleared, so nothing
// flickers. Lines must be narrower than the terminal, and there must be fewer of them than it has
// rows. Wrapping is off while they are written, so a line that the terminal considers wider is
// truncated and does not break the block. Pure: the caller writes the bytes.
//
// When a terminal becomes narrower it may rewrap its lines, so that the block has more rows than
// lines; the widths of the lines are kept for that. Some terminals truncate the lines instead.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace tidemill::term {

inline constexpr std::string_view kHideCursor = "\x1b[?25l";
inline constexpr std::string_view kShowCursor = "\x1b[?25h";
inline constexpr std::string_view kWrapOff = "\x1b[?7l";
inline constexpr std::string_view kWrapOn = "\x1b[?7h";

// One thread.
class BlockPainter {
 public:
  [[nodiscard]] bool is_drawn() const { return !widths_.empty(); }

  // The current width of the terminal. 0: the terminal does not rewrap lines.
  void set_width(std::size_t width) { width_ = width; }
  [[nodiscard]] std::string draw(const std::vector<std::string>& lines);
  // Leaves the cursor where the block began.
  [[nodiscard]] std::string erase();
  // Another process wrote to the terminal, so the position of the block is unknown: it stays there.
  void forget() { widths_.clear(); }

 private:
  [[nodiscard]] std::size_t rows() const;

  std::vector<std::size_t> widths_;  // of the drawn lines
  std::size_t width_ = 0;
};

}  // namespace tidemill::term
