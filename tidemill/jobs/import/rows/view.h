// View: a worker's copy of one table, so that rows are made without a lock.
//
//   record    {"_key": 5, "position": {"x": 1}}
//   KeyNode   "_key" → column 0
//             "position" → KeyNode  "x" → column 1 (position_x)    with --nested flatten or tables
//
// Keys are looked up in their escaped form, as in the record. Records of a file mostly have the
// same keys in the same order, so the next key is first compared with the key that came next in the
// previous record, and only then looked up. A new key waits for its turn (turn.h) and gets its
// column from the RowTable.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "tidemill/formats/sqlite_pages/cells.h"
#include "tidemill/jobs/import/rows/scalar.h"
#include "tidemill/jobs/import/rows/table.h"

namespace tidemill::import {

struct KeyNode;
class View;

struct KeyEntry {
  std::string raw{};                // the key between its quotes, as in the records
  std::string field{};              // the path: "position.x" (path_part)
  std::string column{};             // the preferred name of its column: "position_x"
  std::optional<std::size_t> at{};  // its column, once it has one
  bool is_beyond = false;           // it has none: the table has as many as SQLite allows
  std::unique_ptr<KeyNode> below{};
  std::unique_ptr<KeyNode> elements{};  // the keys of the objects in its lists
  View* child = nullptr;                // of the table for its lists
  bool is_text = false;                 // the limit of tables was reached: its lists are text
  std::uint64_t row = 0;                // the last row that has it
};

// The keys of one object. One thread.
struct KeyNode {
  std::string field{};   // prefix of the fields: "position."
  std::string column{};  // prefix of the column names: "position_"
  std::uint32_t depth = 0;
  std::deque<KeyEntry> entries{};
  std::vector<KeyEntry*> in_order{};  // the same entries: indexing a deque is slow
  std::unordered_map<std::string_view, std::size_t> by_raw{};  // other spellings too
  std::unordered_map<std::string, std::size_t> by_field{};
  std::deque<std::string> spellings{};
  std::size_t next = 0;  // the entry that is expected

  // `rest` begins with the key, which ends at a quote. Null: it is not the expected key.
  [[nodiscard]] KeyEntry* find_next(std::string_view rest);
  [[nodiscard]] KeyEntry* find(std::string_view raw);
  KeyEntry& add(std::string_view raw, std::string_view unescaped);
};

// One thread, that of its worker.
class View {
 public:
  explicit View(RowTable& table) : table_(table) { refresh(); }

  [[nodiscard]] RowTable& table() const { return table_; }
  KeyNode root{};

  // Copies what other workers have added.
  void refresh() {
    if (version_ != table_.version()) take_over();
  }
  [[nodiscard]] RowidFrom rowid() const { return rowid_; }
  [[nodiscard]] std::optional<std::size_t> key() const { return key_; }

  // The column of a field, if the table has it.
  [[nodiscard]] std::optional<std::size_t> column_of(const std::string& field) const;
  // Only in the block's turn. nullopt: the table is full.
  std::optional<std::size_t> add_column(const KeyEntry& entry, std::optional<ColumnType> forced);
  void decide(RowidFrom rowid, std::optional<std::size_t> key);

  // Adds a column that is not a field (Column::is_ours). Only in the block's turn.
  std::size_t add_ours(std::string_view name);
  [[nodiscard]] std::size_t columns() const { return values_.size(); }
  [[nodiscard]] std::optional<std::size_t> more() const { return more_; }

  // The current row.
  [[nodiscard]] ColumnNeed wish(std::size_t column) const { return needs_[column]; }
  [[nodiscard]] bool has_value(std::size_t column) const {
    return values_[column].type != sqlite_pages::CellType::absent;
  }
  void put(std::size_t column, const Scalar& scalar) {
    values_[column] = scalar.value;
    touched_.push_back({column, scalar.seen});
  }
  [[nodiscard]] sqlite_pages::CellValue& value(std::size_t column) { return values_[column]; }
  [[nodiscard]] const std::vector<sqlite_pages::CellValue>& values() const { return values_; }
  void keep_row(std::size_t file,
                std::uint64_t line);  // it is not a reject: what was seen in it counts
  void clear_row();

  // Adds what was seen since the last call to the table. At the end of a block.
  void report_seen();

 private:
  struct Mark {
    Seen seen = 0;
    bool has_numbers = false;
    std::size_t file = 0;
    std::array<std::uint64_t, kSeenBits> first{};
  };
  void take_over();
  [[nodiscard]] static bool is_news(const Mark& mark, const Column& column);
  static void merge(const Mark& mark, Column& column);

  RowTable& table_;
  std::uint64_t version_ = 0;
  RowidFrom rowid_ = RowidFrom::undecided;
  std::optional<std::size_t> key_{};
  std::optional<std::size_t> more_{};
  std::unordered_map<std::string, std::size_t> by_field_{};
  std::vector<ColumnNeed> needs_{};
  std::vector<sqlite_pages::CellValue> values_{};
  struct Touch {
    std::size_t column;
    Seen seen;
  };
  std::vector<Touch> touched_{};
  std::vector<Mark> marks_{};
};

}  // namespace tidemill::import
