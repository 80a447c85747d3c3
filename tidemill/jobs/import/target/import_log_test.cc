#include "tidemill/jobs/import/target/import_log.h"

#include <cstdint>
#include <string>

#include <gtest/gtest.h>

#include "tidemill/io/store/db.h"

namespace tidemill::import {
namespace {

TEST(ImportLog, RecordsFilesAndRejectsANewerVersion) {
  auto db = *store::Db::open(":memory:");
  ImportLog import_log(db);
  EXPECT_FALSE(*import_log.is_there());
  ASSERT_TRUE(import_log.make());
  ASSERT_TRUE(import_log.make());
  EXPECT_TRUE(import_log.unfinished_imports("append")->empty());
  const auto id = import_log.begin_import("append", "x");
  EXPECT_EQ(import_log.unfinished_imports("append")->at(0).arguments, "x");
  EXPECT_TRUE(import_log.unfinished_imports("upsert")->empty());
  ASSERT_TRUE(import_log.end_import(*id));
  EXPECT_TRUE(import_log.unfinished_imports("append")->empty());
  RowTable table("t", 0, nullptr);
  const SourceFile file{.name = "/in/\xff", .table = &table};
  const SourceRecord record{.stamp = {.device = 1, .inode = UINT64_MAX, .size = 3, .mtime_ns = -4},
                            .hash = std::string("\0\xff", 2),
                            .bytes = 5,
                            .counts = {.lines = 6, .rows = 3, .blank = 2, .rejected = 1}};
  ASSERT_TRUE(import_log.put_file(file, record, *id));
  const auto known = import_log.file(file.name);
  ASSERT_TRUE(known && *known);
  EXPECT_EQ((*known)->record.stamp, record.stamp);
  EXPECT_EQ((*known)->record.hash, record.hash);
  EXPECT_EQ((*known)->record.counts, record.counts);
  EXPECT_EQ((*known)->table, "t");
  ASSERT_TRUE(import_log.touch_file(file.name, {.size = 9}));
  EXPECT_EQ(import_log.files()->at(file.name).record.stamp.size, 9U);
  EXPECT_EQ(import_log.files()->at(file.name).record.bytes, 5U);
  ASSERT_TRUE(db.exec("UPDATE _tidemill_imports SET version = 99"));
  const auto refused = import_log.make();
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().step, "import log");
}

}  // namespace
}  // namespace tidemill::import
