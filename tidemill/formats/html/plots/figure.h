// What all plots share: the frame around the drawing, paths, and the places of labels. The drawings
// are 480 units wide at any size on the screen; the style sheet keeps their text readable.
//
// A plot is a figure: an image whose label says its main facts in words, the drawing, keys that
// name each colour, and a closed table of the numbers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tidemill/formats/html/html.h"
#include "tidemill/formats/html/plot_color.h"

namespace tidemill::html {

inline constexpr double kPlotWidth = 480;
inline constexpr double kPlotRight = 474;     // where plots with axes end
inline constexpr std::size_t kMostRows = 40;  // of the table below a plot

// How wide and high a text is at most, in units: style.css enlarges it on small screens, up to 15.
[[nodiscard]] double label_width(std::string_view text);
inline constexpr double kLabelHeight = 18;

// The path of a line: the attribute `d`. *One thread.*
class PathData final {
 public:
  void move_to(double x, double y);
  void line_to(double x, double y);
  void box(double x, double y, double width, double height);
  [[nodiscard]] const std::string& str() const { return text_; }

 private:
  void step(char command, double x, double y);
  void append(std::int64_t tenths, bool is_first);

  std::string text_;
  std::int64_t x_ = 0;  // where the pen is, in tenths as it was written: errors do not add up
  std::int64_t y_ = 0;
};

// A text in a drawing. One in a group of the class "name" stands out from those of axes.
enum class LabelAnchor : std::uint8_t { start, middle, end };
void draw_label(Html& html, double x, double y, LabelAnchor anchor, std::string_view text);
// Below an axis: centred at x, moved where it would leave the drawing.
void draw_label_within(Html& html, double x, double y, std::string_view text);

// A colour and what it means.
struct PlotKey {
  std::string css_class{};
  std::string text{};
  bool is_line = false;
};

// The numbers of a plot. Cells are text, the first of a row is its header.
struct PlotNumbers {
  std::string note{};  // "40 of 2,000 samples"
  std::vector<std::string> columns{};
  std::vector<std::vector<std::string>> rows{};
};

struct PlotFigure {
  std::string title{};
  std::string facts{};  // for those who cannot see the drawing
  double height = 160;
  SafeHtml drawing{};
  std::vector<PlotKey> keys{};
  std::string caption{};  // what the drawing leaves out
  PlotNumbers numbers{};
};
[[nodiscard]] SafeHtml plot_figure(const PlotFigure& figure);

// Up to `most` of 0 … count - 1, evenly spaced, with the first and the last.
[[nodiscard]] std::vector<std::size_t> evenly(std::size_t count, std::size_t most);
// "all 12 samples", "40 of 2,000 samples, evenly spaced".
[[nodiscard]] std::string extent_text(std::size_t shown, std::size_t count, std::string_view what);

}  // namespace tidemill::html
