#include "tidemill/formats/html/table.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "tidemill/formats/html/numbers.h"

namespace tidemill::html {
namespace {

void add_column(Html& html, const DataColumn& column) {
  html.element("th", {{"scope", "col"}, {"class", column.is_number ? "number" : "words"}}, [&] {
    if (column.is_title_hidden) {
      html.element("span", {{"class", "hidden"}}, column.title);
    } else {
      html.text(column.title);
    }
  });
}

void add_row(Html& html, const DataTable& table, std::size_t header,
             const std::vector<SafeHtml>& cells) {
  html.element("tr", {}, [&] {
    for (std::size_t i = 0; i < table.columns.size(); ++i) {
      const SafeHtml& cell = i < cells.size() ? cells[i] : SafeHtml();
      if (i == header) {
        html.element("th", {{"scope", "row"}}, cell);
      } else if (table.columns[i].is_number) {
        html.element("td", {{"class", "number"}}, cell);
      } else {
        html.element("td", {}, cell);
      }
    }
  });
}

double part(double share) { return std::isfinite(share) ? std::clamp(share, 0.0, 1.0) : 0.0; }

// "77 %", "0.4 %", "<0.1 %"
std::string percent_text(double share) {
  const double percent = 100 * part(share);
  if (percent == 0) return "0 %";
  if (percent < 0.1) return "<0.1 %";
  std::string text;
  const bool is_small = percent < 10;
  append_tenths(text, is_small ? tenths(percent) : 10 * std::llround(percent));
  return text + " %";
}

}  // namespace

SafeHtml data_table(const DataTable& table) {
  const auto named = std::ranges::find_if(table.columns, &DataColumn::is_header);
  const std::size_t header =
      named == table.columns.end() ? 0 : static_cast<std::size_t>(named - table.columns.begin());
  Html html;
  html.element(
      "section", {{"class", "scroll"}, {"tabindex", "0"}, {"aria-label", table.caption}}, [&] {
        html.element("table", {}, [&] {
          html.element("caption", {{"class", table.is_caption_hidden ? "hidden" : "quiet"}},
                       table.caption);
          html.element("thead", {}, [&] {
            html.element("tr", {}, [&] {
              for (const DataColumn& column : table.columns) add_column(html, column);
            });
          });
          html.element("tbody", {}, [&] {
            for (const auto& row : table.rows) add_row(html, table, header, row);
          });
        });
      });
  return html.finish();
}

SafeHtml words(std::string_view text) { return Html().text(text).finish(); }

SafeHtml file_name(std::string_view name) {
  Html html;
  html.element("span", {{"class", "mono"}}, [&] { html.name(name); });
  return html.finish();
}

SafeHtml share_bar(double share, double length, PlotColor color) {
  Html html;
  html.element("span", {{"class", "share"}}, [&] {
    html.element(
        "svg",
        {{"viewBox", "0 0 100 10"}, {"preserveAspectRatio", "none"}, {"aria-hidden", "true"}}, [&] {
          const double width = 100 * part(length);
          html.element("rect", {{"class", "fill " + std::string(css_class(color))},
                                {"width", share > 0 ? std::max(width, 2.0) : 0.0},
                                {"height", 10}});
        });
    html.text(" ").text(percent_text(share));
  });
  return html.finish();
}

}  // namespace tidemill::html
