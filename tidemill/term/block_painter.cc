#include "tidemill/term/block_painter.h"

#include <utility>

namespace tidemill::term {
namespace {

constexpr std::string_view kClearRest = "\x1b[K";
constexpr std::string_view kNextLine = "\r\n";  // also when the terminal adds no return

std::string up(std::size_t lines) {
  return lines == 0 ? std::string() : "\x1b[" + std::to_string(lines) + "A";
}

}  // namespace

std::string BlockPainter::draw(const std::vector<std::string>& lines) {
  if (lines.empty()) return erase();
  std::string bytes = "\r" + up(lines_);
  bytes.append("\x1b[m").append(kWrapOff);  // a command may have left a colour behind
  for (const std::string& line : lines) bytes.append(line).append(kClearRest).append(kNextLine);
  const std::size_t left_over = lines_ > lines.size() ? lines_ - lines.size() : 0;
  for (std::size_t i = 0; i < left_over; ++i) bytes.append(kClearRest).append(kNextLine);
  bytes.append(up(left_over)).append(kWrapOn);
  lines_ = lines.size();
  return bytes;
}

std::string BlockPainter::erase() {
  if (lines_ == 0) return {};
  std::string bytes = "\r" + up(lines_);
  for (std::size_t i = 0; i < lines_; ++i) bytes.append(kClearRest).append(kNextLine);
  return bytes + up(std::exchange(lines_, 0));
}

}  // namespace tidemill::term
