// SqlRigWith: a SqlLoader with a database in memory and a clock that the test moves, for tests; and
// the values they write. The kind of clock is the test's to name: fakes are for tests alone.
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

inline sqlite_pages::Value integer(std::int64_t number) {
  return {.type = sqlite_pages::Type::integer, .integer = number};
}
inline sqlite_pages::Value real(double number) {
  return {.type = sqlite_pages::Type::real, .real = number};
}
inline sqlite_pages::Value words(std::string_view bytes) {
  return {.type = sqlite_pages::Type::text, .bytes = bytes};
}
inline const sqlite_pages::Value kNothing{.type = sqlite_pages::Type::null};
inline const sqlite_pages::Value kAbsent{};

inline Seen seen_of(const sqlite_pages::Value& value) {
  if (value.type == sqlite_pages::Type::integer) {
    return jsonl::is_double(value.integer) ? kSeenInteger : kSeenInteger | kSeenWide;
  }
  if (value.type == sqlite_pages::Type::real) return kSeenReal;
  if (value.type == sqlite_pages::Type::text) return kSeenString;
  return value.type == sqlite_pages::Type::null ? kSeenNull : 0;
}

// A database, a loader, and what a worker does before it. One thread.
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

  Table& add(const std::string& name, RowidFrom rowid, Table* parent = nullptr) {
    Table& table = tables.emplace_back(name, tables.size(), parent, "list");
    table.change([&](Table::State& state) { state.rowid = rowid; });
    return table;
  }

  // As it is in the database.
  Table& join(const std::string& name, Table* parent = nullptr) {
    Table& table = tables.emplace_back(name, tables.size(), parent, "list");
    auto state = look_at_table(db, name);
    EXPECT_TRUE(state && *state) << name;
    table.change([&](Table::State& known) { known = **state; });
    return table;
  }

  static SourceFile file_of(Table& table, const std::string& name = "/in/a.jsonl") {
    return {.path = name, .name = name, .table = &table};
  }

  // The rows of `cells` are in the table's columns first, as a worker sees to it.
  void notice(Table& table, const sqlite_pages::Cells& cells) const {
    std::vector<sqlite_pages::Value> values;
    for (const sqlite_pages::Row& row : cells.rows()) {
      cells.values(row, values);
      if (values.size() == 1 && seen_of(values[0]) <= kSeenNull)
        continue;  // a record without fields
      table.change([&](Table::State& state) {
        while (state.columns.size() < values.size()) {
          const std::string name = "c" + std::to_string(state.columns.size());
          state.columns.push_back({.name = name, .field = name});
        }
        for (std::size_t i = 0; i < values.size(); ++i) state.columns[i].seen |= seen_of(values[i]);
      });
    }
  }

  Batch batch(
      Table& table,
      std::initializer_list<std::pair<std::int64_t, std::vector<sqlite_pages::Value>>> rows) {
    Batch made;
    made.tables.push_back({.table = &table, .cells = sqlite_pages::Cells(mode == Mode::upsert)});
    for (const auto& [rowid, values] : rows) made.tables.front().cells.add(rowid, values);
    notice(table, made.tables.front().cells);
    return made;
  }

  std::uint64_t store(Batch made) {
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

  // All rows, with '|' between columns and a blank between rows.
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
  std::deque<Table> tables{};
  std::unique_ptr<SqlLoader> loader{};
};

}  // namespace tidemill::import
