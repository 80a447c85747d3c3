// The outcome of a line: a row, blank, or a reject; and the stored values.
#include <gtest/gtest.h>

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "tidemill/formats/jsonl/grammar.h"
#include "tidemill/jobs/import/rows/row_rig.h"

namespace tidemill::import {
namespace {

using jsonl::Flaw;
using sqlite_pages::CellType;
using sqlite_pages::CellValue;

std::string reason_of(Flaw flaw) { return std::string(name_of(flaw)); }
const std::string kTwoAlike = "duplicate field";
const std::string kNoObject = "not an object";

TEST(RowMaker, RejectsInvalidLinesWithTheReason) {
  const std::vector<std::pair<std::string, std::string>> all{
      {"[1]", kNoObject},
      {"5", kNoObject},
      {"\"x\"", kNoObject},
      {" null ", kNoObject},
      {"nul", reason_of(Flaw::malformed)},
      {"{", reason_of(Flaw::malformed)},
      {"{\"a\":1", reason_of(Flaw::malformed)},
      {"{\"a\":1,}", reason_of(Flaw::malformed)},
      {"{\"a\" 1}", reason_of(Flaw::malformed)},
      {"{\"a\":1]", reason_of(Flaw::malformed)},
      {"{\"a\":[1 2]}", reason_of(Flaw::malformed)},
      {"{\"a\":{\"b\":tru}}", reason_of(Flaw::malformed)},
      {"{a:1}", reason_of(Flaw::malformed)},
      {"{\"a\":\"b}", reason_of(Flaw::malformed)},
      {"{\"a\":1}{\"a\":2}", reason_of(Flaw::trailing)},
      {"{\"a\":1} {\"a\":2}", reason_of(Flaw::trailing)},
      {"{\"a\":1} x", reason_of(Flaw::trailing)},
      {"{} ,", reason_of(Flaw::trailing)},
      {std::string("{\"a\":1}\0", 8), reason_of(Flaw::trailing)},
      {"{\"a\":1,\"a\":2}", kTwoAlike},
      {"{\"a\":1,\"b\":3,\"\\u0061\":2}", kTwoAlike},
      {"{\"\\u0061\":1,\"a\":1}", kTwoAlike},
      {"{\"\":null,\"\":null}", kTwoAlike},
      {"{\"a\":01}", reason_of(Flaw::bad_number)},
      {"{\"a\":[.5]}", reason_of(Flaw::bad_number)},
      {"{\"a\":NaN}", reason_of(Flaw::bad_number)},
      {"{\"a\":\"\\x\"}", reason_of(Flaw::bad_escape)},
      {"{\"\\x\":1}", reason_of(Flaw::bad_escape)},
      {"{\"a\":[\"\\u12\"]}", reason_of(Flaw::bad_escape)},
      {"{\"a\":\"\\ud83d\"}", reason_of(Flaw::lone_surrogate)},
      {"{\"\\ude00\":1}", reason_of(Flaw::lone_surrogate)},
      {"{\"a\":{\"b\":[\"\\ud83d\"]}}", reason_of(Flaw::lone_surrogate)},
      {"{\"a\":\"\x01\"}", "control character in a string"},
      {std::string("{\"a\":\"\0\"}", 9), "control character in a string"},
      {"{\"a\":\"\xff\"}", "not UTF-8"},
      {"{\"a\":1}\xc3", "not UTF-8"},
      {"{\"a\":\"\xed\xa0\x80\"}", "not UTF-8"},
      {levels(1'001, "{\"a\":", "}"), reason_of(Flaw::too_deep)},
      {"{\"a\":" + levels(1'000, "[", "]") + "}", reason_of(Flaw::too_deep)},
  };
  for (const Nested how : {Nested::json, Nested::flatten, Nested::tables}) {
    for (const auto& [line, reason] : all) EXPECT_EQ(verdict(line, nested(how)), reason) << line;
    EXPECT_EQ(verdict("{\"a\":" + levels(999, "[", "]") + "}", nested(how)), "");
    EXPECT_EQ(verdict(levels(1'000, "{\"a\":", "}"), nested(how)), "");
  }
  for (const auto& [line, reason] : all) {
    EXPECT_EQ(verdict(line, {.languages = {"en"}}), reason) << line;
  }
  EXPECT_EQ(verdict(R"({"a":{"b":1,"b":2}})"),
            "");  // unchanged, like any nested JSON
  EXPECT_EQ(verdict(R"({"a":{"b":1,"\u0062":2}})", nested(Nested::flatten)), kTwoAlike);
  EXPECT_EQ(verdict(R"({"l":[{"b":1},{"b":1,"b":2}]})", nested(Nested::tables)), kTwoAlike);
}

TEST(RowMaker, CountsLinesAndTracksTheirPositions) {
  RowRig rig(nested(Nested::json));
  rig.batches.clear();
  const RowBatch& batch = rig.make("{\"a\":1}\r\n\n \t\r\nx\n\r\n{}\n{\"a\":2}  \n[]\n");
  EXPECT_EQ(batch.counts, (LineCounts{.lines = 8, .rows = 3, .blank = 3, .rejected = 2}));
  rig.make("{\"a\":3}\nx\n{\"a\":4}");
  EXPECT_EQ(rig.rows(), "1 1; 6 -; 7 2; 9 3; 11 4");
  EXPECT_EQ(rig.rejects(), "4@14 " + reason_of(Flaw::malformed) + "; 8@31 not an object; 10@42 " +
                               reason_of(Flaw::malformed));
}

TEST(RowMaker, ReportsTheLastLineAsTruncatedOnlyIfItIsMalformed) {
  const std::string cut = "truncated: the file ends inside this line";
  for (const auto& [line, reason] : std::vector<std::pair<std::string, std::string>>{
           {"{\"a\":1}", ""},
           {"{\"a\":", "1@0 " + cut},
           {"{\"a\":\"\xc3", "1@0 " + cut},
           {"{\"a\":\"\\ud83d", "1@0 " + cut},
           {"{\"a\":tr", "1@0 " + cut},
           {"{\"a\":1,\"a\":2}", "1@0 " + kTwoAlike},
           {"[]", "1@0 " + kNoObject},
           {"{\"a\":\n{\"b\":", "1@0 " + reason_of(Flaw::bad_number) + "; 2@6 " + cut}}) {
    RowRig rig;
    rig.make(line);
    if (line.find('\n') == std::string::npos) {
      EXPECT_EQ(rig.rejects(), reason) << line;
    } else {
      EXPECT_TRUE(rig.rejects().ends_with("2@6 " + cut)) << rig.rejects();
      EXPECT_FALSE(rig.rejects().starts_with("1@0 " + cut));
    }
  }
}

TEST(RowMaker, RejectsALineLongerThanTheLimit) {
  RowRig rig;
  RowBatch& batch = rig.next("{\"a\":\"the fro");
  batch.block.too_long = 5'000'000'000;
  ASSERT_TRUE(rig.maker.make(rig.file, batch));
  EXPECT_EQ(batch.counts, (LineCounts{.lines = 1, .rejected = 1}));
  EXPECT_EQ(rig.rejects(), "1@0 longer than --max-line");
}

TEST(RowMaker, ARejectKeepsAtMostOneMebibyteAndNeverSplitsACharacter) {
  constexpr std::size_t kKept = std::size_t{1024} * 1024;
  for (const std::size_t before : {0U, 1U, 2U, 3U}) {
    std::string line = "[" + std::string(before, 'x');
    while (line.size() < kKept + 9) line += "\xf0\x9f\x98\x80";
    RowRig rig;
    const RowBatch& batch = rig.make(line + "\n");
    std::vector<CellValue> values;
    batch.rejects.cells.values(batch.rejects.cells.rows().at(0), values);
    EXPECT_EQ(values[4].type, CellType::text);
    EXPECT_LE(values[4].bytes.size(), kKept);
    EXPECT_GT(values[4].bytes.size(), kKept - 4);
    EXPECT_TRUE(line.starts_with(values[4].bytes));
  }
}

TEST(RowMaker, ValuesAreKeptToTheLastDigit) {
  RowRig rig;
  rig.make(R"({"i":-9223372036854775808,"j":9223372036854775807,"t":true,"f":false,"n":null})"
           "\n"
           R"({"r":0.1,"s":"a\n\"\\\/\u00e9\ud83d\ude00\u0000b","o": { "k" : [ 1,  2 ] } })"
           "\n"
           R"({"big":9223372036854775808,"exact":0.1234567890123456789,"huge":1e400})"
           "\n"
           R"({"z":-0,"zr":-0.0,"whole":1.0,"e":"","l":[],"m":{}})"
           "\n");
  EXPECT_EQ(rig.rejects(), "");
  EXPECT_EQ(rig.columns(),
            "i INTEGER, j INTEGER, t INTEGER, f INTEGER, n, r "
            "REAL, s TEXT, o TEXT, big TEXT, "
            "exact TEXT, huge TEXT, z INTEGER, zr REAL, whole "
            "REAL, e TEXT, l TEXT, m TEXT");
  const std::string text("'a\n\"\\/\xc3\xa9\xf0\x9f\x98\x80\0b'", 15);
  EXPECT_EQ(rig.rows(),
            "1 -9223372036854775808 9223372036854775807 1 0; "
            "2 - - - - - 0.1 " +
                text +
                " '{ \"k\" : [ 1,  2 ] }'; "
                "3 - - - - - - - - '9223372036854775808' "
                "'0.1234567890123456789' '1e400'; "
                "4 - - - - - - - - - - - 0 0.0 1.0 '' '[]' '{}'");
}

TEST(RowMaker, UnescapesLargeValuesInPlaceInTheBlock) {
  for (const std::size_t size :
       {sqlite_pages::kLarge - 1, sqlite_pages::kLarge, sqlite_pages::kLarge + 1}) {
    const std::string plain(size, 'p');
    std::string escaped = "\\u00e9\\n";
    while (escaped.size() < size) escaped += "e";
    escaped += "\\ud83d\\ude00\\\"";
    std::string unescaped = "\xc3\xa9\n" + std::string(size - 8, 'e') + "\xf0\x9f\x98\x80\"";
    const std::string json = "[\"" + std::string(size - 4, 'j') + "\"]";
    for (const Nested how : {Nested::json, Nested::tables}) {
      RowRig rig(nested(how));
      const RowBatch& batch =
          rig.make("{\"p\":\"" + plain + "\",\"e\":\"" + escaped + "\",\"j\":" + json +
                   ",\"f\":\"" + escaped + "\",\"z\":1}\n{\"z\":2}\n");
      EXPECT_EQ(rig.rejects(), "");
      const bool is_table = how == Nested::tables;
      EXPECT_EQ(rig.rows(), "1 '" + plain + "' '" + unescaped + "' " +
                                (is_table ? "" : "'" + json + "' ") + "'" + unescaped +
                                "' 1; 2 - - - " + (is_table ? "" : "- ") + "2");
      if (is_table) {
        EXPECT_TRUE(rig.rows("t_j").ends_with(" 1 0 '" + std::string(size - 4, 'j') + "'"));
      }
      for (const TableRows& rows : batch.tables) {
        if (rows.table != rig.file.table) continue;
        EXPECT_EQ(rows.cells.rows().front().larges, size < sqlite_pages::kLarge ? 0U
                                                    : is_table                  ? 3U
                                                                                : 4U);
      }
    }
  }
}

// The block was already changed when the line turns out to be a reject: the reject must have the
// original text.
TEST(RowMaker, ARejectWithLongStringsKeepsItsOriginalText) {
  std::string escaped(sqlite_pages::kLarge, 'e');
  escaped += "\\n";
  const std::string list = R"({"l":[{"s":")" + escaped + R"("}],"a":1)";
  EXPECT_EQ(verdict(list + ",\"a\":2}", nested(Nested::tables)), kTwoAlike);
  EXPECT_EQ(verdict(list + ",\"b\":01}", nested(Nested::tables)), reason_of(Flaw::bad_number));
  EXPECT_EQ(verdict("{\"s\":\"" + escaped + "\",\"a\":01}"), reason_of(Flaw::bad_number));
}

// Its tokens are indexed in another way.
TEST(RowMaker, ALongLineIsReadLikeAnyOther) {
  const std::string padding = R"({"pad":")" + std::string(1'100'000, 'p') + "\",";
  const std::string rest =
      R"( "o" : { "a" : [ 1, "]}\"" ] } ,"l":[[],{}],"s":"x\n\\","n":-1.5e1 })";
  RowRig rig(nested(Nested::json));
  rig.make(padding + rest + "\n{" + rest + "\n");
  EXPECT_EQ(rig.rejects(), "");
  std::vector<CellValue> values[2];
  for (std::size_t i : {0U, 1U}) {
    const sqlite_pages::CellBatch& cells = rig.batches[0].tables[0].cells;
    cells.values(cells.rows().at(i), values[i]);
    ASSERT_EQ(values[i].size(), 5U);
  }
  for (std::size_t i = 1; i < 5; ++i) EXPECT_EQ(shown(values[0][i], {}), shown(values[1][i], {}));
  for (const std::string bad :
       {"\"a\":1,\"a\":2}", "\"a\":[1}", "\"a\":1} x", "\"a\":\"\\ud800\"}", "\"a\":[01]}",
        "\"a\":\"\xff\"}", "\"a\":1", "\"a\"}", "\"\\u0070ad\":1}", "\"a\":\"\x01\"}"}) {
    std::string line = padding + bad;
    RowRig one(nested(Nested::json));
    const RowBatch& batch = one.make(line + "\n");
    EXPECT_EQ(batch.counts.rejected, 1U) << bad;
    if (!bad.contains("u0070")) {  // the padding field, spelled differently
      EXPECT_EQ(one.rejects(), "1@0 " + verdict("{" + bad)) << bad;
    }
  }
}

}  // namespace
}  // namespace tidemill::import
