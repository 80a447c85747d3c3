#include "tidemill/formats/html/plots/amount_axis.h"

#include <algorithm>
#include <cmath>

#include "tidemill/formats/html/plots/figure.h"

namespace tidemill::html {

AmountAxis::AmountAxis(Unit unit, double highest)
    : unit_(unit), scale_(amount_scale(unit, highest)) {
  for (int i = 0; i <= ticks(); ++i) {
    left_ = std::max(left_, label_width(axis_text(unit_, i * scale_.step)) + 8);
  }
}

double AmountAxis::y(double amount, PlotRows rows) const {
  return rows.bottom - std::min(amount / scale_.max, 1.0) * (rows.bottom - rows.top);
}

void AmountAxis::draw(Html& html, PlotRows rows) const {
  PathData grid;
  for (int i = 0; i <= ticks(); ++i) {
    const double height = y(i * scale_.step, rows);
    grid.move_to(left_, height);
    grid.line_to(kPlotRight, height);
    draw_label(html, left_ - 6, height + 4, LabelAnchor::end, axis_text(unit_, i * scale_.step));
  }
  html.element("path", {{"class", "grid"}, {"d", grid.str()}});
}

int AmountAxis::ticks() const { return static_cast<int>(std::lround(scale_.max / scale_.step)); }

}  // namespace tidemill::html
