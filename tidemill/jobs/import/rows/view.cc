#include "tidemill/jobs/import/rows/view.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

#include "tidemill/jobs/import/rows/names.h"

namespace tidemill::import {

KeyEntry* KeyNode::find_next(std::string_view rest) {
  if (next >= in_order.size()) return nullptr;
  KeyEntry& entry = *in_order[next];
  const std::size_t size = entry.raw.size();
  if (rest.size() <= size || rest[size] != '"') return nullptr;
  if (std::memcmp(rest.data(), entry.raw.data(), size) != 0) return nullptr;
  ++next;
  return &entry;
}

KeyEntry* KeyNode::find(std::string_view raw) {
  const auto found = by_raw.find(raw);
  if (found == by_raw.end()) return nullptr;
  next = found->second + 1;
  return &entries[found->second];
}

KeyEntry& KeyNode::add(std::string_view raw, std::string_view unescaped) {
  const std::string whole = field + path_part(unescaped);
  const std::size_t at = by_field.emplace(whole, entries.size()).first->second;
  by_raw.emplace(spellings.emplace_back(raw), at);
  next = at + 1;
  if (at < entries.size()) return entries[at];
  KeyEntry& entry = entries.emplace_back();
  in_order.push_back(&entry);
  entry.raw = raw;
  entry.field = whole;
  entry.column = column + std::string(unescaped);
  return entry;
}

void View::take_over() {
  version_ = table_.version();
  const RowTable::State state = table_.state();
  rowid_ = state.rowid;
  key_ = state.key;
  for (std::size_t i = needs_.size(); i < state.columns.size(); ++i) {
    if (!state.columns[i].is_ours) {
      by_field_.emplace(state.columns[i].field, i);
    } else if (i + 1 == kMostColumns || state.columns[i].name.starts_with(kMoreColumn)) {
      more_ = i;
    }
  }
  needs_.resize(state.columns.size());
  values_.resize(state.columns.size());
  marks_.resize(state.columns.size());
  for (std::size_t i = 0; i < needs_.size(); ++i) {
    const Column& column = state.columns[i];
    needs_[i] = {.type = column.type(), .is_forced = column.forced.has_value()};
  }
}

std::optional<std::size_t> View::column_of(const std::string& field) const {
  const auto found = by_field_.find(field);
  if (found == by_field_.end()) return std::nullopt;
  return found->second;
}

std::optional<std::size_t> View::add_column(const KeyEntry& entry,
                                            std::optional<ColumnType> forced) {
  refresh();
  if (const auto known = column_of(entry.field)) return known;
  if (columns() + 1 >= kMostColumns) return std::nullopt;
  table_.change([&](RowTable::State& state) {
    NameSet names;
    for (const Column& column : state.columns) (void)names.take(column.name);
    Column column;
    column.name = names.take(column_name_of(entry.column));
    column.field = entry.field;
    column.forced = forced;
    state.columns.push_back(std::move(column));
  });
  refresh();
  return column_of(entry.field);
}

void View::decide(RowidFrom rowid, std::optional<std::size_t> key) {
  table_.change([&](RowTable::State& state) {
    if (state.rowid != RowidFrom::undecided) return;
    state.rowid = rowid;
    state.key = key;
  });
  refresh();
}

std::size_t View::add_ours(std::string_view name) {
  table_.change([&](RowTable::State& state) {
    NameSet names;
    for (const Column& column : state.columns) (void)names.take(column.name);
    Column column;
    column.name = names.take(name);
    column.is_ours = true;
    state.columns.push_back(std::move(column));
  });
  refresh();
  return values_.size() - 1;
}

void View::keep_row(std::size_t file, std::uint64_t line) {
  for (const Touch& touch : touched_) {
    Mark& mark = marks_[touch.column];
    if ((touch.seen & kSeenNumber) != 0 &&
        values_[touch.column].type != sqlite_pages::CellType::text) {
      mark.has_numbers = true;
    }
    const auto news = static_cast<Seen>(touch.seen & ~mark.seen);
    if (news == 0) continue;
    mark.seen |= news;
    mark.file = file;  // a block belongs to one file
    for (unsigned bits = news; bits != 0; bits &= bits - 1) {
      mark.first[static_cast<std::size_t>(std::countr_zero(bits))] = line;
    }
  }
}

void View::clear_row() {
  for (const Touch& touch : touched_) values_[touch.column] = {};
  touched_.clear();
}

namespace {

// Whether a line comes before the known one. What an earlier import saw has no line.
bool is_earlier(std::size_t file, std::uint64_t line, const Column& column, std::size_t bit) {
  if (column.first_line[bit] == 0) return (column.seen >> bit & 1U) == 0;
  return std::pair(file, line) < std::pair(column.first_file[bit], column.first_line[bit]);
}

}  // namespace

bool View::is_news(const Mark& mark, const Column& column) {
  if ((mark.seen & ~column.seen) != 0 || (mark.has_numbers && !column.has_numbers)) return true;
  for (std::size_t bit = 0; bit < kSeenBits; ++bit) {
    if ((mark.seen >> bit & 1U) == 0) continue;
    if (is_earlier(mark.file, mark.first[bit], column, bit)) return true;
  }
  return false;
}

void View::merge(const Mark& mark, Column& column) {
  for (std::size_t bit = 0; bit < kSeenBits; ++bit) {
    if ((mark.seen >> bit & 1U) == 0) continue;
    if (!is_earlier(mark.file, mark.first[bit], column, bit)) continue;
    column.first_file[bit] = mark.file;
    column.first_line[bit] = mark.first[bit];
  }
  column.seen |= mark.seen;
  column.has_numbers = column.has_numbers || mark.has_numbers;
}

void View::report_seen() {
  if (std::ranges::all_of(marks_, [](const Mark& mark) { return mark.seen == 0; })) return;
  const RowTable::State before = table_.state();
  bool has_news = false;
  for (std::size_t i = 0; i < marks_.size(); ++i) {
    has_news = has_news || is_news(marks_[i], before.columns[i]);
  }
  if (has_news) {
    table_.change([&](RowTable::State& state) {
      for (std::size_t i = 0; i < marks_.size(); ++i) merge(marks_[i], state.columns[i]);
    });
    refresh();
  }
  std::ranges::fill(marks_, Mark{});
}

}  // namespace tidemill::import
