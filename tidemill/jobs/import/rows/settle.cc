// Stores values in columns, and a row in the cells of its table.
#include "tidemill/jobs/import/rows/state.h"

#include <algorithm>
#include <utility>

#include "tidemill/formats/text/json.h"
#include "tidemill/jobs/import/rows/names.h"
#include "tidemill/jobs/import/rows/unescape.h"

namespace tidemill::import {

using sqlite_pages::CellType;
using sqlite_pages::CellValue;

std::optional<ColumnType> RowMaker::State::forced_type(const KeyEntry& entry) const {
  auto found = options.types.find(entry.field);
  if (found == options.types.end()) found = options.types.find(entry.column);
  if (found == options.types.end()) return std::nullopt;
  return found->second;
}

ColumnNeed RowMaker::State::need_of(const View* view, const KeyEntry& entry) const {
  if (view != nullptr && entry.at) return view->wish(*entry.at);
  if (options.types.empty()) return {};
  const auto forced = forced_type(entry);
  return {.type = forced.value_or(ColumnType::none), .is_forced = forced.has_value()};
}

std::string_view RowMaker::State::store(OpenRow& row, KeyEntry& entry, std::string_view token) {
  if (!entry.at) entry.at = row.view.column_of(entry.field);
  Scalar scalar;
  const auto reason = scalars.read(token, need_of(&row.view, entry), scalar);
  return reason.empty() ? put(row, entry, scalar) : reason;
}

std::string_view RowMaker::State::put(OpenRow& row, KeyEntry& entry, const Scalar& scalar) {
  if (!entry.at) entry.at = row.view.column_of(entry.field);
  if (!entry.at) {
    row.pending.push_back({&entry, scalar});
    return {};
  }
  if (row.view.has_value(*entry.at)) return kTwice;
  row.view.put(*entry.at, scalar);
  if (scalar.is_escaped) row.escaped.push_back(*entry.at);
  return {};
}

// The line is valid: now it may add columns, in its turn.
std::string_view RowMaker::State::settle(OpenRow& row) {
  for (const OpenRow::Pending& waiting : row.pending) {
    KeyEntry& entry = *waiting.entry;
    if (!take_turn()) return kCancelled;
    entry.at = row.view.add_column(entry, forced_type(entry));
    if (entry.at) {
      if (const auto reason = put(row, entry, waiting.scalar); !reason.empty()) return reason;
      continue;
    }
    entry.is_beyond = true;
    row.more.push_back({path_text(entry.field), waiting.scalar.source});
  }
  for (const std::size_t column : row.escaped) {
    std::string_view& bytes = row.view.value(column).bytes;
    if (options.mode == Mode::fresh && row.view.table().parent() == nullptr) {
      char* there = batch->block.buffer.data() + (bytes.data() - batch->block.buffer.data());
      bytes = {there, unescape(bytes, there)};
    } else {  // the line may still become a reject, which stores the original text
      std::string& kept = batch->kept.emplace_back(bytes.size(), '\0');
      kept.resize(unescape(bytes, kept.data()));
      bytes = kept;
    }
  }
  return row.more.empty() ? std::string_view{} : settle_more(row);
}

std::string_view RowMaker::State::settle_more(OpenRow& row) {
  // In the order of the line, whether or not a field was already known to be beyond the limit.
  std::ranges::sort(row.more, {}, [](const auto& member) { return member.json.data(); });
  std::string& object = batch->kept.emplace_back();
  for (const OpenRow::Member& member : row.more) {
    object += object.empty() ? '{' : ',';
    text::JsonWriter(object).value(member.field);
    object += ':';
    object += member.json;
  }
  object += '}';
  std::optional<std::size_t> column = row.view.more();
  if (!column) {
    if (!take_turn()) return kCancelled;
    row.view.refresh();
    column = row.view.more();
    if (!column) column = row.view.add_ours(kMoreColumn);
  }
  row.view.put(*column, {.value = {.type = CellType::text, .bytes = object}, .seen = kSeenJson});
  return {};
}

std::string_view RowMaker::State::decide(View& view) {
  if (!take_turn()) return kCancelled;
  view.refresh();
  if (view.rowid() != RowidFrom::undecided) return {};
  const auto column =
      options.has_key ? view.column_of(path_part(options.key_field())) : std::nullopt;
  const bool is_key = column && file->can_restart && !rules.shares_table &&
                      view.value(*column).type == CellType::integer &&
                      view.wish(*column).type != ColumnType::text;
  view.decide(rules.shares_table ? RowidFrom::place
              : is_key           ? RowidFrom::key
                                 : RowidFrom::line,
              column);
  return {};
}

// False: the key cannot be the rowid.
bool RowMaker::State::find_rowid(OpenRow& row, std::int64_t& number) const {
  switch (rowid) {
    case RowidFrom::key: {
      const auto column = row.view.key();
      if (!column) return false;
      CellValue& key = row.view.value(*column);
      if (key.type != CellType::integer) return false;
      if (batch->last_key && *batch->last_key >= key.integer) return false;
      number = key.integer;
      if (!batch->first_key) batch->first_key = number;
      batch->last_key = number;
      key = {.type = CellType::null};
      return true;
    }
    case RowidFrom::place:
      number = static_cast<std::int64_t>(row.place);
      return true;
    case RowidFrom::undecided:
    case RowidFrom::line:
    case RowidFrom::database:
      number = static_cast<std::int64_t>(line_number);
      return true;
  }
  return true;
}

std::string_view RowMaker::State::commit_root(OpenRow& row) {
  if (const auto reason = settle(row); !reason.empty()) return reason;
  if (rowid == RowidFrom::undecided) {
    if (const auto reason = decide(row.view); !reason.empty()) return reason;
    rowid = row.view.rowid();
  }
  row.view.keep_row(batch->file, line_number);
  // The rows of a block with a broken key are made again later, but its columns are added now, in
  // order. Another block may have broken the key meanwhile.
  std::int64_t number = 0;
  if (!batch->is_key_broken) {
    batch->is_key_broken = row.view.rowid() != rowid || !find_rowid(row, number);
  }
  if (!batch->is_key_broken) rows_of(row.view.table()).cells.add(number, row.view.values());
  return {};
}

}  // namespace tidemill::import
