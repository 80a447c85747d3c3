#include "tidemill/jobs/import/sql_loader.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <deque>
#include <filesystem>
#include <initializer_list>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <unistd.h>

#include <gtest/gtest.h>

#include "tidemill/base/dice.h"
#include "tidemill/jobs/import/ddl.h"
#include "tidemill/jobs/import/ledger.h"
#include "tidemill/jobs/import/sql_schema.h"
#include "tidemill/jobs/import/target.h"
#include "tidemill/jsonl/number.h"
#include "tidemill/testing/fake_clock.h"

namespace tidemill::import {
namespace {

using pages::Type;
using pages::Value;

Value integer(std::int64_t number) { return {.type = Type::integer, .integer = number}; }
Value real(double number) { return {.type = Type::real, .real = number}; }
Value words(std::string_view bytes) { return {.type = Type::text, .bytes = bytes}; }
const Value kNothing{.type = Type::null};
const Value kAbsent{};

Seen seen_of(const Value& value) {
  if (value.type == Type::integer) {
    return jsonl::is_double(value.integer) ? kSeenInteger : kSeenInteger | kSeenWide;
  }
  if (value.type == Type::real) return kSeenReal;
  if (value.type == Type::text) return kSeenString;
  return value.type == Type::null ? kSeenNull : 0;
}

// A database, a loader, and what a worker does before it.
struct Rig {
  explicit Rig(Mode chosen, std::string_view before = "") : mode(chosen) {
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
  void notice(Table& table, const pages::Cells& cells) const {
    std::vector<Value> values;
    for (const pages::Row& row : cells.rows()) {
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

  Batch batch(Table& table,
              std::initializer_list<std::pair<std::int64_t, std::vector<Value>>> rows) {
    Batch made;
    made.tables.push_back({.table = &table, .cells = pages::Cells(mode == Mode::upsert)});
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
  testing::FakeClock clock{};
  std::deque<Table> tables{};
  std::unique_ptr<SqlLoader> loader{};
};

// A value as the finished column holds it, in the words of rows_of().
std::string expected(const Value& value, ColumnType type) {
  std::string text;
  switch (value.type) {
    case Type::absent:
    case Type::null:
    case Type::blob:
      return "null";
    case Type::text:
      return "text:" + std::string(value.bytes);
    case Type::integer:
      if (type == ColumnType::real) {
        jsonl::append_text(static_cast<double>(value.integer), text);
        return "real:" + text;
      }
      jsonl::append_text(value.integer, text);
      return (type == ColumnType::text ? "text:" : "integer:") + text;
    case Type::real:
      jsonl::append_text(value.real, text);
      return (type == ColumnType::text ? "text:" : "real:") + text;
  }
  return "?";
}

std::vector<std::string> rows_of(Rig& rig, const Table& table, bool has_rowid) {
  std::string sql = has_rowid ? "SELECT rowid" : "SELECT ''";
  for (const Column& column : table.state().columns) {
    const std::string name = quoted_name(column.name);
    sql += " || '|' || CASE typeof(" + name + ") WHEN 'null' THEN 'null' ELSE typeof(" + name +
           ") || ':' || tidemill_text(" + name + ") END";
  }
  std::vector<std::string> rows;
  auto select = rig.db.prepare(sql + " FROM " + quoted_name(table.name()) + " ORDER BY rowid");
  EXPECT_TRUE(select) << select.error().reason;
  if (!select) return rows;
  EXPECT_TRUE(select->rows<std::string>(std::tuple(),
                                        [&](std::string row) { rows.push_back(std::move(row)); }));
  return rows;
}

struct Kept {
  std::int64_t rowid = 0;
  std::vector<Value> values{};
};

std::vector<std::string> rows_of(const std::vector<Kept>& kept, const Table& table,
                                 bool has_rowid) {
  const Table::State state = table.state();
  std::vector<std::string> rows;
  for (const Kept& one : kept) {
    std::string row = has_rowid ? std::to_string(one.rowid) : "";
    for (std::size_t i = 0; i < state.columns.size(); ++i) {
      const Value value = i < one.values.size() ? one.values[i] : kNothing;
      row += "|" + expected(value, state.columns[i].type());
    }
    rows.push_back(std::move(row));
  }
  return rows;
}

// Some column types are likelier than others, so that every step of widening comes late now and
// then.
Value some_value(SeededDice& dice, std::size_t column) {
  static constexpr std::string_view kWords[] = {"",  "007", "1e3",         "abc",
                                                "5", "5.0", "\xe2\x82\xac"};
  const auto roll = [&](std::uint64_t sides) { return dice.next() % sides; };
  if (roll(6) == 0) return roll(2) == 0 ? kNothing : kAbsent;
  if (column % 4 == 3 || roll(60) == 0) return words(kWords[roll(std::size(kWords))]);
  if (column % 4 == 2 || roll(20) == 0) {
    return roll(2) == 0 ? real(static_cast<double>(roll(9))) : real(0.1 + dice.draw());
  }
  if (roll(90) == 0) return integer(9'007'199'254'740'993);
  return integer(static_cast<std::int64_t>(roll(1'000)) - 500);
}

void play(std::uint64_t seed, Mode mode, RowidFrom rowid) {
  SeededDice dice(seed);
  Rig rig(mode);
  Table& table = rig.add("t", rowid);
  std::vector<Kept> kept;
  std::size_t columns = 1;
  std::int64_t place = 0;
  for (int number = 0; number < 4; ++number) {
    const auto file = Rig::file_of(table, "/in/" + std::to_string(number));
    const std::size_t before = kept.size();
    rig.begin(file, static_cast<std::uint64_t>(place) + 1);
    for (std::uint64_t b = dice.next() % 4; b > 0; --b) {
      columns = std::min<std::size_t>(9, columns + dice.next() % 3);
      Batch ahead;  // another worker has seen it, and it may never come
      ahead.tables.resize(1);
      Batch batch;
      batch.tables.push_back({.table = &table});
      for (std::uint64_t r = dice.next() % 40; r > 0; --r) {
        Kept row{.rowid = ++place};
        for (std::size_t c = 0; c < columns; ++c) row.values.push_back(some_value(dice, c));
        if (dice.next() % 20 == 0) {
          ahead.tables.front().cells.add(1, row.values);
        } else {
          batch.tables.front().cells.add(row.rowid, row.values);
          kept.push_back(std::move(row));
        }
      }
      rig.notice(table, batch.tables.front().cells);
      rig.notice(table, ahead.tables.front().cells);
      EXPECT_EQ(rig.store(std::move(batch)), 0U);
    }
    if (dice.next() % 3 == 0) {
      kept.resize(before);
      ASSERT_TRUE(dice.next() % 2 == 0 ? rig.loader->drop_file(file)
                                       : rig.loader->restart_file(file));
    } else {
      rig.end(file);
      if (dice.next() % 2 == 0) rig.clock.advance(std::chrono::seconds(2));
    }
  }
  rig.end(Rig::file_of(table, "/in/last"));
  rig.finish();
  const bool has_rowid = rowid != RowidFrom::database;
  const auto found = rows_of(rig, table, has_rowid);
  const auto wanted = rows_of(kept, table, has_rowid);
  EXPECT_EQ(found.size(), wanted.size()) << "seed " << seed;
  const auto [one, other] = std::ranges::mismatch(found, wanted);
  if (one != found.end() && other != wanted.end()) {
    EXPECT_EQ(*one, *other) << "seed " << seed;
  }
  EXPECT_EQ(rig.create("t"), create_table("t", table.state()));
}

TEST(SqlLoader, WhateverComesWhenIsThereInTheEnd) {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    play(seed, Mode::fresh, RowidFrom::place);
    play(seed, Mode::append, seed % 2 == 0 ? RowidFrom::place : RowidFrom::database);
    play(seed, Mode::incremental, RowidFrom::line);
    if (::testing::Test::HasFailure()) return;
  }
}

TEST(SqlLoader, ARealIsToldFromAnIntegerWhenItsColumnBecomesText) {
  for (const Mode mode : {Mode::fresh, Mode::append}) {
    Rig rig(mode);
    Table& table = rig.add("t", RowidFrom::line);
    const auto file = Rig::file_of(table);
    rig.begin(file);
    rig.store(rig.batch(table, {{1, {integer(5)}}, {2, {real(5)}}, {3, {real(0.1)}}}));
    rig.clock.advance(std::chrono::seconds(2));
    rig.end(file);
    EXPECT_EQ(rig.create("t"), mode == Mode::append ? R"(CREATE TABLE "t" ("c0" REAL))"
                                                    : R"(CREATE TABLE "t" ("c0"))");
    const auto second = Rig::file_of(table, "/in/b");
    rig.begin(second, 100);
    rig.store(rig.batch(table, {{4, {integer(7)}}, {5, {real(7)}}, {6, {words("007")}}}));
    rig.end(second);
    rig.finish();
    EXPECT_EQ(rig.text("SELECT c0 FROM t"), "5 5.0 0.1 7 7.0 007");
    EXPECT_EQ(rig.create("t"), R"(CREATE TABLE "t" ("c0" TEXT))");
  }
}

TEST(SqlLoader, TheKeyIsTheRowid) {
  Rig rig(Mode::fresh);
  Table& table = rig.add("t", RowidFrom::key);
  table.change([](Table::State& state) {
    state.columns = {{.name = "_key", .field = "_key", .seen = kSeenInteger}};
    state.key = 0;
  });
  const auto file = Rig::file_of(table);
  rig.begin(file);
  Batch batch = rig.batch(table, {{3, {kNothing, words("c")}}, {-7, {kNothing, words("a")}}});
  EXPECT_EQ(rig.store(std::move(batch)), 0U);
  rig.end(file);
  rig.finish();
  EXPECT_EQ(rig.create("t"), R"(CREATE TABLE "t" ("_key" INTEGER PRIMARY KEY, "c1" TEXT))");
  EXPECT_EQ(rig.text("SELECT _key || c1 FROM t"), "-7a 3c");
}

TEST(SqlLoader, AFileThatIsReadAgainGetsOtherRowids) {
  for (const Mode mode : {Mode::fresh, Mode::append}) {
    Rig rig(mode);
    Table& table = rig.add("t", RowidFrom::key);
    table.change([](Table::State& state) {
      state.columns = {{.name = "_key", .field = "_key", .seen = kSeenInteger}};
      state.key = 0;
    });
    const auto file = Rig::file_of(table);
    rig.begin(file);
    rig.store(rig.batch(table, {{3, {kNothing, integer(1)}}}));
    Batch bad;
    bad.rejects.cells.add(9, std::vector{words("/in/a.jsonl")});
    rig.store(std::move(bad));
    ASSERT_TRUE(rig.loader->restart_file(file));
    EXPECT_EQ(rig.text("SELECT count(*) FROM _rejects"), "0");
    table.change([](Table::State& state) { state.rowid = RowidFrom::line; });
    rig.begin(file);
    rig.store(rig.batch(table, {{1, {integer(3), integer(1)}}, {2, {integer(3), integer(2)}}}));
    rig.end(file);
    rig.finish();
    EXPECT_EQ(rig.create("t"), R"(CREATE TABLE "t" ("_key" INTEGER, "c1" INTEGER))");
    EXPECT_EQ(rig.text("SELECT rowid || ':' || _key || c1 FROM t"), "1:31 2:32");
  }
}

TEST(SqlLoader, AColumnMayBeCalledLikeTheRowid) {
  Rig rig(Mode::fresh);
  Table& table = rig.add("t", RowidFrom::place);
  table.change([](Table::State& state) {
    state.columns = {{.name = "rowid"}, {.name = "OID"}, {.name = "say \"x\", y"}};
  });
  const auto file = Rig::file_of(table);
  rig.begin(file);
  rig.store(rig.batch(table, {{5, {integer(1), integer(2), integer(3)}}}));
  rig.end(file);
  const auto second = Rig::file_of(table, "/in/b");
  rig.begin(second, 6);
  rig.store(rig.batch(table, {{7, {integer(9), integer(9), integer(9)}}}));
  ASSERT_TRUE(rig.loader->drop_file(second));
  rig.finish();
  EXPECT_EQ(rig.text(R"(SELECT _rowid_ || rowid || oid || "say ""x"", y" FROM t)"), "5123");
}

TEST(SqlLoader, RecordsWithoutFieldsAreRowsToo) {
  Rig rig(Mode::append);
  Table& table = rig.add("t", RowidFrom::line);
  const auto file = Rig::file_of(table);
  rig.begin(file);
  rig.store(rig.batch(table, {{1, {}}, {2, {}}}));
  rig.clock.advance(std::chrono::seconds(2));
  rig.end(file);
  EXPECT_EQ(rig.create("t"), R"(CREATE TABLE "t" ("_empty"))");
  EXPECT_EQ(rig.join("t").state().columns.size(), 0U);
  const auto second = Rig::file_of(table, "/in/b");
  rig.begin(second);
  rig.store(rig.batch(table, {{3, {words("x"), real(2)}}}));
  rig.end(second);
  rig.finish();
  EXPECT_EQ(rig.create("t"), R"(CREATE TABLE "t" ("c0" TEXT, "c1" REAL))");
  EXPECT_EQ(rig.text("SELECT rowid || coalesce(c0, '-') FROM t"), "1- 2- 3x");
}

TEST(SqlLoader, ATableHasAsManyColumnsAsSqliteAllows) {
  Rig rig(Mode::fresh);
  Table& table = rig.add("t", RowidFrom::line);
  const auto file = Rig::file_of(table);
  rig.begin(file);
  const std::vector<Value> wide(kMostColumns, integer(1));
  for (std::int64_t line = 1; line < 40; line += 20) {
    Batch batch;
    batch.tables.push_back({.table = &table});
    for (std::int64_t i = 0; i < 20; ++i) {
      const std::size_t count = line == 1 ? 1'990 : kMostColumns;
      batch.tables.front().cells.add(line + i, std::span(wide).first(count));
    }
    rig.notice(table, batch.tables.front().cells);
    EXPECT_EQ(rig.store(std::move(batch)), 0U);
  }
  rig.end(file);
  rig.finish();
  EXPECT_EQ(rig.text("SELECT count(*) || ' ' || count(c1999) || ' ' || max(rowid) FROM t"),
            "40 20 40");
}

TEST(SqlLoader, CommitsHoldWholeFilesAndComeOnceASecond) {
  Rig rig(Mode::append);
  std::vector<bool> is_open;
  for (int i = 0; i < 4; ++i) {
    Table& table = rig.add("t" + std::to_string(i), RowidFrom::line);
    const auto file = Rig::file_of(table, "/in/" + std::to_string(i));
    rig.begin(file);
    rig.clock.advance(std::chrono::milliseconds(600));
    rig.store(rig.batch(table, {{1, {integer(i)}}}));
    EXPECT_TRUE(rig.db.in_transaction());
    rig.end(file);
    is_open.push_back(rig.db.in_transaction());
  }
  EXPECT_EQ(is_open, (std::vector{true, false, true, false}));
  Table& table = rig.add("cut", RowidFrom::line);
  rig.begin(Rig::file_of(table));
  rig.store(rig.batch(table, {{1, {integer(1)}}}));
  rig.loader.reset();  // as after a kill
  EXPECT_EQ(rig.text("SELECT count(*) FROM sqlite_schema WHERE name = 'cut'"), "0");
  EXPECT_EQ(rig.text("SELECT name FROM _tidemill_files"), "/in/0 /in/1 /in/2 /in/3");
}

jsonl::Block block_of(std::string_view text, std::uint64_t first_line, std::uint64_t offset) {
  jsonl::Block block;
  EXPECT_TRUE(block.buffer.reserve(text.size()));
  std::memcpy(block.buffer.data(), text.data(), text.size());
  block.size = text.size();
  block.first_line = first_line;
  block.offset = offset;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\n') block.ends.push_back(static_cast<std::uint32_t>(i));
  }
  return block;
}

TEST(SqlLoader, ARowThatIsThereAlreadyIsAReject) {
  Rig rig(Mode::append,
          "CREATE TABLE t (k INTEGER PRIMARY KEY, v TEXT NOT NULL DEFAULT 'x');"
          "INSERT INTO t VALUES (5, 'old')");
  Table& table = rig.join("t");
  Table& child = rig.add("t_list", RowidFrom::database, &table);
  const auto file = Rig::file_of(table);
  rig.begin(file);
  Batch batch;
  batch.tables.push_back({.table = &child});
  batch.tables.push_back({.table = &table});
  pages::Cells& cells = batch.tables.back().cells;
  std::string text;
  for (std::int64_t line = 101; line <= 120; ++line) {
    const Value key = line == 118 ? words("y") : integer(line == 105 ? 5 : line);
    const std::vector<Value> row = {key, line == 119 ? kNothing : words("v")};
    cells.add(line, row);
    batch.tables.front().cells.add(line, row);
    text += std::to_string(line) + "\n";
  }
  rig.notice(table, cells);
  rig.notice(child, batch.tables.front().cells);
  batch.block = block_of(text, 101, 1'000);
  EXPECT_EQ(rig.store(std::move(batch)), 3U);
  rig.end(file);
  rig.finish();
  EXPECT_EQ(rig.text("SELECT count(*) || ' ' || (SELECT v FROM t WHERE k = 5) FROM t"), "18 old");
  EXPECT_EQ(rig.text("SELECT count(*) FROM t_list"), "17");
  EXPECT_EQ(
      rig.text(R"(SELECT file || '|' || line || '|' || "offset" || '|' || reason || '|' || text
                        FROM _rejects ORDER BY line)"),
      "/in/a.jsonl|105|1016|key 5 is already there|105 "
      "/in/a.jsonl|118|1068|datatype mismatch|118 "
      "/in/a.jsonl|119|1072|NOT NULL constraint failed: t.v|119");
}

TEST(SqlLoader, AStrangersTableKeepsWhatItDeclaresAndNothingIsAlteredInIt) {
  const std::string create =
      "CREATE TABLE t (n NUMERIC, r REAL, d DATE DEFAULT 'today', s VARCHAR(9), "
      "g INTEGER GENERATED ALWAYS AS (n + 1))";
  Rig rig(Mode::append, create);
  Table& table = rig.join("t");
  ASSERT_EQ(table.state().columns.size(), 4U);
  EXPECT_EQ(table.state().columns[0].forced, ColumnType::none);
  EXPECT_EQ(table.state().columns[1].forced, ColumnType::real);
  const auto file = Rig::file_of(table);
  rig.begin(file);
  Batch batch = rig.batch(table, {{1, {words("007"), integer(1), kAbsent, integer(1)}},
                                  {2, {words("7"), integer(2), kAbsent, real(0.1)}},
                                  {3, {integer(3), integer(9'007'199'254'740'993)}},
                                  {4, {words("a"), real(4), kAbsent, words("004"), words("new")}},
                                  {5, {words("5.0"), real(5)}}});
  batch.block = block_of("1\n2\n3\n4\n5\n", 1, 0);
  table.change([](Table::State& state) { state.columns[2].seen = 0; });
  EXPECT_EQ(rig.store(std::move(batch)), 3U);
  rig.end(file);
  rig.finish();
  EXPECT_EQ(rig.create("t"), create.substr(0, create.size() - 1) + ", \"c4\")");
  EXPECT_EQ(rig.text("SELECT typeof(n) || n || r || d || s || coalesce(c4, '-') FROM t"),
            "integer72.0today0.1- texta4.0today004new");
  EXPECT_EQ(rig.text("SELECT reason || ';' FROM _rejects"),
            "column n is declared NUMERIC, which would change '007'; "
            "column r is declared REAL, which would change 9007199254740993; "
            "column n is declared NUMERIC, which would change '5.0';");
  EXPECT_EQ(rig.text("SELECT is_ours FROM _tidemill_tables"), "0");
}

TEST(SqlLoader, ViewsAndVirtualTablesAreRefused) {
  Rig rig(Mode::append,
          "CREATE TABLE t (a); CREATE VIEW v AS SELECT a FROM t;"
          "CREATE VIRTUAL TABLE f USING fts5(a)");
  EXPECT_NE(look_at_table(rig.db, "v").error().reason.find("view"), std::string::npos);
  EXPECT_NE(look_at_table(rig.db, "F").error().reason.find("virtual"), std::string::npos);
  EXPECT_EQ(look_at_table(rig.db, "none").value(), std::nullopt);
}

TEST(SqlLoader, ATableWithoutRowidIsFilled) {
  Rig rig(Mode::append, "CREATE TABLE t (k TEXT PRIMARY KEY, v) WITHOUT ROWID");
  Table& table = rig.join("t");
  EXPECT_EQ(table.state().key, 0U);
  const auto file = Rig::file_of(table);
  rig.begin(file);
  EXPECT_EQ(
      rig.store(rig.batch(table, {{1, {words("b"), integer(1)}}, {2, {words("a"), kNothing}}})),
      0U);
  rig.end(file);
  rig.finish();
  EXPECT_EQ(rig.text("SELECT k FROM t"), "a b");
}

TEST(SqlLoader, AnUpsertChangesOnlyWhatTheRecordGives) {
  for (const bool is_rowid : {true, false}) {
    Rig rig(Mode::upsert);
    Table& table = rig.add("t", is_rowid ? RowidFrom::key : RowidFrom::line);
    table.change([&](Table::State& state) {
      state.columns = {{.name = "k", .field = "k", .seen = kSeenInteger}};
      state.key = 0;
    });
    const auto file = Rig::file_of(table);
    const auto key = [&](std::int64_t number) { return is_rowid ? kNothing : integer(number); };
    rig.begin(file);
    rig.store(rig.batch(table, {{1, {key(1), words("a"), real(1)}}, {2, {key(2), words("b")}}}));
    rig.store(rig.batch(table, {{1, {key(1), kAbsent, kNothing, integer(9)}},
                                {2, {key(2), words("B"), real(2)}},
                                {3, {key(3)}}}));
    rig.store(rig.batch(table, {{3, {key(3)}}}));
    rig.end(file);
    rig.finish();
    EXPECT_EQ(rig.text("SELECT k || coalesce(c1, '-') || coalesce(c2, '-') || coalesce(c3, '-') "
                       "FROM t ORDER BY k"),
              "1a-9 2B2.0- 3---");
    // And again, now that the table is there.
    rig.begin_import(Mode::upsert);
    Table& again = rig.join("t");
    EXPECT_EQ(again.state().key, 0U);
    rig.begin(file);
    Batch batch = rig.batch(again, {{1, {integer(1), words("z")}}, {2, {kAbsent, words("y")}}});
    batch.block = block_of("1\n2\n", 1, 0);
    EXPECT_EQ(rig.store(std::move(batch)), 1U);
    rig.end(file);
    rig.finish();
    EXPECT_EQ(rig.text("SELECT c1 FROM t WHERE k = 1"), "z");
    EXPECT_EQ(rig.text("SELECT reason FROM _rejects"), "it has no k, which is the key");
  }
}

TEST(SqlLoader, AnUpsertNeedsAKey) {
  Rig rig(Mode::upsert, "CREATE TABLE t (a, b)");
  Table& table = rig.join("t");
  rig.begin(Rig::file_of(table));
  Batch batch = rig.batch(table, {{1, {integer(1)}}});
  const auto refused = rig.loader->store(batch);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().cure, Cure::give_up);
  EXPECT_FALSE(refused.error().hint.empty());
}

// More sets of fields than statements are kept.
TEST(SqlLoader, AnUpsertTakesAnySetOfFields) {
  Rig rig(Mode::upsert);
  Table& table = rig.add("t", RowidFrom::line);
  table.change([&](Table::State& state) { state.key = 0; });
  const auto file = Rig::file_of(table);
  rig.begin(file);
  std::map<std::int64_t, std::vector<std::int64_t>> model;
  for (std::int64_t i = 0; i < 600; ++i) {
    const std::int64_t key = i % 5;
    std::vector<Value> row(9);
    row[0] = integer(key);
    auto& expected = model.try_emplace(key, 9, -1).first->second;
    for (std::size_t c = 1; c < row.size(); ++c) {
      if (((static_cast<std::uint64_t>(i) * 37) >> c & 1U) == 0) continue;
      row[c] = integer(i);
      expected[c] = i;
    }
    rig.store(rig.batch(table, {{i + 1, row}}));
  }
  rig.end(file);
  rig.finish();
  for (const auto& [key, expected] : model) {
    for (std::size_t c = 1; c < expected.size(); ++c) {
      EXPECT_EQ(rig.text("SELECT coalesce(c" + std::to_string(c) +
                         ", -1) FROM t WHERE c0 = " + std::to_string(key)),
                std::to_string(expected[c]));
    }
  }
}

TEST(SqlLoader, AChangedFileReplacesItsRowsAndItsRejects) {
  Rig rig(Mode::incremental);
  const auto import = [&](Table& table, Table& child, std::int64_t value) {
    const auto file = Rig::file_of(table);
    rig.begin(file);
    Batch batch = rig.batch(table, {{1, {integer(value)}}, {2, {integer(value)}}});
    batch.tables.push_back({.table = &child});
    batch.tables.back().cells.add(2, std::vector{integer(value)});
    rig.notice(child, batch.tables.back().cells);
    batch.rejects.cells.add(3, std::vector{words(file.name), integer(value)});
    rig.store(std::move(batch));
    rig.end(file);
    rig.finish();
  };
  Table& table = rig.add("t", RowidFrom::line);
  import(table, rig.add("t_list", RowidFrom::place, &table), 1);
  rig.begin_import(Mode::incremental);
  Table& again = rig.join("t");
  Table& child = rig.join("t_list", &again);
  import(again, child, 2);
  EXPECT_EQ(rig.text("SELECT c0 FROM t UNION ALL SELECT c0 FROM t_list UNION ALL "
                     "SELECT line FROM _rejects"),
            "2 2 2 2");
  // A change that cannot be read to its end leaves what was there.
  const auto file = Rig::file_of(again);
  rig.begin(file);
  rig.store(rig.batch(again, {{1, {integer(3)}}}));
  EXPECT_EQ(rig.text("SELECT c0 FROM t"), "3");
  ASSERT_TRUE(rig.loader->drop_file(file));
  rig.finish();
  EXPECT_EQ(rig.text("SELECT c0 FROM t"), "2 2");
  // Another file's rows are never taken for its own.
  const auto other = Rig::file_of(again, "/in/b");
  rig.begin(other);
  rig.end(other);
  const auto refused = rig.loader->begin_file(file, 0);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().step, "replace");
}

TEST(SqlLoader, WhatAnImportKnewOfATableComesBack) {
  Rig rig(Mode::append);
  Table& table = rig.add("t", RowidFrom::line);
  table.change([](Table::State& state) {
    state.columns = {{.name = "Name", .field = "Name", .seen = kSeenString},
                     {.name = "name_2", .field = "name", .seen = kSeenInteger | kSeenNull},
                     {.name = "x", .field = "x", .forced = ColumnType::text, .seen = kSeenInteger},
                     {.name = "r", .field = "p.r", .seen = kSeenReal | kSeenInteger},
                     {.name = "_more", .is_ours = true, .seen = kSeenJson}};
    state.key = 1;
  });
  rig.begin(Rig::file_of(table));
  rig.end(Rig::file_of(table));
  rig.finish();
  const Table::State known = **look_at_table(rig.db, "t");
  ASSERT_EQ(known.columns.size(), 5U);
  EXPECT_EQ(known.rowid, RowidFrom::database);
  EXPECT_EQ(known.columns[1].field, "name");
  EXPECT_EQ(known.columns[1].seen, kSeenInteger | kSeenNull);
  EXPECT_EQ(known.columns[1].forced, std::nullopt);
  EXPECT_EQ(known.columns[2].forced, ColumnType::text);
  EXPECT_EQ(known.columns[3].forced, std::nullopt);
  EXPECT_TRUE(known.columns[4].is_ours);
  // Somebody changed it: from now on it is his.
  ASSERT_TRUE(rig.db.exec("ALTER TABLE t RENAME COLUMN r TO s"));
  ASSERT_TRUE(rig.db.exec("ALTER TABLE t ADD COLUMN u INT"));
  EXPECT_EQ((*look_at_table(rig.db, "t"))->columns[3].forced, ColumnType::real);
}

TEST(SqlLoader, ATransactionThatIsGoneIsAFailure) {
  Rig rig(Mode::append,
          "CREATE TABLE t (a); CREATE TRIGGER no BEFORE INSERT ON t "
          "WHEN new.a = 2 BEGIN SELECT RAISE(ROLLBACK, 'never'); END");
  ASSERT_TRUE(Ledger(rig.db).make());  // outside, so that a reject would find its table
  Table& table = rig.join("t");
  rig.begin(Rig::file_of(table));
  EXPECT_EQ(rig.store(rig.batch(table, {{1, {integer(1)}}})), 0U);
  Batch batch = rig.batch(table, {{2, {integer(2)}}});
  EXPECT_FALSE(rig.loader->store(batch));
  EXPECT_EQ(rig.text("SELECT count(*) FROM t"), "0");
}

TEST(SqlSchema, OtherConnectionsSeeAColumnThatWasWidened) {
  const std::string path = ::testing::TempDir() + std::to_string(::getpid()) + "-widened.db";
  std::filesystem::remove(path);
  auto ours = *store::Db::open(path);
  auto theirs = *store::Db::open(path);
  ASSERT_TRUE(ours.exec("CREATE TABLE t (a INTEGER)"));
  auto insert = theirs.prepare("INSERT INTO t VALUES ('5')");
  ASSERT_TRUE(insert->run());
  ASSERT_TRUE(ours.exec("BEGIN"));
  const TableText text{.name = "t", .create = "CREATE TABLE t (a TEXT)"};
  ASSERT_TRUE(rewrite_tables(ours, {&text, 1}));
  ASSERT_TRUE(ours.exec("COMMIT"));
  ASSERT_TRUE(insert->run());
  auto select = theirs.prepare("SELECT group_concat(typeof(a)) FROM t");
  EXPECT_EQ(select->one<std::string>().value(), "integer,text");
  std::filesystem::remove(path);
}

TEST(Ledger, RemembersFilesAndRefusesANewerOne) {
  auto db = *store::Db::open(":memory:");
  Ledger ledger(db);
  EXPECT_FALSE(*ledger.is_there());
  ASSERT_TRUE(ledger.make());
  ASSERT_TRUE(ledger.make());
  EXPECT_EQ(ledger.last_import()->has_value(), false);
  const auto id = ledger.begin_import("append", "x");
  EXPECT_FALSE((*ledger.last_import())->is_finished);
  ASSERT_TRUE(ledger.end_import(*id));
  EXPECT_TRUE((*ledger.last_import())->is_finished);
  Table table("t", 0, nullptr);
  const SourceFile file{.name = "/in/\xff", .table = &table};
  const FileRecord record{.stamp = {.device = 1, .inode = UINT64_MAX, .size = 3, .mtime_ns = -4},
                          .hash = std::string("\0\xff", 2),
                          .bytes = 5,
                          .counts = {.lines = 6, .rows = 3, .blank = 2, .rejected = 1}};
  ASSERT_TRUE(ledger.put_file(file, record, *id));
  const auto known = ledger.file(file.name);
  ASSERT_TRUE(known && *known);
  EXPECT_EQ((*known)->record.stamp, record.stamp);
  EXPECT_EQ((*known)->record.hash, record.hash);
  EXPECT_EQ((*known)->record.counts, record.counts);
  EXPECT_EQ((*known)->table, "t");
  ASSERT_TRUE(ledger.touch_file(file.name, {.size = 9}));
  EXPECT_EQ(ledger.files()->at(file.name).record.stamp.size, 9U);
  EXPECT_EQ(ledger.files()->at(file.name).record.bytes, 5U);
  ASSERT_TRUE(db.exec("UPDATE _tidemill_imports SET version = 99"));
  const auto refused = ledger.make();
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().step, "ledger");
}

}  // namespace
}  // namespace tidemill::import
