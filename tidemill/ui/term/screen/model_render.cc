#include <algorithm>
#include <utility>

#include "tidemill/formats/text/columns.h"
#include "tidemill/formats/text/printable.h"
#include "tidemill/formats/text/quantity.h"
#include "tidemill/formats/text/utf8.h"
#include "tidemill/ui/term/live_block.h"
#include "tidemill/ui/term/screen/model.h"

namespace tidemill::term {
namespace {

using command::ItemState;
using command::SettledItem;
using engine::ProgressItem;

constexpr std::size_t kSmallestName = 20;  // columns that the first detail leaves for the name

Style style_of(ItemState state) {
  switch (state) {
    case ItemState::good:
      return Style::good;
    case ItemState::bad:
      return Style::bad;
    case ItemState::failed:
      return Style::failed;
  }
  return Style::plain;
}

// Appends the text, shortened to the columns that are left.
void append(Line& line, std::string text, Style style, std::size_t width) {
  std::size_t taken = 0;
  for (const StyledSpan& span : line) taken += text::columns(span.text);
  if (taken >= width) return;
  text = text::shorten(text, width - taken);
  if (!text.empty()) line.push_back({.text = std::move(text), .style = style});
}

std::string padded(std::string text, std::size_t width) {
  const std::size_t taken = text::columns(text);
  if (taken < width) text.append(width - taken, ' ');
  return text;
}

constexpr std::size_t kIndent = 4;

// Returns the full piece and leaves the beginning of the next one: the indentation and the word
// that did not fit. A word longer than half of the line is likely a path, and is cut.
std::string full_piece(std::string& piece, std::size_t width) {
  std::string next(kIndent, ' ');
  const std::size_t blank = piece.rfind(' ');
  const bool has_words = blank != std::string::npos && piece.find_first_not_of(' ') < blank;
  if (has_words && text::columns(std::string_view(piece).substr(blank)) <= width / 2) {
    next += std::string_view(piece).substr(blank + 1);
    piece.resize(blank);
  }
  return std::exchange(piece, std::move(next));
}

// Wraps the text into lines of at most `width` columns, indented from the second one on.
void append_wrapped(std::vector<Line>& lines, std::string_view text, std::size_t width,
                    Style style) {
  const std::string whole = text::printable(text);
  std::string piece;
  std::size_t taken = 0;
  for (std::string_view rest = whole; !rest.empty();) {
    const auto [code, length] = text::front_character(rest);
    const std::string_view character = rest.substr(0, std::max<std::size_t>(1, length));
    rest.remove_prefix(character.size());
    const std::size_t wide = text::columns(code);
    if (taken + wide > width && width > 2 * kIndent) {
      const bool is_between = character == " ";
      lines.push_back({{.text = is_between ? std::exchange(piece, std::string(kIndent, ' '))
                                           : full_piece(piece, width),
                        .style = style}});
      taken = text::columns(piece);
      if (is_between) continue;
    }
    piece += character;
    taken += wide;
  }
  lines.push_back({{.text = text::shorten(piece, width), .style = style}});
}

}  // namespace

std::string text_of(const Line& line) {
  std::string text;
  for (const StyledSpan& span : line) text += span.text;
  return text;
}

const std::string& ScreenModel::word_of(ItemState state) const {
  if (state == ItemState::good) return words_.good;
  return state == ItemState::bad && !words_.bad.empty() ? words_.bad : words_.failed;
}

std::uint64_t ScreenModel::count_of(const Tab& tab) const {
  std::uint64_t count = 0;
  for (const ItemState state : tab.states) count += counts_.at(static_cast<std::size_t>(state));
  return count;
}

// The bar and the counts, as in the live block.
void ScreenModel::render_head(std::vector<Line>& lines, Size size) const {
  engine::ProgressSnapshot figures = snapshot_.value_or(engine::ProgressSnapshot{});
  figures.current.clear();
  const auto head = term::render(figures, {.width = size.width + 1, .height = 3}, false, title_);
  for (const std::string& text : head) {
    lines.push_back({{.text = text, .style = lines.empty() ? Style::bold : Style::plain}});
  }
}

// One row per worker, so that nothing below moves when one of them is idle. If there are too many,
// those that have been running longest are shown.
void ScreenModel::render_workers(std::vector<Line>& lines, Size size) const {
  if (!snapshot_ || has_ended()) return;
  const std::size_t rows = std::min(snapshot_->workers, std::max<std::size_t>(2, size.height / 4));
  std::vector<const ProgressItem*> items;
  for (const ProgressItem& item : snapshot_->current) items.push_back(&item);
  // Items of the same age stay in the order of the workers, which is their order in memory.
  std::ranges::sort(items, [](const ProgressItem* a, const ProgressItem* b) {
    return a->running_for != b->running_for ? a->running_for > b->running_for : a < b;
  });
  for (std::size_t at = 0; at < rows; ++at) {
    Line line;
    if (at < items.size()) {
      const std::string age = text::seconds_text(items[at]->running_for);
      append(line, std::string(8 - std::min<std::size_t>(8, age.size()), ' ') + age + "  ",
             Style::dim, size.width);
      const std::string& note = items[at]->note;
      const std::size_t left = size.width - std::min(size.width, text::columns(text_of(line)));
      append(line, text::fit(note.empty() ? "task " + std::to_string(items[at]->id) : note, left),
             Style::plain, size.width);
    } else {
      append(line, "       –", Style::dim, size.width);
    }
    lines.push_back(std::move(line));
  }
}

Line ScreenModel::tab_line(std::size_t width) const {
  Line line;
  for (std::size_t at = 0; at < tabs_.size(); ++at) {
    const Tab& tab = tabs_[at];
    const std::string text = " " + std::to_string(at + 1) + " " + text::printable(tab.word) + " " +
                             text::count_text(count_of(tab)) + " ";
    append(line, text, at == tab_ ? Style::chosen : Style::bold, width);
    append(line, " ", Style::plain, width);
  }
  if (!filter_.empty() && !is_editing_) {
    append(line, " filter: " + text::printable(filter_), Style::failed, width);
  }
  return line;
}

Line ScreenModel::item_line(const Entry& entry, std::size_t width, bool is_chosen) const {
  const SettledItem& item = entry.item;
  const std::size_t longest =
      std::max({words_.good.size(), words_.bad.size(), words_.failed.size()});
  Line line;
  append(line, padded(word_of(item.state), longest) + "  ", style_of(item.state), width);
  const std::size_t left = width - std::min(width, longest + 2);
  std::string name = text::printable(item.name);
  std::string detail = item.details.empty() ? "" : text::printable(item.details.front());
  const std::size_t wide = text::columns(name);
  // A long name is shortened in favour of the detail, which gets at most half of the line.
  if (!detail.empty() && left > 2 * kSmallestName) {
    const std::size_t wanted = std::min(text::columns(detail) + 2, left / 2);
    name = text::shorten(name, std::max(left - wanted, kSmallestName));
    const std::size_t taken = std::min(wide, text::columns(name));
    detail = text::shorten(detail, left - taken - 2);
    append(line, name + "  ", Style::plain, width);
    append(line, detail, Style::dim, width);
  } else {
    append(line, name, Style::plain, width);
  }
  if (is_chosen) line = {{.text = padded(text_of(line), width), .style = Style::chosen}};
  return line;
}

void ScreenModel::render_list(std::vector<Line>& lines, std::size_t rows, std::size_t width) {
  rows_ = rows;
  const std::size_t end = lines.size() + rows;
  const std::size_t place = place_of_chosen();
  if (place < top_) top_ = place;
  if (place >= top_ + rows) top_ = place + 1 - rows;
  const std::size_t most = view_.size() > rows ? view_.size() - rows : 0;
  top_ = std::min(top_, most);
  for (std::size_t at = top_; at < view_.size() && lines.size() < end; ++at) {
    const auto index = static_cast<std::size_t>(view_[at] - entries_.front().number);
    lines.push_back(item_line(entries_.at(index), width, view_[at] == chosen_));
  }
  if (view_.empty() && rows > 0) {
    const bool is_hidden = count_of(tabs_[tab_]) > 0;
    const std::string_view why = is_hidden ? "  no match" : has_ended() ? "  none" : "  none yet";
    lines.push_back({{.text = text::shorten(why, width), .style = Style::dim}});
  }
  lines.resize(end);
}

// Renders a text that may be longer than its rows, scrolled to text_top_.
void ScreenModel::render_text(std::vector<Line>& lines, std::vector<Line> text, std::size_t rows) {
  rows_ = rows;
  const std::size_t end = lines.size() + rows;
  text_top_ = std::min(text_top_, text.size() > rows ? text.size() - rows : 0);
  for (std::size_t at = text_top_; at < text.size() && lines.size() < end; ++at) {
    lines.push_back(std::move(text[at]));
  }
  lines.resize(end);
}

void ScreenModel::render_details(std::vector<Line>& lines, std::size_t rows, std::size_t width) {
  std::vector<Line> text;
  append_wrapped(text, open_.name, width, Style::bold);
  text.push_back(
      {{.text = text::shorten(word_of(open_.state), width), .style = style_of(open_.state)}});
  text.emplace_back();
  for (const std::string& line : open_.details) append_wrapped(text, line, width, Style::plain);
  render_text(lines, std::move(text), rows);
}

std::vector<Line> ScreenModel::render(Size size) {
  std::vector<Line> lines;
  render_head(lines, size);
  if (page_ != Page::help) render_workers(lines, size);
  lines.push_back(tab_line(size.width));
  const std::size_t fixed = lines.size() + 1;
  const std::size_t rows = size.height > fixed ? size.height - fixed : 0;
  switch (page_) {
    case Page::list:
      render_list(lines, rows, size.width);
      break;
    case Page::details:
      render_details(lines, rows, size.width);
      break;
    case Page::help:
      render_help(lines, rows, size.width);
      break;
  }
  lines.push_back(foot_line(size.width));
  if (lines.size() > size.height) {  // very small terminal: keep the head and the keys
    lines.erase(lines.begin() + static_cast<std::ptrdiff_t>(size.height > 0 ? size.height - 1 : 0),
                lines.end() - (size.height > 0 ? 1 : 0));
  }
  return lines;
}

}  // namespace tidemill::term
