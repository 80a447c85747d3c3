// BlockPainter: the bytes that put a block of lines on a terminal, over the one before it.
//
// The cursor rests at the start of the line below the block. Nothing above the block is touched and
// the screen is never cleared as a whole: each line is written over and its rest cleared, so there
// is no flicker. Lines must be narrower than the terminal and fewer than its lines; while they are
// written the terminal does not wrap, so a line that it takes to be wider costs its end and not the
// picture. Pure: who calls it writes the bytes.
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
  [[nodiscard]] bool is_drawn() const { return lines_ > 0; }

  [[nodiscard]] std::string draw(const std::vector<std::string>& lines);
  // Leaves the cursor where the block began.
  [[nodiscard]] std::string erase();
  // Somebody else wrote to the terminal: the block is not where it was, and stays there.
  void forget() { lines_ = 0; }

 private:
  std::size_t lines_ = 0;
};

}  // namespace tidemill::term
