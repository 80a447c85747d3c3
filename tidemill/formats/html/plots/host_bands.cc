#include "tidemill/formats/html/plots/host_bands.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <optional>
#include <span>
#include <string_view>

#include "tidemill/formats/html/numbers.h"
#include "tidemill/formats/html/plots/figure.h"
#include "tidemill/formats/text/printable.h"
#include "tidemill/formats/text/quantity.h"

namespace tidemill::html {
namespace {

constexpr std::size_t kMostHosts = 24;
constexpr std::size_t kNameColumns = 14;
constexpr double kBandHeight = 24;
constexpr double kPixel = 2;  // spans are drawn in columns of this width, which bounds their number

constexpr std::array kStates = {HostState::present, HostState::draining, HostState::away};

std::string_view state_name(HostState state) {
  switch (state) {
    case HostState::draining:
      return "draining";
    case HostState::away:
      return "away";
    case HostState::present:
      break;
  }
  return "present";
}

using Columns = std::vector<std::optional<HostState>>;

Columns columns_of(const HostBand& band, const TimeAxis& axis, double left) {
  Columns columns(static_cast<std::size_t>(std::ceil(axis.width() / kPixel)));
  for (const HostSpan& span : band.spans) {
    if (span.until < axis.range().from || span.from > axis.range().until) continue;
    if (span.until < span.from) continue;
    const auto first = static_cast<std::size_t>((axis.x(span.from) - left) / kPixel);
    auto end = static_cast<std::size_t>(std::ceil((axis.x(span.until) - left) / kPixel));
    end = std::min(std::max(end, first + 1), columns.size());
    for (std::size_t i = std::min(first, end - 1); i < end; ++i) {
      columns[i] = std::max(columns[i].value_or(HostState::present), span.state);
    }
  }
  return columns;
}

// *One thread.*
class BandDrawing final {
 public:
  BandDrawing(const TimeAxis& axis, double left) : axis_(axis), left_(left) {}

  void add(const HostBand& band) {
    const double top = static_cast<double>(rows_++) * kBandHeight;
    draw_label(labels_, left_ - 8, top + 16.5, LabelAnchor::end,
               text::fit(band.host, kNameColumns));
    const Columns columns = columns_of(band, axis_, left_);
    for (std::size_t begin = 0, end = 0; begin < columns.size(); begin = end) {
      while (end < columns.size() && columns[end] == columns[begin]) ++end;
      if (const auto& state = columns[begin]) add_span(*state, begin, end, top);
    }
  }

  [[nodiscard]] double height() const { return static_cast<double>(rows_) * kBandHeight + 4; }

  [[nodiscard]] SafeHtml draw() {
    Html html;
    axis_.draw(html, 0, height());
    for (std::size_t i = 0; i < kStates.size(); ++i) {
      if (paths_[i].str().empty()) continue;
      const std::string kind = "band " + std::string(state_name(kStates[i]));
      html.element("path", {{"class", kind}, {"d", paths_[i].str()}});
    }
    html.element("g", {{"class", "name"}}, labels_.finish());
    return html.finish();
  }

 private:
  void add_span(HostState state, std::size_t begin, std::size_t end, double top) {
    static constexpr std::array kHeights = {14.0, 7.0, 18.0};
    const auto index = static_cast<std::size_t>(state);
    const double x1 = left_ + static_cast<double>(begin) * kPixel;
    const double x2 = std::min(left_ + static_cast<double>(end) * kPixel, kPlotRight);
    const double height = kHeights[index];
    paths_[index].box(x1, top + (kBandHeight - height) / 2, x2 - x1, height);
    const std::string_view name = state_name(state);
    if (state == HostState::away && x2 - x1 > label_width(name) + 4) {
      draw_label(labels_, (x1 + x2) / 2, top + 16.5, LabelAnchor::middle, name);
    }
  }

  const TimeAxis& axis_;
  double left_;
  std::size_t rows_ = 0;
  std::array<PathData, 3> paths_;
  Html labels_;
};

std::chrono::nanoseconds time_in(const HostBand& band, HostState state, const TimeRange& range) {
  std::chrono::nanoseconds sum{};
  for (const HostSpan& span : band.spans) {
    const WallTime from = std::max(span.from, range.from);
    const WallTime until = std::min(span.until, range.until);
    if (span.state == state && until > from) sum += until - from;
  }
  return sum;
}

std::string hosts_text(std::size_t count) {
  return text::count_text(count) + (count == 1 ? " host" : " hosts");
}

std::string facts_of_hosts(const HostPlot& plot, const TimeAxis& axis) {
  std::string facts = hosts_text(plot.hosts.size()) + " from " + axis.text(axis.range().from) +
                      " to " + axis.text(axis.range().until);
  std::size_t told = 0;
  for (const HostBand& band : plot.hosts) {
    for (const HostSpan& span : band.spans) {
      if (span.state != HostState::away || ++told > 5) continue;
      facts += "; " + text::printable(band.host) + " away from " + axis.text(span.from) + " to " +
               axis.text(span.until);
    }
  }
  if (told > 5) facts += "; away " + text::count_text(told - 5) + " more times";
  if (told == 0) facts += "; none was away";
  return facts;
}

// What is not drawn.
std::string caption_of(std::span<const HostBand> rest, const TimeRange& range) {
  if (rest.empty()) return {};
  const auto away = std::ranges::count_if(rest, [&](const HostBand& band) {
    return time_in(band, HostState::away, range).count() > 0;
  });
  return "and " + hosts_text(rest.size()) + " more, " +
         (away == 0 ? "none" : text::count_text(static_cast<std::size_t>(away))) +
         " of them away at some time";
}

PlotNumbers numbers_of_hosts(const HostPlot& plot, const TimeRange& range) {
  PlotNumbers numbers{.note = {}, .columns = {"host"}, .rows = {}};
  for (const HostState state : kStates) numbers.columns.emplace_back(state_name(state));
  const std::size_t rows = std::min(plot.hosts.size(), kMostRows);
  for (const HostBand& band : std::span(plot.hosts).first(rows)) {
    auto& row = numbers.rows.emplace_back();
    row.push_back(text::printable(band.host));
    for (const HostState state : kStates) {
      row.push_back(text::seconds_text(time_in(band, state, range)));
    }
  }
  numbers.note = extent_text(rows, plot.hosts.size(), plot.hosts.size() == 1 ? "host" : "hosts");
  return numbers;
}

}  // namespace

SafeHtml host_bands(const HostPlot& plot) {
  const auto drawn = std::span(plot.hosts).first(std::min(plot.hosts.size(), kMostHosts));
  double left = 40;
  for (const HostBand& band : drawn) {
    left = std::max(left, label_width(text::fit(band.host, kNameColumns)) + 10);
  }
  const TimeAxis axis(plot.range, plot.time_text, left, kPlotRight);
  BandDrawing drawing(axis, left);
  for (const HostBand& band : drawn) drawing.add(band);
  PlotFigure figure{
      .title = plot.title,
      .facts = facts_of_hosts(plot, axis),
      .height = drawing.height() + kLabelHeight + 6,
      .drawing = drawing.draw(),
      .keys = {},
      .caption = caption_of(std::span(plot.hosts).subspan(drawn.size()), axis.range()),
      .numbers = numbers_of_hosts(plot, axis.range())};
  for (const HostState state : kStates) {
    const std::string name(state_name(state));
    figure.keys.push_back({.css_class = "band " + name, .text = name, .is_line = false});
  }
  return plot_figure(figure);
}

}  // namespace tidemill::html
