// SqlRigWith: a test fixture with a SqlLoader, a database in memory and a clock that the test
// advances; and helpers for the values that tests write. The test supplies the type of the clock,
// because only test files may include the fakes.
#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <deque>
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "tidemill/formats/jsonl/number.h"
#include "tidemill/jobs/import/sql/loader.h"
#include "tidemill/jobs/import/sql/schema.h"
#include "tidemill/jobs/import/target/target.h"

namespace tidemill::import {

inline sqlite_pages::CellValue integer(std::int64_t number) {
  return {.type = sqlite_pages::CellType::integer, .integer = number};
}
inline sqlite_pages::CellValue real(double number) {
  return {.type = sqlite_pages::CellType::real, .real = number};
}
inline sqlite_pages::CellValue words(std::string_view bytes) {
  return {.type = sqlite_pages::CellType::text, .bytes = bytes};
}
inline const sqlite_pages::CellValue kNothing{.type = sqlite_pages::CellType::null};
inline const sqlite_pages::CellValue kAbsent{};

inline Seen seen_of(const sqlite_pages::CellValue& value) {
  if (value.type == sqlite_pages::CellType::integer) {
    return jsonl::is_double(value.integer) ? kSeenInteger : kSeenInteger | kSeenWide;
  }
  if (value.type == sqlite_pages::CellType::real) return kSeenReal;
  if (value.type == sqlite_pages::CellType::text) return kSeenString;
  return value.type == sqlite_pages::CellType::null ? kSeenNull : 0;
}

// A database, a loader, and the work that a worker does before the loader. One thread.
template <class MovedClock>
struct SqlRigWith {
  explicit SqlRigWith(Mode chosen, std::string_view before = "") : mode(chosen) {
    EXPECT_TRUE(add_text_function(db));
    EXPECT_TRUE(db.exec(mode == Mode::fresh ? "PRAGMA journal_mode = OFF" : ""));
    EXPECT_TRUE(db.exec(std::string(before)));
    begin_import(mode);
  }

  void begin_import(Mode chosen) {
    loader.reset();
    mode = chosen;
    loader = std::make_unique<SqlLoader>(db, SqlOptions{.mode = chosen, .import = 1}, clock);
  }

  RowTable& add(const std::string& name, RowidFrom rowid, RowTable* parent = nullptr) {
    RowTable& table = tables.emplace_back(name, tables.size(), parent, "list");
    table.change([&](RowTable::State& state) { state.rowid = rowid; });
    return table;
  }

  // With the state that the table has in the database.
  RowTable& join(const std::string& name, RowTable* parent = nullptr) {
    RowTable& table = tables.emplace_back(name, tables.size(), parent, "list");
    auto state = look_at_table(db, name);
    EXPECT_TRUE(state && *state) << name;
    table.change([&](RowTable::State& known) { known = **state; });
    return table;
  }

  static SourceFile file_of(RowTable& table, const std::string& name = "/in/a.jsonl") {
    return {.path = name, .name = name, .table = &table};
  }

  // Adds the columns that the rows of `cells` need, as a worker does.
  void notice(RowTable& table, const sqlite_pages::CellBatch& cells) const {
    std::vector<sqlite_pages::CellValue> values;
    for (const sqlite_pages::CellRow& row : cells.rows()) {
      cells.values(row, values);
      if (values.size() == 1 && seen_of(values[0]) <= kSeenNull)
        continue;  // a record without fields
      table.change([&](RowTable::State& state) {
        while (state.columns.size() < values.size()) {
          const std::string name = "c" + std::to_string(state.columns.size());
          state.columns.push_back({.name = name, .field = name});
        }
        for (std::size_t i = 0; i < values.size(); ++i) state.columns[i].seen |= seen_of(values[i]);
      });
    }
  }

  RowBatch batch(
      RowTable& table,
      std::initializer_list<std::pair<std::int64_t, std::vector<sqlite_pages::CellValue>>> rows) {
    RowBatch made;
    made.tables.push_back(
        {.table = &table, .cells = sqlite_pages::CellBatch(mode == Mode::upsert)});
    for (const auto& [rowid, values] : rows) made.tables.front().cells.add(rowid, values);
    notice(table, made.tables.front().cells);
    return made;
  }

  std::uint64_t store(RowBatch made) {
    const auto stored = loader->store(made);
    EXPECT_TRUE(stored) << stored.error().reason;
    return made.tables.empty() ? 0 : made.tables.front().refused;
  }

  void begin(const SourceFile& file, std::uint64_t base = 0) {
    const auto begun = loader->begin_file(file, base);
    EXPECT_TRUE(begun) << begun.error().reason;
  }
  void end(const SourceFile& file) {
    const auto ended = loader->end_file(file, {.bytes = 7});
    EXPECT_TRUE(ended) << ended.error().reason;
  }
  void finish() {
    const auto finished = loader->finish();
    EXPECT_TRUE(finished) << finished.error().reason;
    EXPECT_EQ(text("PRAGMA integrity_check"), "ok");
  }

  // The first column of all rows, separated by spaces.
  std::string text(const std::string& sql) {
    std::string all;
    auto select = db.prepare(sql);
    EXPECT_TRUE(select) << sql << ": " << select.error().reason;
    if (!select) return "?";
    EXPECT_TRUE(select->rows<std::string>(
        std::tuple(), [&](const std::string& row) { all += (all.empty() ? "" : " ") + row; }));
    return all;
  }
  std::string create(const std::string& name) {
    return text("SELECT sql FROM sqlite_schema WHERE name = '" + name + "'");
  }

  Mode mode;
  store::Db db = *store::Db::open(":memory:");
  MovedClock clock{};
  std::deque<RowTable> tables{};
  std::unique_ptr<SqlLoader> loader{};
};

}  // namespace tidemill::import
