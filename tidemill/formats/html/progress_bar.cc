#include "tidemill/formats/html/progress_bar.h"

#include <algorithm>
#include <array>

#include "tidemill/formats/html/numbers.h"
#include "tidemill/formats/text/quantity.h"

namespace tidemill::html {
namespace {

constexpr double kWidth = 1000;
constexpr double kLeastWidth = 6;  // so that one failure of a million is seen

struct Part {
  const char* name;
  const char* css_class;
  double top;  // parts differ in height, too
  std::uint64_t count;
};

std::string percent_of(std::uint64_t count, double total) {
  const double percent = 100 * static_cast<double>(count) / total;
  // 100 % is said only of all.
  if (percent > 99.9 && percent < 100) return ">99.9 %";
  std::string text;
  append_tenths(text, tenths(percent));
  return count > 0 && text == "0" ? "<0.1 %" : text + " %";
}

void add_parts(Html& html, const std::array<Part, 4>& parts, double total) {
  double needed = 0;  // what parts take that are widened
  double wide = 0;    // tasks in the others
  for (const Part& part : parts) {
    const auto count = static_cast<double>(part.count);
    if (part.count == 0) continue;
    const bool is_narrow = count / total * kWidth < kLeastWidth;
    (is_narrow ? needed : wide) += is_narrow ? kLeastWidth : count;
  }
  double x = 0;
  for (const Part& part : parts) {
    if (part.count == 0) continue;
    const auto count = static_cast<double>(part.count);
    const bool is_narrow = count / total * kWidth < kLeastWidth;
    const double width = is_narrow ? kLeastWidth : count / wide * (kWidth - needed);
    html.element("rect", {{"class", part.css_class},
                          {"x", x},
                          {"y", part.top},
                          {"width", width},
                          {"height", 16 - 2 * part.top}});
    x += width;
  }
}

void add_words(Html& html, const std::array<Part, 4>& parts, const TaskCounts& counts,
               std::uint64_t total) {
  html.element("ul", {{"class", "keys"}}, [&] {
    for (const Part& part : parts) {
      html.element("li", {}, [&] {
        html.element(
            "svg",
            {{"viewBox", "0 0 16 16"}, {"width", 12}, {"height", 12}, {"aria-hidden", "true"}},
            [&] {
              html.element("rect", {{"class", part.css_class},
                                    {"y", part.top},
                                    {"width", 16},
                                    {"height", 16 - 2 * part.top}});
            });
        html.text(" ").element("b", {}, text::count_text(part.count)).text(" ").text(part.name);
      });
    }
    html.element("li", {}, [&] {
      html.text(counts.is_counting ? "found so far: " : "of ").text(text::count_text(total));
    });
  });
}

std::array<Part, 4> parts_of(const TaskCounts& counts) {
  return {{{.name = "done", .css_class = "fill green", .top = 0, .count = counts.done},
           {.name = "failed", .css_class = "fill red", .top = 0, .count = counts.failed},
           {.name = "skipped", .css_class = "fill grey", .top = 4, .count = counts.skipped},
           {.name = "left", .css_class = "fill track", .top = 6, .count = counts.left}}};
}

void add_bar(Html& html, const TaskCounts& counts) {
  const std::array<Part, 4> parts = parts_of(counts);
  const std::uint64_t total = counts.done + counts.failed + counts.skipped + counts.left;
  const auto all = std::max(static_cast<double>(total), 1.0);
  std::string label = "Progress";
  for (const Part& part : parts) {
    label += (&part == parts.data() ? ": " : ", ") + text::count_text(part.count) + " " + part.name;
    if (!counts.is_counting && total > 0) label += " (" + percent_of(part.count, all) + ")";
  }
  html.element("svg",
               {{"viewBox", "0 0 1000 16"},
                {"preserveAspectRatio", "none"},
                {"role", "img"},
                {"aria-label", label}},
               [&] { add_parts(html, parts, all); });
}

}  // namespace

SafeHtml progress_bar(const TaskCounts& counts) {
  const std::uint64_t total = counts.done + counts.failed + counts.skipped + counts.left;
  Html html;
  html.element("div", {{"class", "progress"}}, [&] {
    add_bar(html, counts);
    add_words(html, parts_of(counts), counts, total);
  });
  return html.finish();
}

SafeHtml small_progress_bar(const TaskCounts& counts) {
  Html html;
  html.element("span", {{"class", "progress small"}}, [&] { add_bar(html, counts); });
  return html.finish();
}

}  // namespace tidemill::html
