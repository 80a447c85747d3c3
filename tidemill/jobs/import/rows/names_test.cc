#include "tidemill/jobs/import/rows/names.h"

#include <initializer_list>
#include <utility>

#include <gtest/gtest.h>

#include "tidemill/jobs/import/rows/tables.h"

namespace tidemill::import {
namespace {

TEST(Names, ATableIsNamedAfterItsFile) {
  for (const auto& [path, name] : std::initializer_list<std::pair<const char*, const char*>>{
           {"types.jsonl", "types"},
           {"a/b.c/types.v2.ndjson", "types.v2"},
           {"/x/y.JSONL.GZ", "y"},
           {"y.json.zst", "y"},
           {"y.gz", "y"},
           {"y.jsonl.jsonl", "y.jsonl"},
           {"y.gz.jsonl", "y.gz"},
           {"y.txt", "y.txt"},
           {".jsonl", "table"},
           {"a/.jsonl.gz", "table"},
           {"-", "stdin"},
           {"sqlite_x.jsonl", "_sqlite_x"},
           {"SQLite_x.jsonl", "_SQLite_x"},
           {"_tidemill_files.jsonl", "__tidemill_files"},
           {"a\xff\xc3.jsonl", "a_xff_xc3"},
           {"\xc3\xa9.jsonl", "\xc3\xa9"}}) {
    EXPECT_EQ(table_name_of(path), name) << path;
    EXPECT_FALSE(is_reserved(table_name_of(path))) << path;
  }
}

TEST(Names, AColumnIsNamedAfterItsField) {
  EXPECT_EQ(column_name_of(""), "_empty");
  EXPECT_EQ(column_name_of(std::string_view("a\0b", 3)), "a\\0b");
  EXPECT_EQ(column_name_of("a \"b\""), "a \"b\"");
}

TEST(Names, FieldPathsAreUnambiguous) {
  EXPECT_EQ(path_part("a.b\\c"), "a\\.b\\\\c");
  EXPECT_EQ(path_text(path_part("a.b\\c") + "." + path_part("d")), "a.b\\c.d");
  EXPECT_NE(path_part("a.b") + "." + path_part("c"), path_part("a") + "." + path_part("b.c"));
  EXPECT_NE(path_part("a\\") + "." + path_part("b"), path_part("a\\.b"));
}

TEST(Names, ATakenNameGetsANumberRegardlessOfCase) {
  NameSet names;
  EXPECT_EQ(names.take("Name_2"), "Name_2");
  EXPECT_EQ(names.take("name"), "name");
  EXPECT_EQ(names.take("NAME"), "NAME_3");
  EXPECT_EQ(names.take("name"), "name_4");
  EXPECT_EQ(names.take("\xc3\x84"), "\xc3\x84");
  EXPECT_EQ(names.take("\xc3\xa4"), "\xc3\xa4");
  EXPECT_TRUE(names.has("nAmE_3"));
  EXPECT_FALSE(names.has("other"));
  Tables tables({"_rejects"});
  EXPECT_EQ(tables.add("_Rejects").name(), "_Rejects_2");
}

}  // namespace
}  // namespace tidemill::import
