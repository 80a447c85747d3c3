#include "tidemill/jobs/import/sql/schema.h"

#include <unistd.h>

#include <filesystem>
#include <string>

#include <gtest/gtest.h>

#include "tidemill/io/store/db.h"

namespace tidemill::import {
namespace {

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

}  // namespace
}  // namespace tidemill::import
