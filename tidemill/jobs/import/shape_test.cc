// What tables and columns are called, how columns widen, and what the command line asks for.
#include <initializer_list>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "tidemill/jobs/import/names.h"
#include "tidemill/jobs/import/options.h"
#include "tidemill/jobs/import/tables.h"
#include "tidemill/jobs/import/widenings.h"

namespace tidemill::import {
namespace {

TEST(Names, ATableIsCalledAfterItsFile) {
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

TEST(Names, AColumnIsCalledAfterItsField) {
  EXPECT_EQ(column_name_of(""), "_empty");
  EXPECT_EQ(column_name_of(std::string_view("a\0b", 3)), "a\\0b");
  EXPECT_EQ(column_name_of("a \"b\""), "a \"b\"");
}

TEST(Names, APathOfFieldsIsNeverTwoThings) {
  EXPECT_EQ(path_part("a.b\\c"), "a\\.b\\\\c");
  EXPECT_EQ(path_text(path_part("a.b\\c") + "." + path_part("d")), "a.b\\c.d");
  EXPECT_NE(path_part("a.b") + "." + path_part("c"), path_part("a") + "." + path_part("b.c"));
  EXPECT_NE(path_part("a\\") + "." + path_part("b"), path_part("a\\.b"));
}

TEST(Names, ATakenNameGetsANumberWhateverItsCase) {
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

Column seen(std::initializer_list<std::tuple<Seen, std::size_t, std::uint64_t>> sights) {
  Column column{.name = "c"};
  for (const auto& [bit, file, line] : sights) {
    column.seen |= bit;
    std::size_t at = 0;
    while ((bit >> at & 1U) == 0) ++at;
    column.first_file[at] = file;
    column.first_line[at] = line;
  }
  return column;
}

std::string widened(const Column& column) {
  std::string all;
  for (const Widening& one : widenings_of("t", {.columns = {column}})) {
    all += std::string(name_of(one.from)) + ">" + std::string(name_of(one.to)) + " " +
           std::to_string(one.file) + ":" + std::to_string(one.line) + " " + one.seen + "; ";
  }
  return all;
}

TEST(Widenings, SayWhatWasSeenFirstInTheOrderOfReading) {
  EXPECT_EQ(widened(seen({{kSeenInteger, 0, 1}, {kSeenNull, 0, 2}, {kSeenBool, 0, 3}})), "");
  EXPECT_EQ(widened(seen({{kSeenNull, 0, 1}, {kSeenString, 0, 9}})), "");
  EXPECT_EQ(widened(seen({{kSeenString, 1, 2}, {kSeenReal, 0, 7}, {kSeenInteger, 0, 5}})),
            "INTEGER>REAL 0:7 a number with a fraction; REAL>TEXT 1:2 a string; ");
  EXPECT_EQ(widened(seen({{kSeenString, 0, 1}, {kSeenInteger, 0, 2}})), "");
  EXPECT_EQ(widened(seen({{kSeenReal, 0, 1}, {kSeenInteger, 0, 4}, {kSeenWide, 0, 4}})),
            "REAL>TEXT 0:4 an integer that no double is; ");
  // An earlier import saw integers.
  EXPECT_EQ(widened(seen({{kSeenInteger, 0, 0}, {kSeenJson, 0, 3}})),
            "INTEGER>TEXT 0:3 an object or a list; ");
  Column forced = seen({{kSeenInteger, 0, 1}, {kSeenString, 0, 2}});
  forced.forced = ColumnType::integer;
  EXPECT_EQ(widened(forced), "");
}

TEST(Widenings, ATypeDoesNotDependOnTheOrder) {
  EXPECT_EQ(type_of(kSeenNull), ColumnType::none);
  EXPECT_EQ(type_of(kSeenBool | kSeenNull), ColumnType::integer);
  EXPECT_EQ(type_of(kSeenInteger | kSeenWide), ColumnType::integer);
  EXPECT_EQ(type_of(kSeenInteger | kSeenReal), ColumnType::real);
  EXPECT_EQ(type_of(kSeenInteger | kSeenWide | kSeenReal), ColumnType::text);
  EXPECT_EQ(type_of(kSeenExact), ColumnType::text);
  EXPECT_EQ(type_named("Integer"), ColumnType::integer);
  EXPECT_EQ(type_named("int"), std::nullopt);
  EXPECT_EQ(type_named(""), std::nullopt);
}

using Flags = std::vector<std::pair<std::string, std::vector<std::string>>>;

Result<Options> parsed(const Flags& flags, std::vector<std::string> sources = {"in"}) {
  command::Values values;
  values.flags["into"] = {.texts = {"db"}};
  for (const auto& [name, texts] : flags) values.flags[name] = {.texts = texts};
  values.arguments["SOURCE"] = std::move(sources);
  return options_of(values);
}

TEST(Options, AreReadFromTheCommandLine) {
  const auto options = parsed({{"nested", {"tables"}},
                               {"languages", {"en,de-ch", "fr"}},
                               {"index", {"a,b", "c"}},
                               {"types", {"a=integer,b=Real", "c=d=TEXT"}},
                               {"max-rejects", {"0.5%"}},
                               {"key", {"id"}},
                               {"workers", {"3"}},
                               {"page-size", {"8K"}},
                               {"no-verify", {"true"}},
                               {"json", {"true"}}});
  ASSERT_TRUE(options) << text_of(options.error());
  EXPECT_EQ(options->nested, Nested::tables);
  EXPECT_EQ(options->languages, (std::vector<std::string>{"en", "de-ch", "fr"}));
  EXPECT_EQ(options->indices, (std::vector<std::string>{"a", "b", "c"}));
  EXPECT_EQ(options->types.size(), 3U);
  EXPECT_EQ(options->types.at("b"), ColumnType::real);
  EXPECT_EQ(options->types.at("c=d"), ColumnType::text);
  EXPECT_EQ(options->most_rejects.share, 0.005);
  EXPECT_EQ(options->workers, 3U);
  EXPECT_EQ(options->page_size, 8192U);
  EXPECT_FALSE(options->verify);
  EXPECT_EQ(options->report, Report::json);
  EXPECT_EQ(options->writing, Writing::pages);
  EXPECT_EQ(options->mode, Mode::fresh);
  EXPECT_EQ(parsed({{"append", {"true"}}})->writing, Writing::sql);
  EXPECT_EQ(parsed({{"max-rejects", {"18446744073709551615"}}})->most_rejects.count, UINT64_MAX);
}

TEST(Options, RefuseWhatMakesNoSense) {
  for (const Flags& flags : std::vector<Flags>{{{"replace", {"true"}}, {"append", {"true"}}},
                                               {{"upsert", {"true"}}, {"incremental", {"true"}}},
                                               {{"append", {"true"}}, {"writer", {"pages"}}},
                                               {{"incremental", {"true"}}, {"table", {"t"}}},
                                               {{"upsert", {"true"}}, {"no-key", {"true"}}},
                                               {{"key", {"k"}}, {"no-key", {"true"}}},
                                               {{"languages", {"xx"}}},
                                               {{"types", {"a"}}},
                                               {{"types", {"a=blob"}}},
                                               {{"max-rejects", {"x"}}},
                                               {{"max-rejects", {"-1"}}},
                                               {{"max-rejects", {"101%"}}},
                                               {{"max-rejects", {"1.5"}}},
                                               {{"max-rejects", {"%"}}},
                                               {{"page-size", {"5000"}}},
                                               {{"table", {"sqlite_x"}}},
                                               {{"table", {"_Tidemill_x"}}},
                                               {{"table", {"_rejects"}}},
                                               {{"table", {"_REJECTS"}}},
                                               {{"into", {""}}}}) {
    const auto options = parsed(flags);
    EXPECT_FALSE(options) << flags.back().first << ' ' << flags.back().second.front();
    EXPECT_TRUE(options || options.error().step == "usage");
  }
  EXPECT_FALSE(parsed({}, {}));
  EXPECT_FALSE(parsed({}, {"-", "-"}));
}

TEST(Options, ALimitOfRejectsIsTheMostThatIsAllowed) {
  EXPECT_FALSE(RejectLimit{}.is_exceeded(9, 9));
  EXPECT_FALSE(RejectLimit{.count = 2}.is_exceeded(2, 2));
  EXPECT_TRUE(RejectLimit{.count = 0}.is_exceeded(1, 100));
  EXPECT_FALSE(RejectLimit{.share = 0.01}.is_exceeded(1, 100));
  EXPECT_TRUE(RejectLimit{.share = 0.01}.is_exceeded(2, 100));
  EXPECT_FALSE(RejectLimit{.share = 0}.is_exceeded(0, 0));
}

}  // namespace
}  // namespace tidemill::import
