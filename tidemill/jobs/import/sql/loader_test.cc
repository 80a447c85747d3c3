// SqlLoader with tables of its own: rowids, columns, commits, files that are imported again.
#include <gtest/gtest.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "tidemill/jobs/import/sql/ddl.h"
#include "tidemill/jobs/import/sql/sql_rig.h"
#include "tidemill/jobs/import/target/import_log.h"
#include "tidemill/testing/fake_clock.h"

namespace tidemill::import {
namespace {

using sqlite_pages::CellValue;
using SqlRig = SqlRigWith<testing::FakeClock>;

TEST(SqlLoader, DistinguishesRealsFromIntegersWhenAColumnBecomesText) {
  for (const Mode mode : {Mode::fresh, Mode::append}) {
    SqlRig rig(mode);
    RowTable& table = rig.add("t", RowidFrom::line);
    const auto file = SqlRig::file_of(table);
    rig.begin(file);
    rig.store(rig.batch(table, {{1, {integer(5)}}, {2, {real(5)}}, {3, {real(0.1)}}}));
    rig.clock.advance(std::chrono::seconds(2));
    rig.end(file);
    EXPECT_EQ(rig.create("t"), mode == Mode::append ? R"(CREATE TABLE "t" ("c0" REAL))"
                                                    : R"(CREATE TABLE "t" ("c0"))");
    const auto second = SqlRig::file_of(table, "/in/b");
    rig.begin(second, 100);
    rig.store(rig.batch(table, {{4, {integer(7)}}, {5, {real(7)}}, {6, {words("007")}}}));
    rig.end(second);
    rig.finish();
    EXPECT_EQ(rig.text("SELECT c0 FROM t"), "5 5.0 0.1 7 7.0 007");
    EXPECT_EQ(rig.create("t"), R"(CREATE TABLE "t" ("c0" TEXT))");
  }
}

TEST(SqlLoader, TheKeyIsTheRowid) {
  SqlRig rig(Mode::fresh);
  RowTable& table = rig.add("t", RowidFrom::key);
  table.change([](RowTable::State& state) {
    state.columns = {{.name = "_key", .field = "_key", .seen = kSeenInteger}};
    state.key = 0;
  });
  const auto file = SqlRig::file_of(table);
  rig.begin(file);
  RowBatch batch = rig.batch(table, {{3, {kNothing, words("c")}}, {-7, {kNothing, words("a")}}});
  EXPECT_EQ(rig.store(std::move(batch)), 0U);
  rig.end(file);
  rig.finish();
  EXPECT_EQ(rig.create("t"), R"(CREATE TABLE "t" ("_key" INTEGER PRIMARY KEY, "c1" TEXT))");
  EXPECT_EQ(rig.text("SELECT _key || c1 FROM t"), "-7a 3c");
}

TEST(SqlLoader, RestartingAFileAssignsNewRowids) {
  for (const Mode mode : {Mode::fresh, Mode::append}) {
    SqlRig rig(mode);
    RowTable& table = rig.add("t", RowidFrom::key);
    table.change([](RowTable::State& state) {
      state.columns = {{.name = "_key", .field = "_key", .seen = kSeenInteger}};
      state.key = 0;
    });
    const auto file = SqlRig::file_of(table);
    rig.begin(file);
    rig.store(rig.batch(table, {{3, {kNothing, integer(1)}}}));
    RowBatch bad;
    bad.rejects.cells.add(9, std::vector{words("/in/a.jsonl")});
    rig.store(std::move(bad));
    ASSERT_TRUE(rig.loader->restart_file(file));
    EXPECT_EQ(rig.text("SELECT count(*) FROM _rejects"), "0");
    table.change([](RowTable::State& state) { state.rowid = RowidFrom::line; });
    rig.begin(file);
    rig.store(rig.batch(table, {{1, {integer(3), integer(1)}}, {2, {integer(3), integer(2)}}}));
    rig.end(file);
    rig.finish();
    EXPECT_EQ(rig.create("t"), R"(CREATE TABLE "t" ("_key" INTEGER, "c1" INTEGER))");
    EXPECT_EQ(rig.text("SELECT rowid || ':' || _key || c1 FROM t"), "1:31 2:32");
  }
}

TEST(SqlLoader, SupportsColumnsNamedLikeTheRowid) {
  SqlRig rig(Mode::fresh);
  RowTable& table = rig.add("t", RowidFrom::place);
  table.change([](RowTable::State& state) {
    state.columns = {{.name = "rowid"}, {.name = "OID"}, {.name = "say \"x\", y"}};
  });
  const auto file = SqlRig::file_of(table);
  rig.begin(file);
  rig.store(rig.batch(table, {{5, {integer(1), integer(2), integer(3)}}}));
  rig.end(file);
  const auto second = SqlRig::file_of(table, "/in/b");
  rig.begin(second, 6);
  rig.store(rig.batch(table, {{7, {integer(9), integer(9), integer(9)}}}));
  ASSERT_TRUE(rig.loader->drop_file(second));
  rig.finish();
  EXPECT_EQ(rig.text(R"(SELECT _rowid_ || rowid || oid || "say ""x"", y" FROM t)"), "5123");
}

TEST(SqlLoader, RecordsWithoutFieldsAreRowsToo) {
  SqlRig rig(Mode::append);
  RowTable& table = rig.add("t", RowidFrom::line);
  const auto file = SqlRig::file_of(table);
  rig.begin(file);
  rig.store(rig.batch(table, {{1, {}}, {2, {}}}));
  rig.clock.advance(std::chrono::seconds(2));
  rig.end(file);
  EXPECT_EQ(rig.create("t"), R"(CREATE TABLE "t" ("_empty"))");
  EXPECT_EQ(rig.join("t").state().columns.size(), 0U);
  const auto second = SqlRig::file_of(table, "/in/b");
  rig.begin(second);
  rig.store(rig.batch(table, {{3, {words("x"), real(2)}}}));
  rig.end(second);
  rig.finish();
  EXPECT_EQ(rig.create("t"), R"(CREATE TABLE "t" ("c0" TEXT, "c1" REAL))");
  EXPECT_EQ(rig.text("SELECT rowid || coalesce(c0, '-') FROM t"), "1- 2- 3x");
}

TEST(SqlLoader, FillsATableWithTheMaximumNumberOfColumns) {
  SqlRig rig(Mode::fresh);
  RowTable& table = rig.add("t", RowidFrom::line);
  const auto file = SqlRig::file_of(table);
  rig.begin(file);
  const std::vector<CellValue> wide(kMostColumns, integer(1));
  for (std::int64_t line = 1; line < 40; line += 20) {
    RowBatch batch;
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

TEST(SqlLoader, CommitsOnlyCompleteFilesAndAtMostOncePerSecond) {
  SqlRig rig(Mode::append);
  std::vector<bool> is_open;
  for (int i = 0; i < 4; ++i) {
    RowTable& table = rig.add("t" + std::to_string(i), RowidFrom::line);
    const auto file = SqlRig::file_of(table, "/in/" + std::to_string(i));
    rig.begin(file);
    rig.clock.advance(std::chrono::milliseconds(600));
    rig.store(rig.batch(table, {{1, {integer(i)}}}));
    EXPECT_TRUE(rig.db.in_transaction());
    rig.end(file);
    is_open.push_back(rig.db.in_transaction());
  }
  EXPECT_EQ(is_open, (std::vector{true, false, true, false}));
  RowTable& table = rig.add("cut", RowidFrom::line);
  rig.begin(SqlRig::file_of(table));
  rig.store(rig.batch(table, {{1, {integer(1)}}}));
  rig.loader.reset();  // as after a kill
  EXPECT_EQ(rig.text("SELECT count(*) FROM sqlite_schema WHERE name = 'cut'"), "0");
  EXPECT_EQ(rig.text("SELECT name FROM _tidemill_files"), "/in/0 /in/1 /in/2 /in/3");
}

TEST(SqlLoader, AChangedFileReplacesItsRowsAndItsRejects) {
  SqlRig rig(Mode::incremental);
  const auto import = [&](RowTable& table, RowTable& child, std::int64_t value) {
    const auto file = SqlRig::file_of(table);
    rig.begin(file);
    RowBatch batch = rig.batch(table, {{1, {integer(value)}}, {2, {integer(value)}}});
    batch.tables.push_back({.table = &child});
    batch.tables.back().cells.add(2, std::vector{integer(value)});
    rig.notice(child, batch.tables.back().cells);
    batch.rejects.cells.add(3, std::vector{words(file.name), integer(value)});
    rig.store(std::move(batch));
    rig.end(file);
    rig.finish();
  };
  RowTable& table = rig.add("t", RowidFrom::line);
  import(table, rig.add("t_list", RowidFrom::place, &table), 1);
  rig.begin_import(Mode::incremental);
  RowTable& again = rig.join("t");
  RowTable& child = rig.join("t_list", &again);
  import(again, child, 2);
  EXPECT_EQ(rig.text("SELECT c0 FROM t UNION ALL SELECT c0 FROM t_list UNION ALL "
                     "SELECT line FROM _rejects"),
            "2 2 2 2");
  // If the changed file cannot be read to its end, its old rows stay.
  const auto file = SqlRig::file_of(again);
  rig.begin(file);
  rig.store(rig.batch(again, {{1, {integer(3)}}}));
  EXPECT_EQ(rig.text("SELECT c0 FROM t"), "3");
  ASSERT_TRUE(rig.loader->drop_file(file));
  rig.finish();
  EXPECT_EQ(rig.text("SELECT c0 FROM t"), "2 2");
  // Rows of another file are never removed.
  const auto other = SqlRig::file_of(again, "/in/b");
  rig.begin(other);
  rig.end(other);
  const auto refused = rig.loader->begin_file(file, 0);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().step, "replace");
}

TEST(SqlLoader, RestoresColumnMetadataFromAnEarlierImport) {
  SqlRig rig(Mode::append);
  RowTable& table = rig.add("t", RowidFrom::line);
  table.change([](RowTable::State& state) {
    state.columns = {{.name = "Name", .field = "Name", .seen = kSeenString},
                     {.name = "name_2", .field = "name", .seen = kSeenInteger | kSeenNull},
                     {.name = "x", .field = "x", .forced = ColumnType::text, .seen = kSeenInteger},
                     {.name = "r", .field = "p.r", .seen = kSeenReal | kSeenInteger},
                     {.name = "_more", .is_ours = true, .seen = kSeenJson}};
    state.key = 1;
  });
  rig.begin(SqlRig::file_of(table));
  rig.end(SqlRig::file_of(table));
  rig.finish();
  const RowTable::State known = **look_at_table(rig.db, "t");
  ASSERT_EQ(known.columns.size(), 5U);
  EXPECT_EQ(known.rowid, RowidFrom::database);
  EXPECT_EQ(known.columns[1].field, "name");
  EXPECT_EQ(known.columns[1].seen, kSeenInteger | kSeenNull);
  EXPECT_EQ(known.columns[1].forced, std::nullopt);
  EXPECT_EQ(known.columns[2].forced, ColumnType::text);
  EXPECT_EQ(known.columns[3].forced, std::nullopt);
  EXPECT_TRUE(known.columns[4].is_ours);
  // The user changed it: from now on it is not ours.
  ASSERT_TRUE(rig.db.exec("ALTER TABLE t RENAME COLUMN r TO s"));
  ASSERT_TRUE(rig.db.exec("ALTER TABLE t ADD COLUMN u INT"));
  EXPECT_EQ((*look_at_table(rig.db, "t"))->columns[3].forced, ColumnType::real);
}

TEST(SqlLoader, FailsWhenTheTransactionWasRolledBack) {
  SqlRig rig(Mode::append,
             "CREATE TABLE t (a); CREATE TRIGGER no BEFORE INSERT ON t "
             "WHEN new.a = 2 BEGIN SELECT RAISE(ROLLBACK, 'never'); END");
  ASSERT_TRUE(ImportLog(rig.db).make());  // outside, so that a reject would find its table
  RowTable& table = rig.join("t");
  rig.begin(SqlRig::file_of(table));
  EXPECT_EQ(rig.store(rig.batch(table, {{1, {integer(1)}}})), 0U);
  RowBatch batch = rig.batch(table, {{2, {integer(2)}}});
  EXPECT_FALSE(rig.loader->store(batch));
  EXPECT_EQ(rig.text("SELECT count(*) FROM t"), "0");
}

}  // namespace
}  // namespace tidemill::import
