// View: a worker's own picture of one table, so that a row is made without any lock.
//
//   record {"_key": 5, "position": {"x": 1}}
//   Node   "_key" → column 0
//          "position" → Node  "x" → column 1 (position_x)         with --nested flatten or tables
//
// Keys are looked up as they stand in the record. Records of a file mostly have the same keys in
// the same order, so the next key is compared with the one that came next the last time, and only
// then looked for. A key that is new waits for its turn (turn.h) and gets its column from the
// Table.
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

struct Node;
class View;

struct Entry {
  std::string raw{};                // the key between its quotes, as it stands in the records
  std::string field{};              // behind the fields above it: "position.x" (path_part)
  std::string column{};             // the name that its column would like: "position_x"
  std::optional<std::size_t> at{};  // its column, once it has one
  bool is_beyond = false;           // it has none: the table has as many as SQLite allows
  std::unique_ptr<Node> below{};
  std::unique_ptr<Node> elements{};  // of the objects in its lists
  View* child = nullptr;             // of the table for its lists
  bool is_text = false;              // there are tables enough: its lists are text
  std::uint64_t row = 0;             // the last one it was seen in
};

// The keys of one object. One thread.
struct Node {
  std::string field{};   // in front of the fields: "position."
  std::string column{};  // in front of the names: "position_"
  std::uint32_t depth = 0;
  std::deque<Entry> entries{};
  std::vector<Entry*> in_order{};  // the same: a deque is slow to look into
  std::unordered_map<std::string_view, std::size_t> by_raw{};  // other spellings too
  std::unordered_map<std::string, std::size_t> by_field{};
  std::deque<std::string> spellings{};
  std::size_t next = 0;  // the entry that is expected

  // `rest` begins with the key, which ends at a quote. Nothing: another one was expected.
  [[nodiscard]] Entry* find_next(std::string_view rest);
  [[nodiscard]] Entry* find(std::string_view raw);
  Entry& add(std::string_view raw, std::string_view unescaped);
};

// One thread: of one worker.
class View {
 public:
  explicit View(Table& table) : table_(table) { refresh(); }

  [[nodiscard]] Table& table() const { return table_; }
  Node root{};

  // Takes over what others have added.
  void refresh() {
    if (version_ != table_.version()) take_over();
  }
  [[nodiscard]] RowidFrom rowid() const { return rowid_; }
  [[nodiscard]] std::optional<std::size_t> key() const { return key_; }

  // The column of a field that is in the table already.
  [[nodiscard]] std::optional<std::size_t> column_of(const std::string& field) const;
  // Only at the block's turn. Nothing: the table is full.
  std::optional<std::size_t> add_column(const Entry& entry, std::optional<ColumnType> forced);
  void decide(RowidFrom rowid, std::optional<std::size_t> key);

  // A column that no field has: its name is ours. Only at the block's turn.
  std::size_t add_ours(std::string_view name);
  [[nodiscard]] std::size_t columns() const { return values_.size(); }
  [[nodiscard]] std::optional<std::size_t> more() const { return more_; }

  // The row that is being made.
  [[nodiscard]] Wish wish(std::size_t column) const { return wishes_[column]; }
  [[nodiscard]] bool has_value(std::size_t column) const {
    return values_[column].type != sqlite_pages::Type::absent;
  }
  void put(std::size_t column, const Scalar& scalar) {
    values_[column] = scalar.value;
    touched_.push_back({column, scalar.seen});
  }
  [[nodiscard]] sqlite_pages::Value& value(std::size_t column) { return values_[column]; }
  [[nodiscard]] const std::vector<sqlite_pages::Value>& values() const { return values_; }
  void keep_row(std::size_t file,
                std::uint64_t line);  // it counts: what was seen in it belongs to the table
  void clear_row();

  // What was seen since the last time goes into the table. At the end of a block.
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

  Table& table_;
  std::uint64_t version_ = 0;
  RowidFrom rowid_ = RowidFrom::undecided;
  std::optional<std::size_t> key_{};
  std::optional<std::size_t> more_{};
  std::unordered_map<std::string, std::size_t> by_field_{};
  std::vector<Wish> wishes_{};
  std::vector<sqlite_pages::Value> values_{};
  struct Touch {
    std::size_t column;
    Seen seen;
  };
  std::vector<Touch> touched_{};
  std::vector<Mark> marks_{};
};

}  // namespace tidemill::import
