// RowTable: the state of one table while it is filled: its columns in their order, what was seen in
// each and where first, and where its rowids come from.
//
// Columns are only added, and only in the order of the lines (turn.h), so the result does not
// depend on the number of workers. A worker keeps a copy of what it needs and refreshes it when
// version() changes.
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
  std::string name{};    // in SQLite; unique without regard to case
  std::string field{};   // in the record; if flattened, its path: "position.x"
  bool is_ours = false;  // not a field: _more, or in a child table the parent's key or the position
  std::optional<ColumnType> forced{};  // by --types, or by the existing table
  Seen seen = 0;
  std::array<std::uint64_t, kSeenBits> first_line{};  // by bit; 0: never
  std::array<std::size_t, kSeenBits> first_file{};    // by bit: SourceFile::number
  bool has_numbers = false;  // numbers were stored as numbers, before it became TEXT

  [[nodiscard]] ColumnType type() const { return forced.value_or(type_of(seen)); }
};

// Where the rowid of a row comes from.
enum class RowidFrom : std::uint8_t {
  undecided,  // no row yet
  key,        // the key column is an INTEGER PRIMARY KEY: it ascends in the file
  line,       // the number of the line in its file
  place,      // the place of its first byte: child tables, rejects, tables of several files
  database,   // SQLite assigns it: the table already has rows
};

// Thread-safe.
class RowTable {
 public:
  struct State {
    std::vector<Column> columns{};
    RowidFrom rowid = RowidFrom::undecided;
    std::optional<std::size_t> key{};  // the key column, if there is one
  };

  RowTable(std::string name, std::size_t number, RowTable* parent, std::string field = {})
      : name_(std::move(name)), number_(number), parent_(parent), field_(std::move(field)) {}

  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] std::size_t number() const { return number_; }       // its index in Tables
  [[nodiscard]] RowTable* parent() const { return parent_; }         // of a child table
  [[nodiscard]] const std::string& field() const { return field_; }  // the list in the parent

  [[nodiscard]] std::uint64_t version() const { return version_.load(std::memory_order_acquire); }
  [[nodiscard]] State state() const { return *state_.lock(); }

  // Runs `change` under the lock; increments version().
  template <class Change>
  void change(Change change) {
    const auto state = state_.lock();
    change(*state);
    version_.fetch_add(1, std::memory_order_release);
  }

 private:
  const std::string name_;
  const std::size_t number_;
  RowTable* const parent_;
  const std::string field_;
  mutable Guarded<State> state_;
  std::atomic<std::uint64_t> version_ = 1;
};

}  // namespace tidemill::import
