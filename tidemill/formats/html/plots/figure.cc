#include "tidemill/formats/html/plots/figure.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "tidemill/formats/html/numbers.h"
#include "tidemill/formats/html/table.h"
#include "tidemill/formats/text/columns.h"
#include "tidemill/formats/text/printable.h"
#include "tidemill/formats/text/quantity.h"

namespace tidemill::html {
namespace {

constexpr double kColumnWidth = 9.6;  // of digits and most letters at 15, in a wide sans-serif

void add_keys(Html& html, const std::vector<PlotKey>& keys) {
  html.element("ul", {{"class", "keys"}}, [&] {
    for (const PlotKey& key : keys) {
      html.element("li", {}, [&] {
        html.element(
            "svg",
            {{"viewBox", "0 0 22 12"}, {"width", 22}, {"height", 12}, {"aria-hidden", "true"}},
            [&] {
              if (key.is_line) {
                html.element("path", {{"class", key.css_class}, {"d", "M1 6h20"}});
              } else {
                html.element(
                    "rect",
                    {{"class", key.css_class}, {"x", 1}, {"y", 1}, {"width", 20}, {"height", 10}});
              }
            });
        html.text(" ").text(key.text);
      });
    }
  });
}

void add_numbers(Html& html, const PlotFigure& figure) {
  const PlotNumbers& numbers = figure.numbers;
  DataTable table{.caption = figure.title + ": " + numbers.note, .columns = {}, .rows = {}};
  for (const std::string& column : numbers.columns) {
    table.columns.push_back({.title = column, .is_number = !table.columns.empty()});
  }
  for (const auto& row : numbers.rows) {
    auto& cells = table.rows.emplace_back();
    for (const std::string& cell : row) cells.push_back(words(cell));
  }
  html.element("details", {}, [&] {
    html.element("summary", {}, [&] {
      html.text("Numbers").element("span", {{"class", "hidden"}}, " of " + figure.title);
    });
    html.add(data_table(table));
  });
}

}  // namespace

double label_width(std::string_view text) {
  return kColumnWidth * static_cast<double>(text::columns(text::printable(text)));
}

void PathData::move_to(double x, double y) { step('m', x, y); }

void PathData::line_to(double x, double y) { step('l', x, y); }

void PathData::box(double x, double y, double width, double height) {
  move_to(x, y);
  text_ += 'h';
  append(tenths(width), true);
  text_ += 'v';
  append(tenths(height), true);
  text_ += 'h';
  append(-tenths(width), true);
  text_ += 'z';  // the pen is where it began
}

void PathData::step(char command, double x, double y) {
  const std::int64_t to_x = tenths(x);
  const std::int64_t to_y = tenths(y);
  text_ += command;
  append(to_x - x_, true);
  append(to_y - y_, false);
  x_ = to_x;
  y_ = to_y;
}

void PathData::append(std::int64_t tenths, bool is_first) {
  if (!is_first && tenths >= 0) text_ += ' ';
  append_tenths(text_, tenths);
}

void draw_label(Html& html, double x, double y, LabelAnchor anchor, std::string_view text) {
  if (anchor == LabelAnchor::start) {
    html.element("text", {{"x", x}, {"y", y}}, text);
  } else {
    const bool is_middle = anchor == LabelAnchor::middle;
    html.element("text", {{"x", x}, {"y", y}, {"text-anchor", is_middle ? "middle" : "end"}}, text);
  }
}

void draw_label_within(Html& html, double x, double y, std::string_view text) {
  const double half = label_width(text) / 2;
  if (x + half > kPlotWidth) {
    draw_label(html, kPlotWidth, y, LabelAnchor::end, text);
  } else if (x - half < 0) {
    draw_label(html, 0, y, LabelAnchor::start, text);
  } else {
    draw_label(html, x, y, LabelAnchor::middle, text);
  }
}

SafeHtml plot_figure(const PlotFigure& figure) {
  Html html;
  html.element("figure", {{"class", "plot"}}, [&] {
    if (figure.keys.size() > 1) add_keys(html, figure.keys);
    std::string view = "0 0 ";
    append_tenths(view, tenths(kPlotWidth));
    view += ' ';
    append_tenths(view, tenths(figure.height));
    html.element(
        "svg",
        {{"viewBox", view}, {"role", "img"}, {"aria-label", figure.title + ": " + figure.facts}},
        figure.drawing);
    if (!figure.caption.empty()) html.element("p", {{"class", "quiet"}}, figure.caption);
    if (!figure.numbers.rows.empty()) add_numbers(html, figure);
  });
  return html.finish();
}

std::vector<std::size_t> evenly(std::size_t count, std::size_t most) {
  std::vector<std::size_t> chosen(std::min(count, most));
  std::iota(chosen.begin(), chosen.end(), 0);
  if (count > most && most > 1) {
    for (std::size_t& index : chosen) {
      const double part = static_cast<double>(index) / static_cast<double>(most - 1);
      index = static_cast<std::size_t>(std::lround(part * static_cast<double>(count - 1)));
    }
  }
  return chosen;
}

std::string extent_text(std::size_t shown, std::size_t count, std::string_view what) {
  if (shown >= count) return text::count_text(count) + " " + std::string(what);
  return text::count_text(shown) + " of " + text::count_text(count) + " " + std::string(what);
}

}  // namespace tidemill::html
