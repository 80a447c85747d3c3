// The rowids of rows.
#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "tidemill/jobs/import/rows/row_rig.h"

namespace tidemill::import {
namespace {

TEST(RowMaker, AnAscendingKeyIsTheRowid) {
  RowRig rig;
  const RowBatch& first = rig.make("{\"_key\":-5,\"a\":1}\n\n{\"a\":2,\"_key\":3}\n");
  rig.make("{\"_key\":4}\n");
  EXPECT_EQ(rig.rows(), "-5 - 1; 3 - 2; 4 -");
  EXPECT_EQ(first.first_key, -5);
  EXPECT_EQ(first.last_key, 3);
  EXPECT_FALSE(first.is_key_broken);
  const auto state = rig.table().state();
  EXPECT_EQ(state.rowid, RowidFrom::key);
  EXPECT_EQ(state.key, 0U);
  EXPECT_EQ(state.columns[0].seen, kSeenInteger);
}

TEST(RowMaker, ReportsABrokenKeyAndKeepsTheColumnOrder) {
  for (const std::string_view bad : {"3", "2", "null", "\"5\"", "4.0", "[]", "1e400"}) {
    RowRig rig;
    const RowBatch& batch = rig.make("{\"_key\":3,\"a\":1}\n{\"b\":1,\"_key\":" + std::string(bad) +
                                     ",\"c\":1}\n{\"d\":1,\"_key\":9}\n");
    EXPECT_TRUE(batch.is_key_broken) << bad;
    EXPECT_EQ(batch.counts.rows, 3U);
    EXPECT_TRUE(rig.columns().ends_with("a INTEGER, b INTEGER, c INTEGER, d INTEGER")) << bad;
  }
  RowRig rig;
  EXPECT_TRUE(rig.make("{\"_key\":3}\n{}\n").is_key_broken);
}

TEST(RowMaker, FallsBackToLineNumbersWhenTheKeyCannotBeTheRowid) {
  struct Case {
    ImportOptions options;
    RowRules rules;
    bool can_restart;
    std::string line;
    RowidFrom rowid;
    std::optional<std::size_t> key;
  };
  const std::vector<Case> all{
      {{}, {}, true, R"({"_key":5})", RowidFrom::key, 0},
      {{}, {}, true, R"({"_key":"5"})", RowidFrom::line, 0},
      {{}, {}, true, R"({"_key":5.0})", RowidFrom::line, 0},
      {{}, {}, true, R"({"a":1,"key":5})", RowidFrom::line, std::nullopt},
      {{}, {}, false, R"({"_key":5})", RowidFrom::line, 0},
      {{}, {.shares_table = true}, true, R"({"_key":5})", RowidFrom::place, 0},
      {{.has_key = false}, {}, true, R"({"_key":5})", RowidFrom::line, std::nullopt},
      {{.key = "id.x"}, {}, true, R"({"_key":5,"id.x":6})", RowidFrom::key, 1},
      {{.key = "id.x"}, {}, true, R"({"_key":5})", RowidFrom::line, std::nullopt},
      {{.types = {{"_key", ColumnType::text}}}, {}, true, R"({"_key":5})", RowidFrom::line, 0},
      {{.types = {{"_key", ColumnType::integer}}}, {}, true, R"({"_key":"5"})", RowidFrom::key, 0},
  };
  for (const Case& one : all) {
    RowRig rig(one.options, one.rules, one.can_restart);
    RowBatch& batch = rig.next("\n" + one.line + "\n");
    batch.base = 1'000;
    ASSERT_TRUE(rig.maker.make(rig.file, batch));
    const RowTable::State state = rig.table().state();
    EXPECT_EQ(state.rowid, one.rowid) << one.line;
    EXPECT_EQ(state.key, one.key) << one.line;
    const std::int64_t rowid = batch.tables[0].cells.rows().at(0).rowid;
    EXPECT_EQ(rowid, one.rowid == RowidFrom::place  ? 1'002
                     : one.rowid == RowidFrom::line ? 2
                     : one.options.key.empty()      ? 5
                                                    : 6);
  }
}

TEST(RowMaker, AnUpsertDistinguishesAbsentFromNull) {
  RowRig rig({}, {.keeps_absent = true});
  rig.make("{\"a\":1,\"b\":null,\"c\":2}\n{\"c\":null}\n{\"b\":1}\n");
  EXPECT_EQ(rig.rows(), "1 1 - 2; 2 absent absent -; 3 absent 1");
}

TEST(RowMaker, StopsWhenItsTurnIsCancelled) {
  RowRig rig;
  RowBatch& batch = rig.next("{\"a\":1}\n");
  batch.order = 5;  // the blocks before it never come
  std::atomic<bool> is_made = true;
  std::jthread worker([&] { is_made = rig.maker.make(rig.file, batch); });
  rig.turn.cancel();
  worker.join();
  EXPECT_FALSE(is_made);
}

}  // namespace
}  // namespace tidemill::import
