#include "tidemill/ui/term/block_painter.h"

#include <algorithm>

#include "tidemill/formats/text/columns.h"

namespace tidemill::term {
namespace {

constexpr std::string_view kClearRest = "\x1b[K";
constexpr std::string_view kNextLine = "\r\n";  // works even if the terminal does not add a return

std::string up(std::size_t lines) {
  return lines == 0 ? std::string() : "\x1b[" + std::to_string(lines) + "A";
}

// Ignores the sequences that set colours.
std::size_t width_of(std::string_view line) {
  std::string bare;
  while (!line.empty()) {
    const std::size_t escape = std::min(line.find('\x1b'), line.size());
    bare += line.substr(0, escape);
    line.remove_prefix(escape);
    if (!line.empty()) line.remove_prefix(std::min(line.find('m'), line.size() - 1) + 1);
  }
  return text::columns(bare);
}

}  // namespace

std::size_t BlockPainter::rows() const {
  std::size_t rows = 0;
  for (const std::size_t width : widths_) {
    rows += width_ == 0 ? 1 : std::max<std::size_t>(1, (width + width_ - 1) / width_);
  }
  return rows;
}

std::string BlockPainter::draw(const std::vector<std::string>& lines) {
  if (lines.empty()) return erase();
  const std::size_t before = rows();
  std::string bytes = "\r" + up(before);
  bytes.append("\x1b[m").append(kWrapOff);  // a command may have left a colour behind
  for (const std::string& line : lines) bytes.append(line).append(kClearRest).append(kNextLine);
  const std::size_t left_over = before > lines.size() ? before - lines.size() : 0;
  for (std::size_t i = 0; i < left_over; ++i) bytes.append(kClearRest).append(kNextLine);
  bytes.append(up(left_over)).append(kWrapOn);
  widths_.clear();
  for (const std::string& line : lines) widths_.push_back(width_of(line));
  return bytes;
}

std::string BlockPainter::erase() {
  if (!is_drawn()) return {};
  const std::size_t before = rows();
  std::string bytes = "\r" + up(before);
  for (std::size_t i = 0; i < before; ++i) bytes.append(kClearRest).append(kNextLine);
  widths_.clear();
  return bytes + up(before);
}

}  // namespace tidemill::term
