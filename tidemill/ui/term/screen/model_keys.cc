// The texts about the keys of the screen: the last line and the help.
#include <array>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tidemill/formats/text/columns.h"
#include "tidemill/formats/text/printable.h"
#include "tidemill/ui/term/screen/model.h"

namespace tidemill::term {
namespace {

// At most 78 columns each: a line shortened in the middle would lose the key.
constexpr std::array<std::string_view, 14> kHelp = {
    "  up down j k      move one line   PgUp PgDn  move one page",
    "  Home g           oldest item     End G      newest item, and follow",
    "  Tab 1 2 3 4      switch list     /          filter by name or detail",
    "  Enter            details         Esc        back, or clear the filter",
    "",
    "  Esc in the list  stop the run, after you confirm with y",
    "  Ctrl-C           stop the run; press it again to kill running commands",
    "  Ctrl-Z           suspend; fg continues",
    "  q                close the screen; the run continues",
    "  ?                show this help",
    "",
    "  Lists show the newest 10,000 items; counts include all. The screen never",
    "  slows the run, and no output is lost: it is printed when you close the",
    "  screen.",
};

Style style_of(command::Tone tone) {
  switch (tone) {
    case command::Tone::plain:
      return Style::plain;
    case command::Tone::good:
      return Style::good;
    case command::Tone::warning:
      return Style::failed;
    case command::Tone::bad:
      return Style::bad;
  }
  return Style::plain;
}

// A key and its meaning in the last line.
struct Hint {
  std::string_view text{};
  int importance = 0;
  bool is_wanted = true;
};
constexpr int kMostImportant = 8;

// Drops the least important hints until the rest fits.
std::string hints(const std::array<Hint, 9>& all, std::size_t width) {
  std::string text;
  for (int least = 1; least <= kMostImportant; ++least) {
    text.clear();
    for (const Hint& hint : all) {
      if (!hint.is_wanted || hint.importance < least) continue;
      text += (text.empty() ? "" : "  ") + std::string(hint.text);
    }
    if (text::columns(text) <= width) break;
  }
  return text::shorten(text, width);
}

}  // namespace

void ScreenModel::render_help(std::vector<Line>& lines, std::size_t rows, std::size_t width) {
  std::vector<Line> text;
  for (const std::string_view line : kHelp) text.push_back({{.text = text::shorten(line, width)}});
  render_text(lines, std::move(text), rows);
}

Line ScreenModel::foot_line(std::size_t width) const {
  if (is_editing_) {
    // Shortened in the middle: the end, where the user types, stays visible.
    const std::string text = "Filter: " + text::printable(filter_) + "▏";
    return {{.text = text::shorten(text, width), .style = Style::bold}};
  }
  if (is_asking_ && !has_ended()) {
    return {
        {.text = text::shorten("Stop the run? Press y to stop, any other key to continue", width),
         .style = Style::bold}};
  }
  if (!message_.empty() && !has_ended()) {  // at the end, the hint how to close is shown instead
    return {{.text = text::shorten(message_, width), .style = style_of(tone_)}};
  }
  const bool is_list = page_ == Page::list;
  const std::array<Hint, 9> all = {{
      {.text = "The run has ended.", .importance = 7, .is_wanted = has_ended()},
      {.text = "↑↓ move", .importance = 3, .is_wanted = is_list},
      {.text = "↑↓ scroll", .importance = 3, .is_wanted = !is_list},
      {.text = "Enter details", .importance = 4, .is_wanted = is_list},
      {.text = "/ filter", .importance = 2, .is_wanted = is_list},
      {.text = "Tab next list", .importance = 1, .is_wanted = is_list},
      {.text = !is_list       ? "Esc back"
               : is_stopping_ ? "stopping…"
                              : "Esc stop",
       .importance = 6,
       .is_wanted = !is_list || !has_ended()},
      {.text = "q close", .importance = kMostImportant},
      {.text = "? help", .importance = 5, .is_wanted = page_ != Page::help},
  }};
  return {{.text = hints(all, width), .style = Style::dim}};
}

}  // namespace tidemill::term
