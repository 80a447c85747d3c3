// Tables that existed before: duplicate keys, declared types, upserts.
#include <gtest/gtest.h>

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "tidemill/jobs/import/read/sample_block.h"
#include "tidemill/jobs/import/sql/sql_rig.h"
#include "tidemill/testing/fake_clock.h"

namespace tidemill::import {
namespace {

using sqlite_pages::CellValue;
using SqlRig = SqlRigWith<testing::FakeClock>;

TEST(SqlLoader, RejectsRowsThatAlreadyExistOrViolateConstraints) {
  SqlRig rig(Mode::append,
             "CREATE TABLE t (k INTEGER PRIMARY KEY, v TEXT NOT NULL DEFAULT 'x');"
             "INSERT INTO t VALUES (5, 'old')");
  RowTable& table = rig.join("t");
  RowTable& child = rig.add("t_list", RowidFrom::database, &table);
  const auto file = SqlRig::file_of(table);
  rig.begin(file);
  RowBatch batch;
  batch.tables.push_back({.table = &child});
  batch.tables.push_back({.table = &table});
  sqlite_pages::CellBatch& cells = batch.tables.back().cells;
  std::string text;
  for (std::int64_t line = 101; line <= 120; ++line) {
    const CellValue key = line == 118 ? words("y") : integer(line == 105 ? 5 : line);
    const std::vector<CellValue> row = {key, line == 119 ? kNothing : words("v")};
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
      "/in/a.jsonl|105|1016|key 5 already exists|105 "
      "/in/a.jsonl|118|1068|datatype mismatch|118 "
      "/in/a.jsonl|119|1072|NOT NULL constraint failed: t.v|119");
}

TEST(SqlLoader, AForeignTableKeepsItsTypesAndRejectsValuesTheyWouldAlter) {
  const std::string create =
      "CREATE TABLE t (n NUMERIC, r REAL, d DATE DEFAULT 'today', s VARCHAR(9), "
      "g INTEGER GENERATED ALWAYS AS (n + 1))";
  SqlRig rig(Mode::append, create);
  RowTable& table = rig.join("t");
  ASSERT_EQ(table.state().columns.size(), 4U);
  EXPECT_EQ(table.state().columns[0].forced, ColumnType::none);
  EXPECT_EQ(table.state().columns[1].forced, ColumnType::real);
  const auto file = SqlRig::file_of(table);
  rig.begin(file);
  RowBatch batch =
      rig.batch(table, {{1, {words("007"), integer(1), kAbsent, integer(1)}},
                        {2, {words("7"), integer(2), kAbsent, real(0.1)}},
                        {3, {integer(3), integer(9'007'199'254'740'993)}},
                        {4, {words("a"), real(4), kAbsent, words("004"), words("new")}},
                        {5, {words("5.0"), real(5)}}});
  batch.block = block_of("1\n2\n3\n4\n5\n", 1, 0);
  table.change([](RowTable::State& state) { state.columns[2].seen = 0; });
  EXPECT_EQ(rig.store(std::move(batch)), 3U);
  rig.end(file);
  rig.finish();
  EXPECT_EQ(rig.create("t"), create.substr(0, create.size() - 1) + ", \"c4\")");
  EXPECT_EQ(rig.text("SELECT typeof(n) || n || r || d || s || coalesce(c4, '-') FROM t"),
            "integer72.0today0.1- texta4.0today004new");
  EXPECT_EQ(rig.text("SELECT reason || ';' FROM _rejects"),
            "column n is declared NUMERIC, which would alter '007'; "
            "column r is declared REAL, which would alter 9007199254740993; "
            "column n is declared NUMERIC, which would alter '5.0';");
  EXPECT_EQ(rig.text("SELECT is_ours FROM _tidemill_tables"), "0");
}

TEST(SqlLoader, ViewsAndVirtualTablesAreRefused) {
  SqlRig rig(Mode::append,
             "CREATE TABLE t (a); CREATE VIEW v AS SELECT a FROM t;"
             "CREATE VIRTUAL TABLE f USING fts5(a)");
  EXPECT_NE(look_at_table(rig.db, "v").error().reason.find("view"), std::string::npos);
  EXPECT_NE(look_at_table(rig.db, "F").error().reason.find("virtual"), std::string::npos);
  EXPECT_EQ(look_at_table(rig.db, "none").value(), std::nullopt);
}

TEST(SqlLoader, ATableWithoutRowidIsFilled) {
  SqlRig rig(Mode::append, "CREATE TABLE t (k TEXT PRIMARY KEY, v) WITHOUT ROWID");
  RowTable& table = rig.join("t");
  EXPECT_EQ(table.state().key, 0U);
  const auto file = SqlRig::file_of(table);
  rig.begin(file);
  EXPECT_EQ(
      rig.store(rig.batch(table, {{1, {words("b"), integer(1)}}, {2, {words("a"), kNothing}}})),
      0U);
  rig.end(file);
  rig.finish();
  EXPECT_EQ(rig.text("SELECT k FROM t"), "a b");
}

TEST(SqlLoader, AnUpsertChangesOnlyTheFieldsInTheRecord) {
  for (const bool is_rowid : {true, false}) {
    SqlRig rig(Mode::upsert);
    RowTable& table = rig.add("t", is_rowid ? RowidFrom::key : RowidFrom::line);
    table.change([&](RowTable::State& state) {
      state.columns = {{.name = "k", .field = "k", .seen = kSeenInteger}};
      state.key = 0;
    });
    const auto file = SqlRig::file_of(table);
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
    // Again, now that the table exists.
    rig.begin_import(Mode::upsert);
    RowTable& again = rig.join("t");
    EXPECT_EQ(again.state().key, 0U);
    rig.begin(file);
    RowBatch batch = rig.batch(again, {{1, {integer(1), words("z")}}, {2, {kAbsent, words("y")}}});
    batch.block = block_of("1\n2\n", 1, 0);
    EXPECT_EQ(rig.store(std::move(batch)), 1U);
    rig.end(file);
    rig.finish();
    EXPECT_EQ(rig.text("SELECT c1 FROM t WHERE k = 1"), "z");
    EXPECT_EQ(rig.text("SELECT reason FROM _rejects"), "the key k is missing");
  }
}

TEST(SqlLoader, AnUpsertNeedsAKey) {
  SqlRig rig(Mode::upsert, "CREATE TABLE t (a, b)");
  RowTable& table = rig.join("t");
  rig.begin(SqlRig::file_of(table));
  RowBatch batch = rig.batch(table, {{1, {integer(1)}}});
  const auto refused = rig.loader->store(batch);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().cure, Cure::give_up);
  EXPECT_FALSE(refused.error().hint.empty());
}

// More sets of fields than statements are kept.
TEST(SqlLoader, AnUpsertTakesAnySetOfFields) {
  SqlRig rig(Mode::upsert);
  RowTable& table = rig.add("t", RowidFrom::line);
  table.change([&](RowTable::State& state) { state.key = 0; });
  const auto file = SqlRig::file_of(table);
  rig.begin(file);
  std::map<std::int64_t, std::vector<std::int64_t>> model;
  for (std::int64_t i = 0; i < 600; ++i) {
    const std::int64_t key = i % 5;
    std::vector<CellValue> row(9);
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

}  // namespace
}  // namespace tidemill::import
