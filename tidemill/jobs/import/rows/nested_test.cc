// Objects, lists and texts in several languages inside a record.
#include <gtest/gtest.h>

#include <cstddef>
#include <string>
#include <vector>

#include "tidemill/jobs/import/rows/languages.h"
#include "tidemill/jobs/import/rows/row_rig.h"

namespace tidemill::import {
namespace {

using sqlite_pages::CellValue;

TEST(RowMaker, ObjectsBecomeColumnsAndListsStayText) {
  RowRig rig(nested(Nested::flatten));
  rig.make(R"({"p":{"x":1,"y":{"z":2}},"l":[ 1,{"a":2} ],"e":{},"f":{"g":{}}})"
           "\n"
           R"({"p":5,"e":{"h":1}})"
           "\n"
           R"({"p":null,"p2":{"x":[]}})"
           "\n");
  EXPECT_EQ(rig.columns(),
            "p_x INTEGER, p_y_z INTEGER, l TEXT, e TEXT, f_g "
            "TEXT, p INTEGER, e_h INTEGER, p2_x TEXT");
  EXPECT_EQ(rig.rows(),
            "1 1 2 '[ 1,{\"a\":2} ]' '{}' '{}'; 2 - - - - - 5 1; 3 "
            "- - - - - - - '[]'");
  RowRig deep(nested(Nested::flatten));
  deep.make("{\"r\":" + levels(40, "{\"a\":", "}") + "}\n");
  std::string name = "r";
  for (int i = 0; i < 32; ++i) name += "_a";
  EXPECT_EQ(deep.columns(), name + " TEXT");
  EXPECT_EQ(deep.rows(), "1 '" + levels(8, "{\"a\":", "}") + "'");
}

TEST(RowMaker, ListsBecomeTablesThatReferToTheirRecord) {
  RowRig rig({.nested = Nested::tables});
  rig.make(R"({"l":[1,"x",null,[2],{"value":3,"v":4},{}],"_key":7,"p":{"q":[true]},"e":[]})"
           "\n"
           R"({"_key":9,"l":[{"m":[{"n":1},{"n":2}]},{"m":[{"n":3}]}]})"
           "\n");
  EXPECT_EQ(rig.rejects(), "");
  EXPECT_EQ(rig.columns(), "_key INTEGER");
  EXPECT_EQ(rig.rows(), "7 -; 9 -");
  EXPECT_EQ(rig.columns("t_l"), "parent INTEGER, position INTEGER, value TEXT, v INTEGER");
  EXPECT_EQ(rig.rows("t_l"),
            "7 7 0 '1'; 9 7 1 'x'; 13 7 2; 18 7 3 '[2]'; 22 7 4 '3' 4; 40 7 5; "
            "93 9 0; 117 9 1");
  EXPECT_EQ(rig.columns("t_p_q"), "parent INTEGER, position INTEGER, value INTEGER");
  EXPECT_EQ(rig.columns("t_l_m"),
            "parent INTEGER, position INTEGER, position_2 INTEGER, n INTEGER");
  EXPECT_EQ(rig.rows("t_l_m"), "99 9 0 0 1; 107 9 0 1 2; 123 9 1 0 3");
  EXPECT_EQ(rig.tables.all().size(), 4U);
  EXPECT_EQ(rig.batches[0].counts.child_rows, 12U);
}

TEST(RowMaker, TheParentIsTheKeyOrTheLine) {
  const auto parents = [](const std::string& line, ImportOptions options) {
    options.nested = Nested::tables;
    RowRig rig(options);
    rig.make("\n" + line + "\n");
    EXPECT_EQ(rig.rejects(), "") << line;
    std::vector<CellValue> values;
    for (const TableRows& rows : rig.batches[0].tables) {
      if (rows.table != &rig.table("t_l")) continue;
      rows.cells.values(rows.cells.rows().front(), values);
    }
    return values.empty() ? "none" : shown(values[0], {});
  };
  EXPECT_EQ(parents(R"({"l":[1],"_key":"\u0061b"})", {}), "'ab'");
  EXPECT_EQ(parents(R"({"l":[1],"\u005fkey":5})", {}), "5");
  EXPECT_EQ(parents(R"({"l":[1],"x":{"_key":4},"_key":5})", {}), "5");
  EXPECT_EQ(parents(R"({"l":[1],"_key":1e400})", {}), "'1e400'");
  EXPECT_EQ(parents(R"({"l":[1],"_key":null})", {}), "2");
  EXPECT_EQ(parents(R"({"l":[1],"_key":{"a":1}})", {}), "2");
  EXPECT_EQ(parents(R"({"l":[1]})", {}), "2");
  EXPECT_EQ(parents(R"({"l":[1],"_key":5})", {.has_key = false}), "2");
  EXPECT_EQ(parents(R"({"l":[1],"_key":5,"id":"k"})", {.key = "id"}), "'k'");
  std::string long_key(sqlite_pages::kLarge, 'k');
  EXPECT_EQ(parents(R"({"l":[1],"_key":"\n)" + long_key + "\"}", {}), "'\n" + long_key + "'");
  RowRig rig({.nested = Nested::tables});
  rig.make("{\"_key\":9007199254740993,\"l\":[1]}\n");
  EXPECT_EQ(rig.table("t_l").state().columns[0].seen, kSeenInteger | kSeenWide);
}

TEST(RowMaker, ListTablesGetNamesThatSqliteCanStore) {
  RowRig rig(nested(Nested::tables));
  rig.make(R"({"":[1],"a\u0000b":[1],"L":[{"parent":5,"position":6}],"l":[2]})"
           "\n");
  std::string names;
  for (const RowTable* table : rig.tables.all()) names += table->name() + " ";
  EXPECT_EQ(names, "t t__empty t_a\\0b t_L t_l_2 ");
  EXPECT_EQ(rig.columns("t_L"),
            "parent INTEGER, position INTEGER, parent_2 INTEGER, position_2 INTEGER");
}

TEST(RowMaker, ListsStayTextBeyondTheTableLimit) {
  std::vector<std::string> lines;
  for (std::size_t i = 0; i < Tables::kMostChildren + 20; ++i) {
    lines.push_back("{\"l" + std::to_string(i) + "\":[1]}");
    lines.push_back("{\"l" + std::to_string(i) + "\":[2]}");
  }
  RowRig rig(nested(Nested::tables));
  for (const std::string& line : lines) rig.make(line + "\n");
  EXPECT_EQ(rig.tables.all().size(), 1 + Tables::kMostChildren);
  EXPECT_EQ(rig.table().state().columns.size(), 20U);
  EXPECT_TRUE(made_by(3, 100, nested(Nested::tables), lines) == rig.dump());
}

TEST(RowMaker, OnlyRequestedLanguagesBecomeColumns) {
  for (const Nested how : {Nested::json, Nested::flatten, Nested::tables}) {
    ImportOptions options = nested(how);
    options.languages = {"en", "de-ch"};
    RowRig rig(options);
    const RowBatch& batch =
        rig.make(R"({"n":{"en":"e","fr":"f","de-ch":"d","de":"x"},"o":{"en":1,"no":2}})"
                 "\n"
                 R"({"n":{"ja":"j"},"m":{"en":{"en":5,"it":6}}})"
                 "\n");
    EXPECT_EQ(rig.rejects(), "");
    const bool is_text = how == Nested::json;
    EXPECT_EQ(rig.columns(), std::string("n_en TEXT, n_de-ch TEXT, ") +
                                 (is_text ? "o TEXT" : "o_en INTEGER, o_no INTEGER") +
                                 ", m_en_en INTEGER");
    EXPECT_EQ(rig.rows(), is_text ? "1 'e' 'd' '{\"en\":1,\"no\":2}'; 2 - - - 5"
                                  : "1 'e' 'd' 1 2; 2 - - - - 5");
    EXPECT_EQ(batch.languages_left_out,
              language_bit("fr") | language_bit("de") | language_bit("ja") | language_bit("it"));
  }
  RowRig rig({.languages = {"en"}});
  rig.make(R"({"n":{},"m":{"En":1},"o":{"en-":1},"p":["en"]})"
           "\n");
  EXPECT_EQ(rig.rows(), R"(1 '{}' '{"En":1}' '{"en-":1}' '["en"]')");
}

}  // namespace
}  // namespace tidemill::import
