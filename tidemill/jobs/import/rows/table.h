// Table: what is known of one table while it is filled: its columns in their order, what was seen
// in each and where first, and where its rowids come from.
//
// Columns are only ever added, and only in the order of the lines (turn.h), so the outcome is the
// same with one worker and with eight. A worker keeps a copy of what it needs and asks again when
// version() has moved.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tidemill/base/guarded.h"
#include "tidemill/jobs/import/rows/column_type.h"

namespace tidemill::import {

inline constexpr std::size_t kMostColumns = 2'000;        // SQLite's limit
inline constexpr std::string_view kMoreColumn = "_more";  // the fields beyond it, as one object

struct Column {
  std::string name{};    // as SQLite knows it; unique whatever the case
  std::string field{};   // as the record calls it; of a flattened one its path, "position.x"
  bool is_ours = false;  // no field: _more, and in a child table the parent's key and the position
  std::optional<ColumnType> forced{};  // by --types, or by the existing table
  Seen seen = 0;
  std::array<std::uint64_t, kSeenBits> first_line{};  // by bit; 0: never
  std::array<std::size_t, kSeenBits> first_file{};    // its number
  bool has_numbers = false;  // rows were stored while it was no TEXT: numbers as numbers

  [[nodiscard]] ColumnType type() const { return forced.value_or(type_of(seen)); }
};

// Where the rowid of a row comes from.
enum class RowidFrom : std::uint8_t {
  undecided,  // no row yet
  key,        // the key column is an INTEGER PRIMARY KEY: it ascends in the file
  line,       // the number of the line in its file
  place,      // of a row in a child table, or a reject: where it begins, in bytes
  database,   // SQLite gives it: rows join others
};

// Thread-safe.
class Table {
 public:
  struct State {
    std::vector<Column> columns{};
    RowidFrom rowid = RowidFrom::undecided;
    std::optional<std::size_t> key{};  // the column that is the key, if there is one
  };

  Table(std::string name, std::size_t number, Table* parent, std::string field = {})
      : name_(std::move(name)), number_(number), parent_(parent), field_(std::move(field)) {}

  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] std::size_t number() const { return number_; }       // its place in Tables
  [[nodiscard]] Table* parent() const { return parent_; }            // of a child table
  [[nodiscard]] const std::string& field() const { return field_; }  // the list in its rows

  [[nodiscard]] std::uint64_t version() const { return version_.load(std::memory_order_acquire); }
  [[nodiscard]] State state() const { return *state_.lock(); }

  // Under the lock; moves version().
  template <class Change>
  void change(Change change) {
    const auto state = state_.lock();
    change(*state);
    version_.fetch_add(1, std::memory_order_release);
  }

 private:
  const std::string name_;
  const std::size_t number_;
  Table* const parent_;
  const std::string field_;
  mutable Guarded<State> state_;
  std::atomic<std::uint64_t> version_ = 1;
};

}  // namespace tidemill::import
