// Random rows in random files: all rows are stored, whatever their order.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "tidemill/base/dice.h"
#include "tidemill/formats/jsonl/number.h"
#include "tidemill/jobs/import/sql/ddl.h"
#include "tidemill/jobs/import/sql/sql_rig.h"
#include "tidemill/testing/fake_clock.h"

namespace tidemill::import {
namespace {

using sqlite_pages::CellType;
using sqlite_pages::CellValue;
using SqlRig = SqlRigWith<testing::FakeClock>;

// A value as in the finished column, in the format of rows_of().
std::string expected(const CellValue& value, ColumnType type) {
  std::string text;
  switch (value.type) {
    case CellType::absent:
    case CellType::null:
    case CellType::blob:
      return "null";
    case CellType::text:
      return "text:" + std::string(value.bytes);
    case CellType::integer:
      if (type == ColumnType::real) {
        jsonl::append_text(static_cast<double>(value.integer), text);
        return "real:" + text;
      }
      jsonl::append_text(value.integer, text);
      return (type == ColumnType::text ? "text:" : "integer:") + text;
    case CellType::real:
      jsonl::append_text(value.real, text);
      return (type == ColumnType::text ? "text:" : "real:") + text;
  }
  return "?";
}

std::vector<std::string> rows_of(SqlRig& rig, const RowTable& table, bool has_rowid) {
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
  std::vector<CellValue> values{};
};

std::vector<std::string> rows_of(const std::vector<Kept>& kept, const RowTable& table,
                                 bool has_rowid) {
  const RowTable::State state = table.state();
  std::vector<std::string> rows;
  for (const Kept& one : kept) {
    std::string row = has_rowid ? std::to_string(one.rowid) : "";
    for (std::size_t i = 0; i < state.columns.size(); ++i) {
      const CellValue value = i < one.values.size() ? one.values[i] : kNothing;
      row += "|" + expected(value, state.columns[i].type());
    }
    rows.push_back(std::move(row));
  }
  return rows;
}

// Some column types are more likely than others, so that every kind of widening sometimes happens
// late.
CellValue some_value(SeededDice& dice, std::size_t column) {
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
  SqlRig rig(mode);
  RowTable& table = rig.add("t", rowid);
  std::vector<Kept> kept;
  std::size_t columns = 1;
  std::int64_t place = 0;
  for (int number = 0; number < 4; ++number) {
    const auto file = SqlRig::file_of(table, "/in/" + std::to_string(number));
    const std::size_t before = kept.size();
    rig.begin(file, static_cast<std::uint64_t>(place) + 1);
    for (std::uint64_t b = dice.next() % 4; b > 0; --b) {
      columns = std::min<std::size_t>(9, columns + dice.next() % 3);
      RowBatch ahead;  // seen by another worker; may never be stored
      ahead.tables.resize(1);
      RowBatch batch;
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
  rig.end(SqlRig::file_of(table, "/in/last"));
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

TEST(SqlLoader, RandomOperationsProduceTheExpectedRows) {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    play(seed, Mode::fresh, RowidFrom::place);
    play(seed, Mode::append, seed % 2 == 0 ? RowidFrom::place : RowidFrom::database);
    play(seed, Mode::incremental, RowidFrom::line);
    if (::testing::Test::HasFailure()) return;
  }
}

}  // namespace
}  // namespace tidemill::import
