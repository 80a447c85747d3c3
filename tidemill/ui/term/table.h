// Table: rows under headings, in aligned columns without borders.
//
//   RUN  STATE   FAILED  COMMAND
//     7  done         0  convert {} {.}.png
//    12  broken     118  sh -c 'very long c…sses >out.txt'
//
// Cells may contain any bytes: they are escaped (formats/text/printable.h). If the table is too
// wide, the widest left-aligned columns are shortened in the middle first; right-aligned ones
// (numbers) only if that is not enough. Nothing can fail.
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
  static constexpr std::size_t kReadable = 12;  // minimum for texts while numbers are not shortened

  explicit Table(std::vector<TableColumn> columns) : columns_(std::move(columns)) {}

  // `cells` must have one cell per column.
  void add(std::vector<std::string> cells);
  [[nodiscard]] std::size_t size() const { return rows_.size(); }

  // Lines with newlines, at most `width` columns wide; without a width, as wide as needed (a pipe).
  [[nodiscard]] std::string text(std::optional<std::size_t> width = std::nullopt) const;

 private:
  [[nodiscard]] std::vector<std::size_t> widths(std::optional<std::size_t> limit) const;

  std::vector<TableColumn> columns_;
  std::vector<std::vector<std::string>> rows_{};  // escaped
};

}  // namespace tidemill::term
