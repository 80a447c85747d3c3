#include "tidemill/jobs/import/rows/maker.h"

#include <algorithm>
#include <utility>

#include "tidemill/formats/jsonl/grammar.h"
#include "tidemill/formats/text/utf8.h"
#include "tidemill/jobs/import/rows/state.h"
#include "tidemill/jobs/import/rows/unescape.h"

namespace tidemill::import {
namespace {

using sqlite_pages::CellType;
using sqlite_pages::CellValue;

constexpr std::string_view kNoObject = "not an object";
constexpr std::string_view kCut = "truncated: the file ends inside this line";
constexpr std::string_view kNoUtf8 = "not UTF-8";
constexpr std::string_view kControl = "control character in a string";
constexpr std::size_t kLongLine = std::size_t{1024} * 1024;
constexpr std::size_t kKeptOfReject = std::size_t{1024} * 1024;

bool is_blank(std::string_view line) {
  return line.find_first_not_of(" \t\r\n") == std::string_view::npos;
}

// The part of a rejected line that is stored; never ends inside a character.
std::string_view front_of(std::string_view line) {
  if (line.size() <= kKeptOfReject) return line;
  std::size_t size = kKeptOfReject;
  while (size > kKeptOfReject - 4 && (static_cast<unsigned char>(line[size]) & 0xc0U) == 0x80U)
    --size;
  return line.substr(0, size);
}

}  // namespace

RowMaker::RowMaker(const ImportOptions& options, RowRules rules, Tables& tables, Turn& turn)
    : state_(std::make_unique<State>(options, rules, tables, turn)) {}
RowMaker::~RowMaker() = default;

bool RowMaker::make(const SourceFile& file, RowBatch& batch) {
  State& s = *state_;
  s.file = &file;
  s.batch = &batch;
  s.has_turn = false;
  View& root = s.view_of(*file.table);
  root.refresh();
  s.rowid = root.rowid();
  (void)s.rows_of(*file.table);  // even if no line of the block is a row
  const std::size_t lines = batch.block.lines();
  for (std::size_t i = 0; i < lines; ++i) {
    s.make_line(i);
    if (s.batch == nullptr) return false;
  }
  for (const TableRows& rows : batch.tables) {
    s.view_of(*rows.table).report_seen();
  }
  return true;
}

View& RowMaker::State::view_of(RowTable& table) {
  std::unique_ptr<View>& view = views[&table];
  if (!view) view = std::make_unique<View>(table);
  return *view;
}

TableRows& RowMaker::State::rows_of(RowTable& table) const {
  for (TableRows& rows_there : batch->tables) {
    if (rows_there.table == nullptr) rows_there.table = &table;  // the batch is reused
    if (rows_there.table == &table) return rows_there;
  }
  TableRows& added = batch->tables.emplace_back();
  added.table = &table;
  added.cells = sqlite_pages::CellBatch(rules.keeps_absent);
  return added;
}

bool RowMaker::State::take_turn() {
  if (!has_turn) has_turn = turn.wait(batch->order);
  return has_turn;
}

void RowMaker::State::make_line(std::size_t i) {
  const jsonl::Block& block = batch->block;
  line = block.line(i);
  line_number = block.first_line + i;
  const std::uint64_t offset = block.offset_of(i);
  line_place = batch->base + offset + 1;
  ++batch->counts.lines;
  if (block.too_long > 0) return reject(offset, "longer than --max-line");
  if (is_blank(line)) {
    ++batch->counts.blank;
    return;
  }
  const std::uint64_t children = batch->counts.child_rows;
  std::vector<std::size_t> before;
  if (options.nested == Nested::tables) {
    for (const TableRows& rows_there : batch->tables) {
      before.push_back(rows_there.cells.rows().size());
    }
  }
  std::string_view reason = make_row();
  if (reason.empty()) {
    ++batch->counts.rows;
    batch->languages_left_out |= left_out;
    return;
  }
  if (reason == kCancelled) {
    batch = nullptr;
    return;
  }
  for (std::size_t t = 0; t < batch->tables.size() && options.nested == Nested::tables; ++t) {
    batch->tables[t].cells.cut(t < before.size() ? before[t] : 0);
  }
  batch->counts.child_rows = children;
  if (block.is_cut && i + 1 == block.lines() && jsonl::check(line) != jsonl::Flaw::none) {
    reason = kCut;
  }
  reject(offset, reason);
}

void RowMaker::State::reject(std::uint64_t offset, std::string_view reason) const {
  ++batch->counts.rejected;
  const auto text_of = [](std::string_view bytes) {
    return CellValue{.type = text::is_utf8(bytes) ? CellType::text : CellType::blob,
                     .bytes = bytes};
  };
  const CellValue values[] = {
      text_of(file->name),
      {.type = CellType::integer, .integer = static_cast<std::int64_t>(line_number)},
      {.type = CellType::integer, .integer = static_cast<std::int64_t>(offset)},
      {.type = CellType::text, .bytes = reason},
      text_of(front_of(line)),
  };
  batch->rejects.cells.add(static_cast<std::int64_t>(line_place), values);
}

std::string_view RowMaker::State::reason_of(jsonl::Ill ill) const {
  if (ill == jsonl::Ill::not_utf8) return kNoUtf8;
  if (ill == jsonl::Ill::control) return kControl;
  return malformed();
}

// The tokens are not an object: parses the line again to find the reason.
std::string_view RowMaker::State::malformed() const {
  const jsonl::Flaw flaw = jsonl::check(line);
  return flaw == jsonl::Flaw::none ? kNoObject : name_of(flaw);
}

std::string_view RowMaker::State::make_row() {
  scalars.next_row();
  if (entries > kMostEntries) forget_entries();
  left_out = 0;
  // A long line may have very many tokens; if nested values stay text, the tokens inside them are
  // not needed.
  const bool is_shallow =
      line.size() > kLongLine && options.nested == Nested::json && options.languages.empty();
  jsonl::Ill ill = is_shallow ? tokens.index_shallow(line) : tokens.index(line);
  if (is_shallow && ill != jsonl::Ill::none) ill = tokens.index(line);  // finds the exact reason
  if (ill != jsonl::Ill::none) return reason_of(ill);
  if (tokens.first(0) != '{') return malformed();
  if (options.nested == Nested::tables) {
    std::size_t end = 0;
    std::string_view json;
    const jsonl::Flaw flaw = tokens.take(end, 0, json);
    if (flaw != jsonl::Flaw::none) return name_of(flaw);
    if (end != tokens.count()) return name_of(jsonl::Flaw::trailing);
    end = 0;
    View& view = view_of(*file->table);
    if (auto reason = rehearse(end, view.root, &view); !reason.empty()) return reason;
    if (auto reason = find_parent(); !reason.empty()) return reason;
  }
  View& view = view_of(*file->table);
  OpenRow row{.view = view, .number = ++rows, .place = line_place};
  std::size_t at = 0;
  std::string_view reason = walk(at, row, view.root);
  // Nothing may follow the record.
  if (reason.empty() && at != tokens.count()) reason = name_of(jsonl::Flaw::trailing);
  if (reason.empty()) reason = commit_root(row);
  view.clear_row();
  return reason;
}

// The rows of child tables contain the key of their record, which may come after the lists.
std::string_view RowMaker::State::find_parent() {
  parent = {.type = CellType::integer, .integer = static_cast<std::int64_t>(line_number)};
  parent_seen = kSeenInteger;
  positions.clear();
  if (!options.has_key) return {};
  const std::string_view key = options.key_field();
  for (std::size_t at = 1; tokens.first(at) == '"'; at = tokens.behind(at) + 1) {
    const bool is_it = unescaped(tokens.inside(at)) == key;
    at += 2;
    if (!is_it) continue;
    const std::string_view token = tokens.text(at);
    if (token.front() == '{' || token.front() == '[' || token == "null") return {};
    Scalar scalar;
    if (auto reason = scalars.read(token, {}, scalar); !reason.empty()) return reason;
    parent = scalar.value;
    parent_seen = scalar.seen;
    if (scalar.is_escaped) {
      std::string& kept = batch->kept.emplace_back(parent.bytes.size(), '\0');
      kept.resize(unescape(parent.bytes, kept.data()));
      parent.bytes = kept;
    }
    return {};
  }
  return {};
}

}  // namespace tidemill::import
