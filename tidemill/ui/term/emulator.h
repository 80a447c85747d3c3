// Emulator: a terminal for tests. It is fed with the bytes that a console wrote, and gives the
// lines that a user would see.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tidemill/formats/text/columns.h"
#include "tidemill/formats/text/utf8.h"
#include "tidemill/ui/term/terminal.h"

namespace tidemill::term {

// Supports the sequences that the console uses. Lines that scrolled out at the top stay in rows_,
// but the cursor cannot reach them.
class Emulator {
 public:
  explicit Emulator(Size size) : size_(size) {}

  void feed(std::string_view bytes) {
    while (!bytes.empty()) bytes.remove_prefix(step(bytes));
  }

  // Makes the terminal narrower and rewraps its lines; the cursor stays with its row.
  void narrow(std::size_t width) {
    const auto step = static_cast<std::ptrdiff_t>(width);
    std::vector<std::vector<std::string>> rows;
    std::size_t row = 0;
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      if (i == row_) row = rows.size();
      auto rest = rows_[i];
      for (; rest.size() > width; rest.erase(rest.begin(), rest.begin() + step)) {
        rows.emplace_back(rest.begin(), rest.begin() + step);
      }
      rows.push_back(std::move(rest));
    }
    rows_ = std::move(rows);
    row_ = row;
    size_.width = width;
  }

  [[nodiscard]] std::vector<std::string> lines() const {
    std::vector<std::string> lines;
    for (const auto& row : rows_) {
      std::string line;
      for (const auto& cell : row) line += cell.empty() ? " " : cell == kSecondHalf ? "" : cell;
      line.erase(line.find_last_not_of(' ') + 1);
      lines.push_back(line);
    }
    while (!lines.empty() && lines.back().empty()) lines.pop_back();
    return lines;
  }
  [[nodiscard]] bool is_cursor_hidden() const { return is_cursor_hidden_; }
  [[nodiscard]] bool does_wrap() const { return does_wrap_; }
  [[nodiscard]] const std::string& unknown() const { return unknown_; }

 private:
  static constexpr std::string_view kSecondHalf = "\x01";

  std::size_t step(std::string_view bytes) {
    if (bytes[0] == '\x1b') return sequence(bytes);
    if (bytes[0] == '\r') {
      column_ = 0;
      return 1;
    }
    if (bytes[0] == '\n') {
      next_row();
      return 1;
    }
    const auto [code, length] = text::front_character(bytes);
    const std::size_t size = std::max<std::size_t>(length, 1);
    put(std::string(bytes.substr(0, size)), length == 0 ? 1 : text::columns(code));
    return size;
  }

  void next_row() {  // includes a carriage return, as terminals are configured
    column_ = 0;
    if (++row_ == rows_.size()) rows_.emplace_back();
  }

  void put(const std::string& character, std::size_t wide) {
    if (wide == 0) return;
    if (column_ + wide > size_.width) {
      if (does_wrap_) {
        next_row();
      } else {
        column_ = size_.width - wide;
      }
    }
    auto& row = rows_[row_];
    if (row.size() < column_ + wide) row.resize(column_ + wide);
    row[column_] = character;
    if (wide == 2) row[column_ + 1] = kSecondHalf;
    column_ += wide;
  }

  std::size_t sequence(std::string_view bytes) {
    const auto end = bytes.find_first_not_of("?0123456789;", 2);
    if (bytes.size() < 3 || bytes[1] != '[' || end == std::string_view::npos) {
      unknown_ += bytes;
      return bytes.size();
    }
    const std::string body(bytes.substr(2, end - 1));
    const std::size_t top = rows_.size() > size_.height ? rows_.size() - size_.height : 0;
    if (body.back() == 'A') {
      const auto by = std::max(1UL, std::stoul("0" + body));
      row_ = std::max(top, row_ > by ? row_ - by : 0);
    } else if (body == "K") {
      rows_[row_].resize(std::min(rows_[row_].size(), column_));
    } else if (body == "?25l" || body == "?25h") {
      is_cursor_hidden_ = body == "?25l";
    } else if (body == "?7l" || body == "?7h") {
      does_wrap_ = body == "?7h";
    } else if (body.back() != 'm') {
      unknown_ += body;
    }
    return end + 1;
  }

  Size size_;
  std::vector<std::vector<std::string>> rows_{1};
  std::size_t row_ = 0;
  std::size_t column_ = 0;
  bool is_cursor_hidden_ = false;
  bool does_wrap_ = true;
  std::string unknown_;
};

}  // namespace tidemill::term
