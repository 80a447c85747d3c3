// A table of data, for pages and below plots: headers of columns and rows, numbers to the right,
// and sideways scrolling by keyboard where it is wider than the screen.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tidemill/formats/html/html.h"
#include "tidemill/formats/html/plot_color.h"

namespace tidemill::html {

struct DataColumn {
  std::string title{};
  bool is_number = false;        // to the right, digits of one width
  bool is_title_hidden = false;  // the title is for screen readers only: bars, buttons
  bool is_header = false;        // the column that names the rows; without one, the first is
};

struct DataTable {
  std::string caption{};           // what the table holds; must differ within a page
  bool is_caption_hidden = false;  // under a heading that says the same
  std::vector<DataColumn> columns{};
  std::vector<std::vector<SafeHtml>> rows{};  // a short row is filled up
};

[[nodiscard]] SafeHtml data_table(const DataTable& table);

// Cells.
[[nodiscard]] SafeHtml words(std::string_view text);      // Html::text
[[nodiscard]] SafeHtml file_name(std::string_view name);  // Html::name, in a monospaced font
// A horizontal bar and its share of the total in words: "77 %". `length` is that of the bar, 1 for
// the longest of the column. Both are in [0, 1].
[[nodiscard]] SafeHtml share_bar(double share, double length, PlotColor color = PlotColor::blue);

}  // namespace tidemill::html
