// The vertical axis of a plot: from 0 to a round number, with up to five lines and their amounts.
#pragma once

#include "tidemill/formats/html/html.h"
#include "tidemill/formats/html/numbers.h"

namespace tidemill::html {

// Where the lines and the bars of a plot are.
struct PlotRows {
  double top = 0;
  double bottom = 0;
};

// *Immutable.*
class AmountAxis final {
 public:
  AmountAxis(Unit unit, double highest);

  [[nodiscard]] double left() const { return left_; }  // where the plot begins, beside the amounts
  [[nodiscard]] double y(double amount, PlotRows rows) const;  // too large: at the top
  void draw(Html& html, PlotRows rows) const;

 private:
  [[nodiscard]] int ticks() const;

  Unit unit_;
  AmountScale scale_;
  double left_ = 40;
};

}  // namespace tidemill::html
