// BlockPainter: the bytes that put a block of lines on a terminal, over the one before it.
//
// The cursor rests at the start of the line below the block. Nothing above the block is touched and
// the screen is never cleared as a whole: each line is written over and its rest cleared, so there
// is no flicker. Lines must be narrower than the terminal and fewer than its lines; while they are
// written the terminal does not wrap, so a line that it takes to be wider costs its end and not the
// picture. Pure: who calls it writes the bytes.
//
// A terminal that has become narrower breaks the lines that it shows anew, and the block has more
// rows than it had lines; so it is remembered how wide they are. Some terminals cut them instead.
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

  // Of the terminal now. 0: whatever it is, it does not break lines anew.
  void set_width(std::size_t width) { width_ = width; }
  [[nodiscard]] std::string draw(const std::vector<std::string>& lines);
  // Leaves the cursor where the block began.
  [[nodiscard]] std::string erase();
  // Somebody else wrote to the terminal: the block is not where it was, and stays there.
  void forget() { widths_.clear(); }

 private:
  [[nodiscard]] std::size_t rows() const;

  std::vector<std::size_t> widths_;  // of the lines that are drawn
  std::size_t width_ = 0;
};

}  // namespace tidemill::term
