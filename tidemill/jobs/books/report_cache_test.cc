#include "tidemill/jobs/books/report_cache.h"

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "tidemill/io/store/db.h"
#include "tidemill/jobs/books/in_a_folder.h"

namespace tidemill::books {
namespace {

using Strings = std::vector<std::string>;

class ReportCacheTest : public InAFolder {};

constexpr FileStamp kStamp{.device = 1, .inode = 2, .size = 3, .mtime_ns = 4, .ctime_ns = 5};

Strings seen_on(ReportCache& cache) {
  Strings seen;
  const auto listed = cache.each_seen([&](std::string_view path, std::string_view report) {
    seen.push_back(std::string(path) + "=" + std::string(report));
    return true;
  });
  EXPECT_TRUE(listed);
  return seen;
}

TEST_F(ReportCacheTest, FindsAReportOnlyForTheSameFileAndTheSameSettings) {
  const std::string path("a\n\xff\0b", 5);
  {
    auto cache = ReportCache::open(at("shelf"));
    ASSERT_TRUE(cache) << text_of(cache.error());
    ASSERT_TRUE(cache->put({.path = path, .stamp = kStamp, .asked = "so", .report = "R"}));
  }
  auto cache = ReportCache::open(at("shelf"));
  ASSERT_TRUE(cache) << text_of(cache.error());
  const auto known = [&](const std::string& name, const FileStamp& stamp, std::string_view asked) {
    const auto answer = cache->known(name, stamp, asked);
    EXPECT_TRUE(answer);
    return answer ? *answer : std::nullopt;
  };
  EXPECT_EQ(known(path, kStamp, "so"), "R");
  EXPECT_EQ(known(path, kStamp, "otherwise"), std::nullopt);
  EXPECT_EQ(known("a\n", kStamp, "so"), std::nullopt);
  for (const auto change :
       {+[](FileStamp& stamp) { ++stamp.device; }, +[](FileStamp& stamp) { ++stamp.inode; },
        +[](FileStamp& stamp) { ++stamp.size; }, +[](FileStamp& stamp) { ++stamp.mtime_ns; },
        +[](FileStamp& stamp) { ++stamp.ctime_ns; }}) {
    FileStamp stamp = kStamp;
    change(stamp);
    EXPECT_EQ(known(path, stamp, "so"), std::nullopt);
  }
}

TEST_F(ReportCacheTest, ReturnsTheReportStoredForLaterRuns) {
  auto cache = ReportCache::open(at("shelf"));
  ASSERT_TRUE(cache) << text_of(cache.error());
  ASSERT_TRUE(cache->put(
      {.path = "a", .stamp = kStamp, .asked = "so", .report = "mended", .later = "sound"}));
  ASSERT_TRUE(cache->saw("a"));
  EXPECT_EQ(*cache->known("a", kStamp, "so"), "sound");
  EXPECT_EQ(seen_on(*cache), Strings{"a=mended"});
}

TEST_F(ReportCacheTest, ListsBooksSeenInThisRunByPath) {
  auto cache = ReportCache::open("");
  ASSERT_TRUE(cache) << text_of(cache.error());
  ASSERT_TRUE(cache->begin());
  for (const char* path : {"b", "a/z", "a", "not seen"}) {
    ASSERT_TRUE(cache->put({.path = path, .report = "1"}));
  }
  for (const char* path : {"b", "a/z", "a", "b", "never put"}) ASSERT_TRUE(cache->saw(path));
  ASSERT_TRUE(cache->commit());
  EXPECT_EQ(seen_on(*cache), (Strings{"a=1", "a/z=1", "b=1"}));
  ASSERT_TRUE(cache->begin());
  ASSERT_TRUE(cache->put({.path = "a", .report = "2"}));
  cache->roll_back();
  cache->roll_back();  // without a transaction it does nothing
  EXPECT_EQ(seen_on(*cache).front(), "a=1");
}

TEST_F(ReportCacheTest, RefusesAForeignFileAndLeavesItUnchanged) {
  write("text", "this is no database, and long enough to be sure of it: " + std::string(200, 'x'));
  const std::map<std::string, std::string> foreign = {
      {"other", "create table t(x); pragma application_id = 7"},
      {"plain", "create table t(x)"},
      {"newer", "create table t(x); pragma application_id = 0x74646273; pragma user_version = 2"}};
  for (const auto& [name, sql] : foreign) {
    auto db = store::Db::open(at(name));
    ASSERT_TRUE(db);
    ASSERT_TRUE(db->exec("pragma journal_mode = delete"));
    ASSERT_TRUE(db->exec(sql));
  }
  for (const char* name : {"text", "other", "plain", "newer"}) {
    const std::string before = read(name);
    EXPECT_FALSE(ReportCache::open(at(name))) << name;
    EXPECT_TRUE(read(name) == before) << name;
  }
  EXPECT_TRUE(ReportCache::open(at("newer")).error().reason.contains("format 2"));
  EXPECT_FALSE(ReportCache::open(at("no/such/folder")));
}

}  // namespace
}  // namespace tidemill::books
