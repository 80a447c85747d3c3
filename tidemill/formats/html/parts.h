// Parts of a page that are neither plots nor tables. Pure functions; nothing fails.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "tidemill/formats/html/html.h"
#include "tidemill/formats/html/plot_color.h"

namespace tidemill::html {

// A box with a heading of level 2; the note is in a lighter colour behind it.
[[nodiscard]] SafeHtml card(std::string_view heading, std::string_view note, const SafeHtml& body);
// Boxes side by side, where the screen is wide enough.
[[nodiscard]] SafeHtml cards(std::span<const SafeHtml> boxes);

// The h1: what the page is about, its id, and its state as a pill.
[[nodiscard]] SafeHtml page_heading(std::string_view title, std::string_view id = {},
                                    std::string_view state = {}, PlotColor color = PlotColor::blue);

struct PageFact {
  std::string name;   // "rate"
  std::string value;  // "612/s"
};
[[nodiscard]] SafeHtml fact_list(std::span<const PageFact> facts);

[[nodiscard]] SafeHtml link(std::string_view url, const SafeHtml& text);

// A line for a shell, as text::shell_line writes it.
[[nodiscard]] SafeHtml command_box(std::string_view line);

}  // namespace tidemill::html
