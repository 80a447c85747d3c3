#include "tidemill/jobs/books/shelf.h"

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

class Shelving : public InAFolder {};

constexpr FileStamp kStamp{.device = 1, .inode = 2, .size = 3, .mtime_ns = 4, .ctime_ns = 5};

Strings seen_on(Shelf& shelf) {
  Strings seen;
  const auto listed = shelf.each_seen([&](std::string_view path, std::string_view report) {
    seen.push_back(std::string(path) + "=" + std::string(report));
    return true;
  });
  EXPECT_TRUE(listed);
  return seen;
}

TEST_F(Shelving, ABookIsKnownAsLongAsItIsTheSameAndAskedTheSame) {
  const std::string path("a\n\xff\0b", 5);
  {
    auto shelf = Shelf::open(at("shelf"));
    ASSERT_TRUE(shelf) << text_of(shelf.error());
    ASSERT_TRUE(shelf->put({.path = path, .stamp = kStamp, .asked = "so", .report = "R"}));
  }
  auto shelf = Shelf::open(at("shelf"));
  ASSERT_TRUE(shelf) << text_of(shelf.error());
  const auto known = [&](const std::string& name, const FileStamp& stamp, std::string_view asked) {
    const auto answer = shelf->known(name, stamp, asked);
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

TEST_F(Shelving, ALaterRunIsToldWhatWasLeftForIt) {
  auto shelf = Shelf::open(at("shelf"));
  ASSERT_TRUE(shelf) << text_of(shelf.error());
  ASSERT_TRUE(shelf->put(
      {.path = "a", .stamp = kStamp, .asked = "so", .report = "mended", .later = "sound"}));
  ASSERT_TRUE(shelf->saw("a"));
  EXPECT_EQ(*shelf->known("a", kStamp, "so"), "sound");
  EXPECT_EQ(seen_on(*shelf), Strings{"a=mended"});
}

TEST_F(Shelving, WhatWasSeenInThisRunComesByPath) {
  auto shelf = Shelf::open("");
  ASSERT_TRUE(shelf) << text_of(shelf.error());
  ASSERT_TRUE(shelf->begin());
  for (const char* path : {"b", "a/z", "a", "not seen"}) {
    ASSERT_TRUE(shelf->put({.path = path, .report = "1"}));
  }
  for (const char* path : {"b", "a/z", "a", "b", "never put"}) ASSERT_TRUE(shelf->saw(path));
  ASSERT_TRUE(shelf->commit());
  EXPECT_EQ(seen_on(*shelf), (Strings{"a=1", "a/z=1", "b=1"}));
  ASSERT_TRUE(shelf->begin());
  ASSERT_TRUE(shelf->put({.path = "a", .report = "2"}));
  shelf->roll_back();
  shelf->roll_back();  // nothing to do is no failure
  EXPECT_EQ(seen_on(*shelf).front(), "a=1");
}

TEST_F(Shelving, AForeignFileIsRefusedAndStaysAsItWas) {
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
    EXPECT_FALSE(Shelf::open(at(name))) << name;
    EXPECT_TRUE(read(name) == before) << name;
  }
  EXPECT_TRUE(Shelf::open(at("newer")).error().reason.contains("format 2"));
  EXPECT_FALSE(Shelf::open(at("no/such/folder")));
}

}  // namespace
}  // namespace tidemill::books
