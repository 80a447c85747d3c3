// Table: rows under headings, in columns that line up, without any lines drawn.
//
//   RUN  STATE   FAILED  COMMAND
//     7  done         0  convert {} {.}.png
//    12  broken     118  sh -c 'very long c…sses >out.txt'
//
// Cells may hold anything: they are escaped (formats/text/printable.h). When the table is too wide,
// the widest left-aligned columns are shortened in the middle first; numbers only when nothing else
// is left to take from. Nothing can fail.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace tidemill::term {

enum class Align : std::uint8_t { left, right };

struct TableColumn {
  std::string heading{};
  Align align = Align::left;
};

// One thread.
class Table {
 public:
  static constexpr std::size_t kGap = 2;        // columns between two cells
  static constexpr std::size_t kReadable = 12;  // a text is not made narrower before numbers are

  explicit Table(std::vector<TableColumn> columns) : columns_(std::move(columns)) {}

  // As many cells as there are columns.
  void add(std::vector<std::string> cells);
  [[nodiscard]] std::size_t size() const { return rows_.size(); }

  // Lines with line ends, at most `width` columns wide; no width: as wide as it gets (a pipe).
  [[nodiscard]] std::string text(std::optional<std::size_t> width = std::nullopt) const;

 private:
  [[nodiscard]] std::vector<std::size_t> widths(std::optional<std::size_t> limit) const;

  std::vector<TableColumn> columns_;
  std::vector<std::vector<std::string>> rows_{};  // escaped
};

}  // namespace tidemill::term
