// The first pass over a record with lists, before the lists become rows (--nested tables).
#include <algorithm>
#include <memory>
#include <utility>

#include "tidemill/jobs/import/rows/state.h"
#include "tidemill/jobs/import/rows/unescape.h"

namespace tidemill::import {

// Checks whether the line is a reject before any of it reaches a table, because the rows of its
// lists are made before its own row. `view` is null if the table does not exist yet.
std::string_view RowMaker::State::rehearse(std::size_t& at, KeyNode& node, const View* view) {
  const std::uint64_t row = ++rows;
  node.next = 0;
  for (++at; tokens.first(at) == '"';) {
    KeyEntry* entry = nullptr;
    if (auto reason = entry_of(tokens.inside(at), node, entry); !reason.empty()) return reason;
    if (std::exchange(entry->row, row) == row) return kTwice;
    at += 2;
    if (auto reason = rehearse_value(at, node, *entry, view); !reason.empty()) return reason;
    if (tokens.first(at) == ',') ++at;
  }
  ++at;
  return {};
}

std::string_view RowMaker::State::rehearse_value(std::size_t& at, const KeyNode& node,
                                                 KeyEntry& entry, const View* view) {
  const char c = tokens.first(at);
  if (c == '{' && tokens.first(at + 1) != '}') {
    if (are_languages(at)) return rehearse_languages(at, node, entry, view);
    if (is_flat(node)) return rehearse(at, below(node, entry), view);
  }
  if (c == '[' && !entry.is_text) return rehearse_list(at, entry);
  if (view != nullptr && !entry.at) entry.at = view->column_of(entry.field);
  const ColumnNeed need = need_of(view, entry);
  Scalar scalar;
  if (c != '{' && c != '[') return scalars.read(tokens.text(at++), need, scalar);
  at = tokens.behind(at);
  return scalars.keep_json({}, need, scalar);
}

std::string_view RowMaker::State::rehearse_list(std::size_t& at, KeyEntry& entry) {
  if (!entry.elements) entry.elements = std::make_unique<KeyNode>();
  KeyNode& node = *entry.elements;
  for (++at; tokens.first(at) != ']'; at += tokens.first(at) == ',' ? 1 : 0) {
    if (tokens.first(at) == '{') {
      if (auto reason = rehearse(at, node, entry.child); !reason.empty()) return reason;
      continue;
    }
    KeyEntry* value = nullptr;
    if (auto reason = entry_of("value", node, value); !reason.empty()) return reason;
    if (entry.child != nullptr && !value->at) value->at = entry.child->column_of(value->field);
    const ColumnNeed need = need_of(entry.child, *value);
    Scalar scalar;
    const bool is_list = tokens.first(at) == '[';
    const std::string_view token = tokens.text(at);
    at = tokens.behind(at);
    const auto reason =
        is_list ? scalars.keep_json({}, need, scalar) : scalars.read(token, need, scalar);
    if (!reason.empty()) return reason;
  }
  ++at;
  return {};
}

std::string_view RowMaker::State::rehearse_languages(std::size_t& at, const KeyNode& node,
                                                     KeyEntry& entry, const View* view) {
  const std::uint64_t row = ++rows;
  KeyNode& inside = below(node, entry);
  for (++at; tokens.first(at) == '"';) {
    const std::string_view key = tokens.inside(at);
    at += 2;
    if (std::ranges::find(options.languages, unescaped(key)) == options.languages.end()) {
      at = tokens.behind(at);
    } else {
      KeyEntry* wanted = nullptr;
      if (auto reason = entry_of(key, inside, wanted); !reason.empty()) return reason;
      if (std::exchange(wanted->row, row) == row) return kTwice;
      if (auto reason = rehearse_value(at, inside, *wanted, view); !reason.empty()) return reason;
    }
    if (tokens.first(at) == ',') ++at;
  }
  ++at;
  return {};
}

}  // namespace tidemill::import
