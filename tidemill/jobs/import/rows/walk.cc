// Walks through the tokens of a record and assigns each value to a column and a table.
#include "tidemill/jobs/import/rows/state.h"

#include <algorithm>
#include <utility>

#include "tidemill/formats/jsonl/grammar.h"
#include "tidemill/formats/text/json.h"
#include "tidemill/jobs/import/rows/languages.h"
#include "tidemill/jobs/import/rows/names.h"
#include "tidemill/jobs/import/rows/unescape.h"

namespace tidemill::import {
namespace {

using sqlite_pages::CellType;

constexpr std::uint32_t kDeepestColumn = 32;

}  // namespace

std::string_view RowMaker::State::walk(std::size_t& at, OpenRow& row, KeyNode& node) {
  node.next = 0;
  if (tokens.first(++at) == '}') {
    ++at;
    return {};
  }
  const char* const end = line.data() + line.size();
  for (;;) {
    if (tokens.first(at) != '"' || tokens.first(at + 1) != ':') return malformed();
    const char* const raw = tokens.begin(at) + 1;
    KeyEntry* entry = node.find_next({raw, end});
    if (entry == nullptr) {
      if (auto reason = entry_of(tokens.inside(at), node, entry); !reason.empty()) return reason;
    }
    if (std::exchange(entry->row, row.number) == row.number) return kTwice;
    at += 2;
    if (const auto reason = take(at, row, node, *entry); !reason.empty()) return reason;
    const char c = tokens.first(at++);
    if (c == '}') return {};
    if (c != ',') return malformed();
  }
}

std::string_view RowMaker::State::entry_of(std::string_view key, KeyNode& node, KeyEntry*& entry) {
  entry = node.find(key);
  if (entry != nullptr) return {};
  const jsonl::Flaw flaw = jsonl::check_string(key);
  if (flaw != jsonl::Flaw::none) return name_of(flaw);
  ++entries;
  entry = &node.add(key, unescaped(key));
  return {};
}

void RowMaker::State::forget_entries() {
  for (auto& [table, view] : views) view->root = KeyNode{};
  entries = 0;
}

std::string_view RowMaker::State::take(std::size_t& at, OpenRow& row, KeyNode& node,
                                       KeyEntry& entry) {
  const char c = tokens.first(at);
  if (c == '{') return take_object(at, row, node, entry);
  if (c == '[') return take_list(at, row, node, entry);
  if (entry.is_beyond) return take_beyond(at, row, node, entry);
  return store(row, entry, tokens.text(at++));
}

KeyNode& RowMaker::State::below(const KeyNode& node, KeyEntry& entry) {
  if (!entry.below) {
    entry.below = std::make_unique<KeyNode>();
    entry.below->field = entry.field + ".";
    entry.below->column = entry.column + "_";
    entry.below->depth = node.depth + 1;
  }
  return *entry.below;
}

bool RowMaker::State::is_flat(const KeyNode& node) const {
  return options.nested != Nested::json && node.depth < kDeepestColumn;
}

std::string_view RowMaker::State::take_object(std::size_t& at, OpenRow& row, KeyNode& node,
                                              KeyEntry& entry) {
  if (!is_flat(node) && options.languages.empty()) return take_json(at, row, node, entry);
  if (tokens.first(at + 1) == '}') return take_json(at, row, node, entry);
  KeyNode& inside = below(node, entry);
  if (!options.languages.empty()) {
    bool is_taken = false;
    const auto reason = take_languages(at, row, node, entry, is_taken);
    if (is_taken || !reason.empty()) return reason;
  }
  if (!is_flat(node)) return take_json(at, row, node, entry);
  return walk(at, row, inside);
}

// Whether all keys of the object that begins there are languages. The object is valid.
bool RowMaker::State::are_languages(std::size_t at) const {
  if (options.languages.empty()) return false;
  for (std::size_t i = at + 1; tokens.first(i) == '"'; i = tokens.behind(i + 2) + 1) {
    if (!is_language(unescaped(tokens.inside(i)))) return false;
  }
  return true;
}

// An object whose keys are all languages: the selected languages become columns.
std::string_view RowMaker::State::take_languages(std::size_t& at, OpenRow& row, KeyNode& node,
                                                 KeyEntry& entry, bool& is_taken) {
  std::size_t end = at;
  std::string_view json;
  const jsonl::Flaw flaw = tokens.take(end, node.depth + 1, json);
  if (flaw != jsonl::Flaw::none) return name_of(flaw);
  if (!are_languages(at)) return {};
  for (std::size_t i = at + 1; i < end; ++i) {
    const std::string_view key = tokens.inside(i);
    const std::string language = unescaped(key);
    i += 2;
    if (std::ranges::find(options.languages, language) == options.languages.end()) {
      left_out |= language_bit(language);
      i = tokens.behind(i);
      continue;
    }
    KeyEntry* below_it = nullptr;
    if (auto reason = entry_of(key, *entry.below, below_it); !reason.empty()) return reason;
    if (std::exchange(below_it->row, row.number) == row.number) return kTwice;
    if (auto reason = take(i, row, *entry.below, *below_it); !reason.empty()) return reason;
  }
  is_taken = true;
  at = end;
  return {};
}

std::string_view RowMaker::State::take_json(std::size_t& at, OpenRow& row, const KeyNode& node,
                                            KeyEntry& entry) {
  if (entry.is_beyond) return take_beyond(at, row, node, entry);
  std::string_view json;
  const jsonl::Flaw flaw = tokens.take(at, node.depth + 1, json);
  if (flaw != jsonl::Flaw::none) return name_of(flaw);
  Scalar scalar;
  const auto reason = scalars.keep_json(json, need_of(&row.view, entry), scalar);
  return reason.empty() ? put(row, entry, scalar) : reason;
}

// Creates the table of a list, in its turn. False: it has none, or (with a reason) was cancelled.
bool RowMaker::State::has_child(View& view, KeyEntry& entry, std::string_view& reason) {
  if (entry.child != nullptr) return true;
  if (entry.is_text) return false;
  if (!take_turn()) {
    reason = kCancelled;
    return false;
  }
  RowTable* table = tables.child(view.table(), entry.field, entry.column);
  entry.is_text = table == nullptr;
  if (table == nullptr) batch->has_lists_as_text = true;
  if (table == nullptr) return false;
  entry.child = &view_of(*table);
  if (!entry.elements) entry.elements = std::make_unique<KeyNode>();
  if (entry.child->columns() == 0) {
    entry.child->add_ours("parent");
    for (std::size_t i = 0; i <= positions.size(); ++i) entry.child->add_ours("position");
    entry.child->decide(RowidFrom::place, std::nullopt);
  }
  return true;
}

std::string_view RowMaker::State::take_list(std::size_t& at, OpenRow& row, KeyNode& node,
                                            KeyEntry& entry) {
  if (options.nested != Nested::tables) return take_json(at, row, node, entry);
  if (tokens.first(at + 1) == ']') {
    at += 2;
    return {};
  }
  std::string_view refused;
  if (!has_child(row.view, entry, refused)) {
    return refused.empty() ? take_json(at, row, node, entry) : refused;
  }
  std::int64_t position = 0;
  ++at;
  for (;;) {
    positions.push_back(position++);
    const std::string_view reason = take_element(at, *entry.child, *entry.elements);
    entry.child->clear_row();
    positions.pop_back();
    if (!reason.empty()) return reason;
    if (tokens.first(at++) == ']') return {};  // else a comma: the line was checked before
  }
}

std::string_view RowMaker::State::take_element(std::size_t& at, View& child, KeyNode& node) {
  child.refresh();
  const char first = tokens.first(at);
  OpenRow row{.view = child,
              .number = ++rows,
              .place = line_place + static_cast<std::uint64_t>(tokens.begin(at) - line.data())};
  child.put(0, {.value = parent, .seen = parent_seen});
  for (std::size_t i = 0; i < positions.size(); ++i) {
    child.put(i + 1, {.value = {.type = CellType::integer, .integer = positions[i]},
                      .seen = kSeenInteger});
  }
  std::string_view reason;
  if (first == '{') {
    reason = walk(at, row, node);
  } else {
    KeyEntry* entry = nullptr;
    node.next = 0;
    reason = entry_of("value", node, entry);
    if (reason.empty()) {
      reason =
          first == '[' ? take_json(at, row, node, *entry) : store(row, *entry, tokens.text(at++));
    }
  }
  if (reason.empty()) reason = settle(row);
  if (!reason.empty()) return reason;
  child.keep_row(batch->file, line_number);
  const bool is_given = child.rowid() == RowidFrom::database;
  rows_of(child.table())
      .cells.add(static_cast<std::int64_t>(is_given ? line_number : row.place), child.values());
  ++batch->counts.child_rows;
  return {};
}

// The table has no column left: the field is added to the object in _more.
std::string_view RowMaker::State::take_beyond(std::size_t& at, OpenRow& row, const KeyNode& node,
                                              const KeyEntry& entry) {
  const char c = tokens.first(at);
  std::string_view json;
  const jsonl::Flaw flaw = tokens.take(at, node.depth + 1, json);
  if (flaw != jsonl::Flaw::none) return name_of(flaw);
  Scalar scalar;
  const ColumnNeed need = need_of(nullptr, entry);
  const auto reason = c == '{' || c == '[' ? scalars.keep_json(json, need, scalar)
                                           : scalars.read(json, need, scalar);
  if (reason.empty()) row.more.push_back({path_text(entry.field), json});
  return reason;
}

}  // namespace tidemill::import
