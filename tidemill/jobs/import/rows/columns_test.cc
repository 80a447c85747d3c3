// The columns of a table, their names and their types.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "tidemill/jobs/import/rows/row_rig.h"

namespace tidemill::import {
namespace {

using sqlite_pages::CellValue;

TEST(RowMaker, AddsColumnsInTheOrderFieldsAppear) {
  RowRig rig;
  rig.make("{\"b\":1,\"a\":2}\n{\"a\":3,\"c\":4,\"b\":5}\n");
  rig.make("{\"c\":6,\"d\":7,\"a\":8}\n{\"\\u0062\":9}\n");
  EXPECT_EQ(rig.columns(), "b INTEGER, a INTEGER, c INTEGER, d INTEGER");
  EXPECT_EQ(rig.rows(), "1 1 2; 2 5 3 4; 3 - 8 6 7; 4 9");
}

TEST(RowMaker, RenamesColumnsThatSqliteCannotDistinguishOrStore) {
  RowRig rig(nested(Nested::flatten));
  rig.make(R"({"Name":1,"name":2,"NAME":3,"name_2":4,"":5,"_empty":6,"a\u0000b":7,"a\\0b":8})"
           "\n"
           R"({"\u00c4":1,"\u00e4":2,"position":{"x":3},"position.x":4,"position_x":5})"
           "\n"
           R"({"a.b":{"c":1},"a":{"b.c":2,"b":{"c":3}},"a\\.b":{"c":4}})"
           "\n");
  EXPECT_EQ(rig.rejects(), "");
  const std::string columns = rig.columns();
  EXPECT_EQ(columns,
            "Name INTEGER, name_2 INTEGER, NAME_3 INTEGER, name_2_2 "
            "INTEGER, _empty INTEGER, "
            "_empty_2 INTEGER, a\\0b INTEGER, a\\0b_2 INTEGER, "
            "\xc3\x84 INTEGER, \xc3\xa4 INTEGER, "
            "position_x INTEGER, position.x INTEGER, position_x_2 "
            "INTEGER, a.b_c INTEGER, "
            "a_b.c INTEGER, a_b_c INTEGER, a\\.b_c INTEGER");
  EXPECT_EQ(rig.rows(),
            "1 1 2 3 4 5 6 7 8; 2 - - - - - - - - 1 2 3 4 5; "
            "3 - - - - - - - - - - - - - 1 2 3 4");
}

TEST(RowMaker, CollectsFieldsBeyondTwoThousandColumnsInOneObject) {
  RowRig rig;
  std::string first = "{";
  for (int i = 0; i < 1'998; ++i) first += "\"f" + std::to_string(i) + "\":0,";
  rig.make(first + R"("last":"l","beyond":"\u0061","a.b": [ 1 ]})"
                   "\n"
                   R"({"beyond":2,"last":3})"
                   "\n"
                   R"({"new":null,"a.b":1.50,"f0":4,"b\\c":true})"
                   "\n"
                   R"({"f1":5})"
                   "\n"
                   R"({"beyond":1,"\u0062eyond":2})"
                   "\n");
  EXPECT_EQ(rig.rejects(), "5@" + std::to_string(rig.offset - 29) + " " + "duplicate field");
  const RowTable::State state = rig.table().state();
  ASSERT_EQ(state.columns.size(), 2'000U);
  EXPECT_EQ(state.columns[1'998].name, "last");
  EXPECT_EQ(state.columns[1'999].name, "_more");
  std::vector<std::string> more;
  std::vector<CellValue> values;
  for (const sqlite_pages::CellRow& row : rig.batches[0].tables[0].cells.rows()) {
    rig.batches[0].tables[0].cells.values(row, values);
    more.emplace_back(values.size() == 2'000 ? values[1'999].bytes : "-");
  }
  EXPECT_EQ(more, (std::vector<std::string>{R"({"beyond":"\u0061","a.b":[ 1 ]})", R"({"beyond":2})",
                                            R"({"new":null,"a.b":1.50,"b\\c":true})", "-"}));
}

TEST(RowMaker, ARecordMayHaveAFieldNamedMore) {
  RowRig rig;
  std::string line = R"({"_more":1)";
  for (int i = 0; i < 2'010; ++i) line += ",\"f" + std::to_string(i) + "\":0";
  rig.make(line + "}\n");
  const auto columns = rig.table().state().columns;
  ASSERT_EQ(columns.size(), 2'000U);
  EXPECT_EQ(columns.front().name, "_more");
  EXPECT_EQ(columns.back().name, "_more_2");
  EXPECT_TRUE(columns.back().is_ours);
}

// A worker does not remember every key: this must not affect the result.
TEST(RowMaker, ManyKeysGiveTheSameResultWithAnyNumberOfWorkers) {
  std::vector<std::string> lines;
  std::string wide = R"({"late":{"en":0,"x":{"y":1}},"list":[1],"w":{"a.b":0},"_key":0)";
  for (int i = 0; i < 1'990; ++i) wide += ",\"f" + std::to_string(i) + "\":0";
  lines.push_back(wide + R"(,"g1":1,"g2":2,"g3":3,"g4":4,"g5":5,"g6":6,"g7":7,"g8":8,"g9":9})");
  for (int i = 0; i < 30; ++i) {
    std::string line = "{";
    for (int k = 0; k < 290; ++k) {
      line += "\"k" + std::to_string(i) + "." + std::to_string(k) + "\":" + std::to_string(k) + ",";
    }
    lines.push_back(line + R"("deep":{"x":{"y":1},"z":[]},"list":[{"a":2}],"\u006cate":{"en":1},)"
                           R"("f5":7,"w":{"a.b":3},"k1.2.3":"x","late\u0032":{"en":2}})");
    lines.push_back(R"({"k1.2.3":5,"list":[3],"new)" + std::to_string(i) +
                    R"(":1,"late":{"x":{"y":2}},"g9":1})");
  }
  for (const auto& [how, languages] : std::vector<std::pair<Nested, std::vector<std::string>>>{
           {Nested::json, {"en"}}, {Nested::flatten, {}}, {Nested::tables, {}}}) {
    ImportOptions options = nested(how);
    options.languages = languages;
    const std::string alone = made_by(1, lines.size(), options, lines);
    const std::string many = made_by(4, 7, options, lines);
    const auto differ = std::ranges::mismatch(alone, many).in1 - alone.begin();
    EXPECT_TRUE(alone == many) << alone.substr(static_cast<std::size_t>(std::max(differ, 90L)) - 90,
                                               180);
  }
}

TEST(RowMaker, ConvertsValuesToAForcedColumnTypeOrRejectsThem) {
  using enum ColumnType;
  struct Case {
    ColumnType type;
    std::string value;
    std::string row;  // empty: it does not fit
  };
  const std::vector<Case> all{
      {integer, "5", "5"},
      {integer, "\"5\"", "5"},
      {integer, "5.0", "5"},
      {integer, "1e3", "1000"},
      {integer, "true", "1"},
      {integer, "null", "-"},
      {integer, "5.5", ""},
      {integer, "\"x\"", ""},
      {integer, "\"\"", ""},
      {integer, "\"007\"", ""},
      {integer, "[]", ""},
      {integer, "{}", ""},
      {integer, "9223372036854775808", ""},
      {integer, "1e30", ""},
      {real, "5", "5.0"},
      {real, "\"0.5\"", "0.5"},
      {real, "false", "0.0"},
      {real, "1.5", "1.5"},
      {real, "9007199254740993", ""},
      {real, "\"1.5x\"", ""},
      {real, "0.1234567890123456789", ""},
      {real, "{\"a\":1}", ""},
      {text, "5", "'5'"},
      {text, "1e5", "'100000.0'"},
      {text, "true", "'1'"},
      {text, "\"x\"", "'x'"},
      {text, "null", "-"},
      {text, "[ 1 ]", "'[ 1 ]'"},
      {text, "0.1234567890123456789", "'0.1234567890123456789'"},
  };
  for (const Case& one : all) {
    ImportOptions options{.types = {{"v", one.type}}};
    // The second time, the column exists.
    RowRig rig(options);
    rig.make("{\"v\":" + one.value + "}\n{\"v\":null}\n{\"v\":" + one.value + "}\n");
    EXPECT_EQ(rig.rows(), one.row.empty() ? "2 -" : "1 " + one.row + "; 2 -; 3 " + one.row)
        << one.value;
    EXPECT_EQ(rig.columns(), "v " + std::string(name_of(one.type)));
    const std::string why = verdict("{\"v\":" + one.value + "}", options);
    EXPECT_EQ(why.empty(), !one.row.empty()) << one.value;
  }
  RowRig rig({.nested = Nested::flatten, .types = {{"p_x", text}, {"a.b", real}}});
  rig.make(R"({"p":{"x":1},"a.b":2})"
           "\n");
  EXPECT_EQ(rig.rows(), "1 '1' 2.0");
}

TEST(RowMaker, RecordsWhereEachTypeWasFirstSeen) {
  RowRig rig(nested(Nested::json));
  rig.make("{\"a\":1,\"b\":null}\n{\"a\":null,\"c\":true}\nx\n{\"a\":1.5}\n");
  rig.make(
      "{\"a\":\"s\",\"c\":9007199254740993}\n{\"a\":[],\"a\":{}}\n{\"c\":"
      "1e400,\"a\":2}\n");
  const auto columns = rig.table().state().columns;
  EXPECT_EQ(columns[0].seen, kSeenInteger | kSeenNull | kSeenReal | kSeenString);
  EXPECT_EQ(columns[0].first_line, (std::array<std::uint64_t, kSeenBits>{2, 0, 1, 0, 4, 0, 5, 0}));
  EXPECT_EQ(columns[1].seen, kSeenNull);
  EXPECT_EQ(columns[2].seen, kSeenBool | kSeenInteger | kSeenWide | kSeenExact);
  EXPECT_EQ(columns[2].first_line, (std::array<std::uint64_t, kSeenBits>{0, 2, 5, 5, 0, 7, 0, 0}));
  EXPECT_TRUE(columns[0].has_numbers);
  EXPECT_FALSE(columns[1].has_numbers);
  RowRig texts;
  texts.make("{\"a\":\"x\"}\n");
  texts.make("{\"a\":5}\n");
  EXPECT_FALSE(texts.table().state().columns[0].has_numbers);
  EXPECT_EQ(texts.rows(), "1 'x'; 2 '5'");
}

TEST(RowMaker, ARejectedLineLeavesNothingBehind) {
  const std::vector<std::string> lines{R"({"n":1,"l":[1,{"m":2}],"n":3})",
                                       R"({"l":[{"x":1,"k":[1]}],"n":{"o":1},"n":2})",
                                       R"({"l":[{"x":1},{"x":1,"x":2}]})",
                                       R"({"l":[1],"t":"no"})",
                                       R"({"l":[{"t":"no"}]})",
                                       R"({"l":[1],"t":{}})",
                                       R"({"l":[1],"t":[]} x)",
                                       R"({"l":[1],"b":tru})",
                                       R"({"l":[[1]],"value":1,"value":2})",
                                       R"({"l":[{"t":[[1]]},{"t":{}}]})",
                                       R"({"l":[1],"o":{"t":1,"t":1}})",
                                       R"({"name":{"en":1,"de":2},"l":[1],"name":1})"};
  for (const Nested how : {Nested::json, Nested::flatten, Nested::tables}) {
    for (const std::string& line : lines) {
      ImportOptions options = nested(how);
      options.types = {{"t", ColumnType::integer}};
      options.languages = {"en"};
      RowRig rig(options);
      const RowBatch& batch = rig.make(line + "\n{\"z\":1}\n");
      if (batch.counts.rejected == 0) continue;  // a list is text unless it is a table
      EXPECT_EQ(rig.columns(), "z INTEGER") << line;
      EXPECT_EQ(rig.tables.all().size(), 1U) << line;
      EXPECT_EQ(batch.counts.child_rows, 0U) << line;
      EXPECT_EQ(rig.rows(), "2 1") << line;
      EXPECT_EQ(batch.languages_left_out, 0U) << line;
    }
  }
}

}  // namespace
}  // namespace tidemill::import
