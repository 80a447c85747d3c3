#include "tidemill/ui/term/screen/model.h"

#include <algorithm>
#include <utility>

#include "tidemill/formats/text/utf8.h"

namespace tidemill::term {
namespace {

using command::ItemState;
using command::SettledItem;

std::size_t size_of(const SettledItem& item) {
  std::size_t bytes = sizeof(SettledItem) + item.name.size();
  for (const std::string& line : item.details) bytes += sizeof(std::string) + line.size();
  return bytes;
}

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

// ASCII letters match in either case, everything else byte for byte.
bool holds(std::string_view text, std::string_view part) {
  return !std::ranges::search(text, part, {}, lower, lower).empty();
}

bool is_text(char32_t code) {
  return code >= 0x20 && code != 0x7f && code <= 0x10ffff && (code < 0xd800 || code > 0xdfff);
}

void remove_last_character(std::string& text) {
  while (!text.empty() && (static_cast<unsigned char>(text.back()) & 0xc0U) == 0x80U) {
    text.pop_back();
  }
  if (!text.empty()) text.pop_back();
}

}  // namespace

ScreenModel::ScreenModel(std::string title, ItemWords words)
    : title_(std::move(title)), words_(std::move(words)) {
  if (!words_.bad.empty()) tabs_.push_back({"problems", {ItemState::bad, ItemState::failed}});
  tabs_.push_back({words_.good, {ItemState::good}});
  if (!words_.bad.empty()) tabs_.push_back({words_.bad, {ItemState::bad}});
  tabs_.push_back({words_.failed, {ItemState::failed}});
  tab_ = words_.bad.empty() ? tabs_.size() - 1 : 0;  // start with the failures
}

void ScreenModel::show(engine::ProgressSnapshot snapshot) { snapshot_ = std::move(snapshot); }

void ScreenModel::add(SettledItem item) {
  ++counts_.at(static_cast<std::size_t>(item.state));
  bytes_ += size_of(item);
  const bool is_here = is_shown(item);
  entries_.push_back({.item = std::move(item), .number = ++last_number_});
  if (is_here) view_.push_back(last_number_);
  while (entries_.size() > kMostItems || (bytes_ > kMostBytes && entries_.size() > 1)) {
    drop_oldest();
  }
  if (is_here && (follows_ || chosen_ == 0)) chosen_ = view_.back();
}

void ScreenModel::drop_oldest() {
  const std::uint64_t number = entries_.front().number;
  bytes_ -= size_of(entries_.front().item);
  entries_.pop_front();
  ++unseen_;
  if (view_.empty() || view_.front() != number) return;
  view_.pop_front();
  if (top_ > 0) --top_;  // the visible rows do not move
  if (chosen_ == number) chosen_ = view_.empty() ? 0 : view_.front();
}

void ScreenModel::count_unseen(ItemState state, std::uint64_t count) {
  counts_.at(static_cast<std::size_t>(state)) += count;
  unseen_ += count;
}

void ScreenModel::tell(command::Tone tone, std::string_view text) {
  message_ = text.substr(0, text.find('\n'));
  tone_ = tone;
}

bool ScreenModel::is_shown(const SettledItem& item) const {
  const auto& states = tabs_[tab_].states;
  if (std::ranges::find(states, item.state) == states.end()) return false;
  if (filter_.empty() || holds(item.name, filter_)) return true;
  return std::ranges::any_of(item.details,
                             [&](const std::string& line) { return holds(line, filter_); });
}

// Called after the tab or the filter has changed. The chosen entry stays chosen if it is still
// shown.
void ScreenModel::look_again() {
  view_.clear();
  for (const Entry& entry : entries_) {
    if (is_shown(entry.item)) view_.push_back(entry.number);
  }
  const bool is_there = std::ranges::binary_search(view_, chosen_);
  if (!is_there || follows_) chosen_ = view_.empty() ? 0 : view_.back();
  if (!is_there) follows_ = true;
}

const ScreenModel::Entry* ScreenModel::chosen() const {
  if (chosen_ == 0) return nullptr;
  return &entries_.at(static_cast<std::size_t>(chosen_ - entries_.front().number));
}

void ScreenModel::choose_tab(std::size_t tab) {
  tab_ = tab;
  page_ = Page::list;
  look_again();
}

std::size_t ScreenModel::place_of_chosen() const {
  return static_cast<std::size_t>(std::ranges::lower_bound(view_, chosen_) - view_.begin());
}

void ScreenModel::move_by(std::ptrdiff_t lines) {
  if (page_ != Page::list) {
    const auto top = static_cast<std::ptrdiff_t>(text_top_) + lines;
    text_top_ = static_cast<std::size_t>(std::max<std::ptrdiff_t>(0, top));  // render() limits it
    return;
  }
  if (view_.empty()) return;
  const auto last = static_cast<std::ptrdiff_t>(view_.size()) - 1;
  const auto place = static_cast<std::ptrdiff_t>(place_of_chosen()) + lines;
  const auto at = static_cast<std::size_t>(std::clamp<std::ptrdiff_t>(place, 0, last));
  chosen_ = view_[at];
  follows_ = at + 1 == view_.size();
}

void ScreenModel::move_to_edge(bool is_end) {
  const auto far = static_cast<std::ptrdiff_t>(kMostBytes);
  move_by(is_end ? far : -far);
}

void ScreenModel::edit_filter(KeyPress key) {
  if (key.key == Key::enter) {
    is_editing_ = false;
    return;
  }
  if (key.key == Key::backspace) {
    remove_last_character(filter_);
  } else if (key.key == Key::character && key.character == 0x15) {  // Ctrl-U, as in a shell
    filter_.clear();
  } else if (key.key == Key::character && is_text(key.character)) {
    if (filter_.size() < kLongestFilter) text::append_utf8(key.character, filter_);
  }
  look_again();
}

// Closes what is open, the innermost first; then asks whether to stop the run: one Esc too many
// must not end hours of work.
KeyAction ScreenModel::escape() {
  if (page_ != Page::list) {
    page_ = Page::list;
    return KeyAction::none;
  }
  if (is_editing_ || !filter_.empty()) {
    is_editing_ = false;
    filter_.clear();
    look_again();
    return KeyAction::none;
  }
  if (has_ended()) return KeyAction::leave;
  is_asking_ = !is_stopping_;
  return KeyAction::none;
}

KeyAction ScreenModel::press_character(char32_t character) {
  if (character == U'q' || character == U'Q') return KeyAction::leave;
  if (character == U'j') move_by(1);
  if (character == U'k') move_by(-1);
  if (character == U'g') move_to_edge(false);
  if (character == U'G') move_to_edge(true);
  if (character >= U'1' && character < U'1' + tabs_.size()) choose_tab(character - U'1');
  if (character == U'/') {
    page_ = Page::list;
    is_editing_ = true;
  }
  if (character == U'?') {
    page_ = page_ == Page::help ? Page::list : Page::help;
    text_top_ = 0;
  }
  return KeyAction::none;
}

// Whether the key moves the selection.
bool ScreenModel::move(Key key) {
  const auto page = static_cast<std::ptrdiff_t>(std::max<std::size_t>(2, rows_)) - 1;
  switch (key) {
    case Key::up:
      move_by(-1);
      return true;
    case Key::down:
      move_by(1);
      return true;
    case Key::page_up:
      move_by(-page);
      return true;
    case Key::page_down:
      move_by(page);
      return true;
    case Key::home:
    case Key::end:
      move_to_edge(key == Key::end);
      return true;
    default:
      return false;
  }
}

void ScreenModel::open_or_close() {
  if (page_ != Page::list) {
    page_ = Page::list;
    return;
  }
  const Entry* entry = chosen();
  if (entry == nullptr) return;
  open_ = entry->item;  // a copy: the list may drop the entry
  follows_ = false;     // closing the details returns to the same entry
  page_ = Page::details;
  text_top_ = 0;
}

KeyAction ScreenModel::press(KeyPress key) {
  message_.clear();
  if (std::exchange(is_asking_, false) && !has_ended()) {
    const bool is_yes = key.key == Key::character && (key.character | 0x20U) == U'y';
    if (!is_yes || std::exchange(is_stopping_, true)) return KeyAction::none;
    return KeyAction::stop;
  }
  if (move(key.key)) return KeyAction::none;
  if (key.key == Key::escape) return escape();
  if (key.key == Key::tab || key.key == Key::shift_tab) {
    choose_tab((tab_ + (key.key == Key::tab ? 1 : tabs_.size() - 1)) % tabs_.size());
    return KeyAction::none;
  }
  if (is_editing_) {
    edit_filter(key);
    return KeyAction::none;
  }
  if (key.key == Key::enter) open_or_close();
  return key.key == Key::character ? press_character(key.character) : KeyAction::none;
}

}  // namespace tidemill::term
