// Lines into rows: the rules one by one, and random records against a model that knows what it
// wrote. Rows are shown as "rowid value value", texts in quotes, NULL as "-".
#include "tidemill/jobs/import/row_maker.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <deque>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>
#include <nlohmann/json.hpp>

#include "tidemill/jobs/import/languages.h"
#include "tidemill/jobs/import/names.h"
#include "tidemill/jsonl/grammar.h"
#include "tidemill/jsonl/number.h"
#include "tidemill/text/utf8.h"

namespace tidemill::import {
namespace {

using jsonl::Flaw;
using pages::Type;
using pages::Value;

std::string reason_of(Flaw flaw) { return std::string(name_of(flaw)); }
const std::string kTwice = "the same field twice";
const std::string kNoObject = "not an object";

jsonl::Block block_of(std::string_view text, std::uint64_t first_line, std::uint64_t offset) {
  jsonl::Block block;
  EXPECT_TRUE(block.buffer.reserve(text.size()));
  std::memcpy(block.buffer.data(), text.data(), text.size());
  block.size = text.size();
  block.first_line = first_line;
  block.offset = offset;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\n') block.ends.push_back(static_cast<std::uint32_t>(i));
  }
  block.is_cut = !text.empty() && text.back() != '\n';
  if (block.is_cut) block.ends.push_back(static_cast<std::uint32_t>(text.size()));
  return block;
}

// Whether it was made text by a worker or will be by the database is no difference.
std::string shown(const Value& value, ColumnType type) {
  std::string text;
  if (value.type == Type::integer) jsonl::append_text(value.integer, text);
  if (value.type == Type::real) jsonl::append_text(value.real, text);
  if (value.type == Type::text || value.type == Type::blob) text = value.bytes;
  if (value.type == Type::null) return "-";
  if (value.type == Type::absent) return "absent";
  const bool is_text = value.type == Type::text || type == ColumnType::text;
  return (value.type == Type::blob ? "x" : "") + (is_text ? "'" + text + "'" : text);
}

// One import of one file, block by block.
struct Rig {
  explicit Rig(Options chosen = {}, RowRules given = {}, bool can_restart = true)
      : options(std::move(chosen)), rules(given), maker(options, rules, tables, turn) {
    file = {.path = "t", .name = "/in/t", .table = &tables.add("t"), .can_restart = can_restart};
  }

  Batch& next(std::string_view text) {
    Batch& batch = batches.emplace_back();
    batch.order = batches.size() - 1;
    batch.block = block_of(text, line, offset);
    line += batch.block.lines();
    offset += text.size();
    return batch;
  }

  Batch& make(std::string_view text) {
    Batch& batch = next(text);
    EXPECT_TRUE(maker.make(file, batch));
    EXPECT_EQ(batch.counts.lines, batch.block.lines());
    EXPECT_EQ(batch.counts.lines, batch.counts.rows + batch.counts.blank + batch.counts.rejected);
    turn.done(batch.order);
    return batch;
  }

  [[nodiscard]] const Table& table(std::string_view name = "t") {
    for (const Table* known : tables.all()) {
      if (known->name() == name) return *known;
    }
    ADD_FAILURE() << "no table " << name;
    return *file.table;
  }

  std::string columns(std::string_view name = "t") {
    std::string all;
    for (const Column& column : table(name).state().columns) {
      all += (all.empty() ? "" : ", ") + column.name;
      if (column.type() != ColumnType::none) all += " " + std::string(name_of(column.type()));
    }
    return all;
  }

  std::string rows(std::string_view name = "t") {
    std::string all;
    const Table::State state = table(name).state();
    for (const Batch& batch : batches) {
      for (const TableRows& made : batch.tables) {
        if (made.table->name() == name) show(made.cells, state, all);
      }
    }
    return all;
  }

  // "line@offset reason [text]"
  std::string rejects() {
    std::string all;
    std::vector<Value> v;
    for (const Batch& batch : batches) {
      for (const pages::Row& row : batch.rejects.cells.rows()) {
        batch.rejects.cells.values(row, v);
        all += (all.empty() ? "" : "; ") + shown(v[1], {}) + "@" + shown(v[2], {}) + " " +
               std::string(v[3].bytes);
      }
    }
    return all;
  }

  static void show(const pages::Cells& cells, const Table::State& state, std::string& all) {
    std::vector<Value> values;
    for (const pages::Row& row : cells.rows()) {
      cells.values(row, values);
      all += (all.empty() ? "" : "; ") + std::to_string(row.rowid);
      for (std::size_t i = 0; i < values.size() && i < state.columns.size(); ++i) {
        all += " " + shown(values[i], state.columns[i].type());
      }
    }
  }

  // All there is to know, for comparing two imports.
  std::string dump() {
    std::string all;
    for (const Table* known : tables.all()) {
      all += known->name() + " (" + columns(known->name()) + "): " + rows(known->name()) + "\n";
    }
    return all + rejects();
  }

  Options options;
  RowRules rules;
  Tables tables{};
  Turn turn{};
  SourceFile file{};
  RowMaker maker;
  std::deque<Batch> batches{};
  std::uint64_t line = 1;
  std::uint64_t offset = 0;
};

Options nested(Nested how) { return {.nested = how, .has_key = false}; }

// The reason for which a line alone is a reject; empty: it is a row.
std::string verdict(std::string_view line, const Options& options = {}) {
  Rig rig(options);
  const Batch& batch = rig.make(std::string(line) + "\n");
  if (batch.counts.rejected == 0) return "";
  EXPECT_TRUE(rig.table().state().columns.empty()) << line;
  EXPECT_EQ(rig.tables.all().size(), 1U) << line;
  std::vector<Value> values;
  batch.rejects.cells.values(batch.rejects.cells.rows().front(), values);
  EXPECT_EQ(values[0].bytes, "/in/t");
  EXPECT_EQ(values[4].bytes, line);
  EXPECT_EQ(values[4].type, text::is_utf8(line) ? Type::text : Type::blob) << line;
  return std::string(values[3].bytes);
}

std::string levels(std::size_t count, std::string_view open, std::string_view close) {
  std::string json;
  for (std::size_t i = 0; i < count; ++i) json += open;
  json += "1";
  for (std::size_t i = 0; i < count; ++i) json += close;
  return json;
}

TEST(RowMaker, ALineIsARejectForOneOfTheseReasons) {
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
      {"{\"a\":1,\"a\":2}", kTwice},
      {"{\"a\":1,\"b\":3,\"\\u0061\":2}", kTwice},
      {"{\"\\u0061\":1,\"a\":1}", kTwice},
      {"{\"\":null,\"\":null}", kTwice},
      {"{\"a\":01}", reason_of(Flaw::bad_number)},
      {"{\"a\":[.5]}", reason_of(Flaw::bad_number)},
      {"{\"a\":NaN}", reason_of(Flaw::bad_number)},
      {"{\"a\":\"\\x\"}", reason_of(Flaw::bad_escape)},
      {"{\"\\x\":1}", reason_of(Flaw::bad_escape)},
      {"{\"a\":[\"\\u12\"]}", reason_of(Flaw::bad_escape)},
      {"{\"a\":\"\\ud83d\"}", reason_of(Flaw::lone_surrogate)},
      {"{\"\\ude00\":1}", reason_of(Flaw::lone_surrogate)},
      {"{\"a\":{\"b\":[\"\\ud83d\"]}}", reason_of(Flaw::lone_surrogate)},
      {"{\"a\":\"\x01\"}", "a control character inside a string"},
      {std::string("{\"a\":\"\0\"}", 9), "a control character inside a string"},
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
  EXPECT_EQ(verdict(R"({"a":{"b":1,"b":2}})"), "");  // as it stands, like any JSON inside
  EXPECT_EQ(verdict(R"({"a":{"b":1,"\u0062":2}})", nested(Nested::flatten)), kTwice);
  EXPECT_EQ(verdict(R"({"l":[{"b":1},{"b":1,"b":2}]})", nested(Nested::tables)), kTwice);
}

TEST(RowMaker, LinesAreCountedAndKnowTheirPlace) {
  Rig rig(nested(Nested::json));
  rig.batches.clear();
  const Batch& batch = rig.make("{\"a\":1}\r\n\n \t\r\nx\n\r\n{}\n{\"a\":2}  \n[]\n");
  EXPECT_EQ(batch.counts, (LineCounts{.lines = 8, .rows = 3, .blank = 3, .rejected = 2}));
  rig.make("{\"a\":3}\nx\n{\"a\":4}");
  EXPECT_EQ(rig.rows(), "1 1; 6 -; 7 2; 9 3; 11 4");
  EXPECT_EQ(rig.rejects(), "4@14 " + reason_of(Flaw::malformed) + "; 8@31 not an object; 10@42 " +
                               reason_of(Flaw::malformed));
}

TEST(RowMaker, ACutLineIsOneOnlyIfItIsBroken) {
  const std::string cut = "cut off: the file ends inside this line";
  for (const auto& [line, reason] : std::vector<std::pair<std::string, std::string>>{
           {"{\"a\":1}", ""},
           {"{\"a\":", "1@0 " + cut},
           {"{\"a\":\"\xc3", "1@0 " + cut},
           {"{\"a\":\"\\ud83d", "1@0 " + cut},
           {"{\"a\":tr", "1@0 " + cut},
           {"{\"a\":1,\"a\":2}", "1@0 " + kTwice},
           {"[]", "1@0 " + kNoObject},
           {"{\"a\":\n{\"b\":", "1@0 " + reason_of(Flaw::bad_number) + "; 2@6 " + cut}}) {
    Rig rig;
    rig.make(line);
    if (line.find('\n') == std::string::npos) {
      EXPECT_EQ(rig.rejects(), reason) << line;
    } else {
      EXPECT_TRUE(rig.rejects().ends_with("2@6 " + cut)) << rig.rejects();
      EXPECT_FALSE(rig.rejects().starts_with("1@0 " + cut));
    }
  }
}

TEST(RowMaker, ALineThatIsTooLongIsARejectWithItsFront) {
  Rig rig;
  Batch& batch = rig.next("{\"a\":\"the fro");
  batch.block.too_long = 5'000'000'000;
  ASSERT_TRUE(rig.maker.make(rig.file, batch));
  EXPECT_EQ(batch.counts, (LineCounts{.lines = 1, .rejected = 1}));
  EXPECT_EQ(rig.rejects(), "1@0 longer than --max-line");
}

TEST(RowMaker, ARejectKeepsAMebibyteAndNeverHalfACharacter) {
  constexpr std::size_t kKept = std::size_t{1024} * 1024;
  for (const std::size_t before : {0U, 1U, 2U, 3U}) {
    std::string line = "[" + std::string(before, 'x');
    while (line.size() < kKept + 9) line += "\xf0\x9f\x98\x80";
    Rig rig;
    const Batch& batch = rig.make(line + "\n");
    std::vector<Value> values;
    batch.rejects.cells.values(batch.rejects.cells.rows().at(0), values);
    EXPECT_EQ(values[4].type, Type::text);
    EXPECT_LE(values[4].bytes.size(), kKept);
    EXPECT_GT(values[4].bytes.size(), kKept - 4);
    EXPECT_TRUE(line.starts_with(values[4].bytes));
  }
}

TEST(RowMaker, ValuesAreKeptToTheLastDigit) {
  Rig rig;
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
            "i INTEGER, j INTEGER, t INTEGER, f INTEGER, n, r REAL, s TEXT, o TEXT, big TEXT, "
            "exact TEXT, huge TEXT, z INTEGER, zr REAL, whole REAL, e TEXT, l TEXT, m TEXT");
  const std::string text("'a\n\"\\/\xc3\xa9\xf0\x9f\x98\x80\0b'", 15);
  EXPECT_EQ(rig.rows(),
            "1 -9223372036854775808 9223372036854775807 1 0; "
            "2 - - - - - 0.1 " +
                text +
                " '{ \"k\" : [ 1,  2 ] }'; "
                "3 - - - - - - - - '9223372036854775808' '0.1234567890123456789' '1e400'; "
                "4 - - - - - - - - - - - 0 0.0 1.0 '' '[]' '{}'");
}

TEST(RowMaker, LargeValuesLieInTheBlockAndAreUnescapedThere) {
  for (const std::size_t size : {pages::kLarge - 1, pages::kLarge, pages::kLarge + 1}) {
    const std::string plain(size, 'p');
    std::string escaped = "\\u00e9\\n";
    while (escaped.size() < size) escaped += "e";
    escaped += "\\ud83d\\ude00\\\"";
    std::string unescaped = "\xc3\xa9\n" + std::string(size - 8, 'e') + "\xf0\x9f\x98\x80\"";
    const std::string json = "[\"" + std::string(size - 4, 'j') + "\"]";
    for (const Nested how : {Nested::json, Nested::tables}) {
      Rig rig(nested(how));
      const Batch& batch =
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
        EXPECT_EQ(rows.cells.rows().front().larges, size < pages::kLarge ? 0U : is_table ? 3U : 4U);
      }
    }
  }
}

// What lies in the block was changed already when the line turns out to be none: it must not show.
TEST(RowMaker, ARejectIsShownAsItWasThoughItsStringsAreLong) {
  std::string escaped(pages::kLarge, 'e');
  escaped += "\\n";
  const std::string list = R"({"l":[{"s":")" + escaped + R"("}],"a":1)";
  EXPECT_EQ(verdict(list + ",\"a\":2}", nested(Nested::tables)), kTwice);
  EXPECT_EQ(verdict(list + ",\"b\":01}", nested(Nested::tables)), reason_of(Flaw::bad_number));
  EXPECT_EQ(verdict("{\"s\":\"" + escaped + "\",\"a\":01}"), reason_of(Flaw::bad_number));
}

// Its tokens are marked in another way.
TEST(RowMaker, ALongLineIsReadLikeAnyOther) {
  const std::string padding = R"({"pad":")" + std::string(1'100'000, 'p') + "\",";
  const std::string rest =
      R"( "o" : { "a" : [ 1, "]}\"" ] } ,"l":[[],{}],"s":"x\n\\","n":-1.5e1 })";
  Rig rig(nested(Nested::json));
  rig.make(padding + rest + "\n{" + rest + "\n");
  EXPECT_EQ(rig.rejects(), "");
  std::vector<Value> values[2];
  for (std::size_t i : {0U, 1U}) {
    const pages::Cells& cells = rig.batches[0].tables[0].cells;
    cells.values(cells.rows().at(i), values[i]);
    ASSERT_EQ(values[i].size(), 5U);
  }
  for (std::size_t i = 1; i < 5; ++i) EXPECT_EQ(shown(values[0][i], {}), shown(values[1][i], {}));
  for (const std::string bad :
       {"\"a\":1,\"a\":2}", "\"a\":[1}", "\"a\":1} x", "\"a\":\"\\ud800\"}", "\"a\":[01]}",
        "\"a\":\"\xff\"}", "\"a\":1", "\"a\"}", "\"\\u0070ad\":1}", "\"a\":\"\x01\"}"}) {
    std::string line = padding + bad;
    Rig one(nested(Nested::json));
    const Batch& batch = one.make(line + "\n");
    EXPECT_EQ(batch.counts.rejected, 1U) << bad;
    if (!bad.contains("u0070")) {  // the field that pads, spelled otherwise
      EXPECT_EQ(one.rejects(), "1@0 " + verdict("{" + bad)) << bad;
    }
  }
}

TEST(RowMaker, ColumnsComeInTheOrderOfTheFieldsAndAreAddedLate) {
  Rig rig;
  rig.make("{\"b\":1,\"a\":2}\n{\"a\":3,\"c\":4,\"b\":5}\n");
  rig.make("{\"c\":6,\"d\":7,\"a\":8}\n{\"\\u0062\":9}\n");
  EXPECT_EQ(rig.columns(), "b INTEGER, a INTEGER, c INTEGER, d INTEGER");
  EXPECT_EQ(rig.rows(), "1 1 2; 2 5 3 4; 3 - 8 6 7; 4 9");
}

TEST(RowMaker, NamesThatSqliteCannotTellApartOrKeepAreWrittenOtherwise) {
  Rig rig(nested(Nested::flatten));
  rig.make(R"({"Name":1,"name":2,"NAME":3,"name_2":4,"":5,"_empty":6,"a\u0000b":7,"a\\0b":8})"
           "\n"
           R"({"\u00c4":1,"\u00e4":2,"position":{"x":3},"position.x":4,"position_x":5})"
           "\n"
           R"({"a.b":{"c":1},"a":{"b.c":2,"b":{"c":3}},"a\\.b":{"c":4}})"
           "\n");
  EXPECT_EQ(rig.rejects(), "");
  const std::string columns = rig.columns();
  EXPECT_EQ(columns,
            "Name INTEGER, name_2 INTEGER, NAME_3 INTEGER, name_2_2 INTEGER, _empty INTEGER, "
            "_empty_2 INTEGER, a\\0b INTEGER, a\\0b_2 INTEGER, \xc3\x84 INTEGER, \xc3\xa4 INTEGER, "
            "position_x INTEGER, position.x INTEGER, position_x_2 INTEGER, a.b_c INTEGER, "
            "a_b.c INTEGER, a_b_c INTEGER, a\\.b_c INTEGER");
  EXPECT_EQ(rig.rows(),
            "1 1 2 3 4 5 6 7 8; 2 - - - - - - - - 1 2 3 4 5; "
            "3 - - - - - - - - - - - - - 1 2 3 4");
}

// Blocks are handed out in order; each worker has its own memory of keys.
std::string made_by(std::size_t workers, std::size_t lines_a_block, const Options& options,
                    const std::vector<std::string>& lines) {
  Rig rig(options);
  std::string text;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    text += lines[i] + "\n";
    if ((i + 1) % lines_a_block != 0 && i + 1 < lines.size()) continue;
    rig.next(text);
    text.clear();
  }
  std::atomic<std::size_t> next = 0;
  {
    std::vector<std::jthread> threads;
    for (std::size_t worker = 0; worker < workers; ++worker) {
      threads.emplace_back([&] {
        RowMaker maker(rig.options, rig.rules, rig.tables, rig.turn);
        for (std::size_t i = next++; i < rig.batches.size(); i = next++) {
          EXPECT_TRUE(maker.make(rig.file, rig.batches[i]));
          rig.turn.done(rig.batches[i].order);
        }
      });
    }
  }
  return rig.dump();
}

TEST(RowMaker, FieldsBeyondTwoThousandColumnsAreOneObject) {
  Rig rig;
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
  EXPECT_EQ(rig.rejects(), "5@" + std::to_string(rig.offset - 29) + " " + kTwice);
  const Table::State state = rig.table().state();
  ASSERT_EQ(state.columns.size(), 2'000U);
  EXPECT_EQ(state.columns[1'998].name, "last");
  EXPECT_EQ(state.columns[1'999].name, "_more");
  std::vector<std::string> more;
  std::vector<Value> values;
  for (const pages::Row& row : rig.batches[0].tables[0].cells.rows()) {
    rig.batches[0].tables[0].cells.values(row, values);
    more.emplace_back(values.size() == 2'000 ? values[1'999].bytes : "-");
  }
  EXPECT_EQ(more, (std::vector<std::string>{R"({"beyond":"\u0061","a.b":[ 1 ]})", R"({"beyond":2})",
                                            R"({"new":null,"a.b":1.50,"b\\c":true})", "-"}));
}

TEST(RowMaker, ARecordMayCallAFieldMore) {
  Rig rig;
  std::string line = R"({"_more":1)";
  for (int i = 0; i < 2'010; ++i) line += ",\"f" + std::to_string(i) + "\":0";
  rig.make(line + "}\n");
  const auto columns = rig.table().state().columns;
  ASSERT_EQ(columns.size(), 2'000U);
  EXPECT_EQ(columns.front().name, "_more");
  EXPECT_EQ(columns.back().name, "_more_2");
  EXPECT_TRUE(columns.back().is_ours);
}

// A worker does not remember every key: that must not be seen in what comes out.
TEST(RowMaker, AnyNumberOfKeysGivesTheSameWithAnyNumberOfWorkers) {
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
    Options options = nested(how);
    options.languages = languages;
    const std::string alone = made_by(1, lines.size(), options, lines);
    const std::string many = made_by(4, 7, options, lines);
    const auto differ = std::ranges::mismatch(alone, many).in1 - alone.begin();
    EXPECT_TRUE(alone == many) << alone.substr(static_cast<std::size_t>(std::max(differ, 90L)) - 90,
                                               180);
  }
}

TEST(RowMaker, AColumnMayBeToldItsType) {
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
    Options options{.types = {{"v", one.type}}};
    // The second time the column is there.
    Rig rig(options);
    rig.make("{\"v\":" + one.value + "}\n{\"v\":null}\n{\"v\":" + one.value + "}\n");
    EXPECT_EQ(rig.rows(), one.row.empty() ? "2 -" : "1 " + one.row + "; 2 -; 3 " + one.row)
        << one.value;
    EXPECT_EQ(rig.columns(), "v " + std::string(name_of(one.type)));
    const std::string why = verdict("{\"v\":" + one.value + "}", options);
    EXPECT_EQ(why.empty(), !one.row.empty()) << one.value;
  }
  Rig rig({.nested = Nested::flatten, .types = {{"p_x", text}, {"a.b", real}}});
  rig.make(R"({"p":{"x":1},"a.b":2})"
           "\n");
  EXPECT_EQ(rig.rows(), "1 '1' 2.0");
}

TEST(RowMaker, ATableKnowsWhatWasSeenWhereFirst) {
  Rig rig(nested(Nested::json));
  rig.make("{\"a\":1,\"b\":null}\n{\"a\":null,\"c\":true}\nx\n{\"a\":1.5}\n");
  rig.make("{\"a\":\"s\",\"c\":9007199254740993}\n{\"a\":[],\"a\":{}}\n{\"c\":1e400,\"a\":2}\n");
  const auto columns = rig.table().state().columns;
  EXPECT_EQ(columns[0].seen, kSeenInteger | kSeenNull | kSeenReal | kSeenString);
  EXPECT_EQ(columns[0].first_line, (std::array<std::uint64_t, kSeenBits>{2, 0, 1, 0, 4, 0, 5, 0}));
  EXPECT_EQ(columns[1].seen, kSeenNull);
  EXPECT_EQ(columns[2].seen, kSeenBool | kSeenInteger | kSeenWide | kSeenExact);
  EXPECT_EQ(columns[2].first_line, (std::array<std::uint64_t, kSeenBits>{0, 2, 5, 5, 0, 7, 0, 0}));
  EXPECT_TRUE(columns[0].has_numbers);
  EXPECT_FALSE(columns[1].has_numbers);
  Rig texts;
  texts.make("{\"a\":\"x\"}\n");
  texts.make("{\"a\":5}\n");
  EXPECT_FALSE(texts.table().state().columns[0].has_numbers);
  EXPECT_EQ(texts.rows(), "1 'x'; 2 '5'");
}

TEST(RowMaker, ARefusedLineLeavesNothingBehind) {
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
      Options options = nested(how);
      options.types = {{"t", ColumnType::integer}};
      options.languages = {"en"};
      Rig rig(options);
      const Batch& batch = rig.make(line + "\n{\"z\":1}\n");
      if (batch.counts.rejected == 0) continue;  // a list is text unless it is a table
      EXPECT_EQ(rig.columns(), "z INTEGER") << line;
      EXPECT_EQ(rig.tables.all().size(), 1U) << line;
      EXPECT_EQ(batch.counts.child_rows, 0U) << line;
      EXPECT_EQ(rig.rows(), "2 1") << line;
      EXPECT_EQ(batch.languages_left_out, 0U) << line;
    }
  }
}

TEST(RowMaker, ObjectsBecomeColumnsAndListsStayText) {
  Rig rig(nested(Nested::flatten));
  rig.make(R"({"p":{"x":1,"y":{"z":2}},"l":[ 1,{"a":2} ],"e":{},"f":{"g":{}}})"
           "\n"
           R"({"p":5,"e":{"h":1}})"
           "\n"
           R"({"p":null,"p2":{"x":[]}})"
           "\n");
  EXPECT_EQ(
      rig.columns(),
      "p_x INTEGER, p_y_z INTEGER, l TEXT, e TEXT, f_g TEXT, p INTEGER, e_h INTEGER, p2_x TEXT");
  EXPECT_EQ(rig.rows(), "1 1 2 '[ 1,{\"a\":2} ]' '{}' '{}'; 2 - - - - - 5 1; 3 - - - - - - - '[]'");
  Rig deep(nested(Nested::flatten));
  deep.make("{\"r\":" + levels(40, "{\"a\":", "}") + "}\n");
  std::string name = "r";
  for (int i = 0; i < 32; ++i) name += "_a";
  EXPECT_EQ(deep.columns(), name + " TEXT");
  EXPECT_EQ(deep.rows(), "1 '" + levels(8, "{\"a\":", "}") + "'");
}

TEST(RowMaker, ListsBecomeTablesThatKnowTheirRecord) {
  Rig rig({.nested = Nested::tables});
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
  const auto parents = [](const std::string& line, Options options) {
    options.nested = Nested::tables;
    Rig rig(options);
    rig.make("\n" + line + "\n");
    EXPECT_EQ(rig.rejects(), "") << line;
    std::vector<Value> values;
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
  std::string long_key(pages::kLarge, 'k');
  EXPECT_EQ(parents(R"({"l":[1],"_key":"\n)" + long_key + "\"}", {}), "'\n" + long_key + "'");
  Rig rig({.nested = Nested::tables});
  rig.make("{\"_key\":9007199254740993,\"l\":[1]}\n");
  EXPECT_EQ(rig.table("t_l").state().columns[0].seen, kSeenInteger | kSeenWide);
}

TEST(RowMaker, TablesOfListsHaveNamesThatSqliteKeeps) {
  Rig rig(nested(Nested::tables));
  rig.make(R"({"":[1],"a\u0000b":[1],"L":[{"parent":5,"position":6}],"l":[2]})"
           "\n");
  std::string names;
  for (const Table* table : rig.tables.all()) names += table->name() + " ";
  EXPECT_EQ(names, "t t__empty t_a\\0b t_L t_l_2 ");
  EXPECT_EQ(rig.columns("t_L"),
            "parent INTEGER, position INTEGER, parent_2 INTEGER, position_2 INTEGER");
}

TEST(RowMaker, ListsAreTextWhenThereAreTablesEnough) {
  std::vector<std::string> lines;
  for (std::size_t i = 0; i < Tables::kMostChildren + 20; ++i) {
    lines.push_back("{\"l" + std::to_string(i) + "\":[1]}");
    lines.push_back("{\"l" + std::to_string(i) + "\":[2]}");
  }
  Rig rig(nested(Nested::tables));
  for (const std::string& line : lines) rig.make(line + "\n");
  EXPECT_EQ(rig.tables.all().size(), 1 + Tables::kMostChildren);
  EXPECT_EQ(rig.table().state().columns.size(), 20U);
  EXPECT_TRUE(made_by(3, 100, nested(Nested::tables), lines) == rig.dump());
}

TEST(RowMaker, OfTextsInSeveralLanguagesTheWantedOnesAreColumns) {
  for (const Nested how : {Nested::json, Nested::flatten, Nested::tables}) {
    Options options = nested(how);
    options.languages = {"en", "de-ch"};
    Rig rig(options);
    const Batch& batch =
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
  Rig rig({.languages = {"en"}});
  rig.make(R"({"n":{},"m":{"En":1},"o":{"en-":1},"p":["en"]})"
           "\n");
  EXPECT_EQ(rig.rows(), R"(1 '{}' '{"En":1}' '{"en-":1}' '["en"]')");
}

TEST(RowMaker, AnAscendingKeyIsTheRowid) {
  Rig rig;
  const Batch& first = rig.make("{\"_key\":-5,\"a\":1}\n\n{\"a\":2,\"_key\":3}\n");
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

TEST(RowMaker, ABrokenKeyIsToldAndTheColumnsStillComeInTheirOrder) {
  for (const std::string_view bad : {"3", "2", "null", "\"5\"", "4.0", "[]", "1e400"}) {
    Rig rig;
    const Batch& batch = rig.make("{\"_key\":3,\"a\":1}\n{\"b\":1,\"_key\":" + std::string(bad) +
                                  ",\"c\":1}\n{\"d\":1,\"_key\":9}\n");
    EXPECT_TRUE(batch.is_key_broken) << bad;
    EXPECT_EQ(batch.counts.rows, 3U);
    EXPECT_TRUE(rig.columns().ends_with("a INTEGER, b INTEGER, c INTEGER, d INTEGER")) << bad;
  }
  Rig rig;
  EXPECT_TRUE(rig.make("{\"_key\":3}\n{}\n").is_key_broken);
}

TEST(RowMaker, RowsAreKnownByTheirLinesWhereNoKeyCanBe) {
  struct Case {
    Options options;
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
    Rig rig(one.options, one.rules, one.can_restart);
    Batch& batch = rig.next("\n" + one.line + "\n");
    batch.base = 1'000;
    ASSERT_TRUE(rig.maker.make(rig.file, batch));
    const Table::State state = rig.table().state();
    EXPECT_EQ(state.rowid, one.rowid) << one.line;
    EXPECT_EQ(state.key, one.key) << one.line;
    const std::int64_t rowid = batch.tables[0].cells.rows().at(0).rowid;
    EXPECT_EQ(rowid, one.rowid == RowidFrom::place  ? 1'002
                     : one.rowid == RowidFrom::line ? 2
                     : one.options.key.empty()      ? 5
                                                    : 6);
  }
}

TEST(RowMaker, AnUpsertTellsAbsentFromNull) {
  Rig rig({}, {.keeps_absent = true});
  rig.make("{\"a\":1,\"b\":null,\"c\":2}\n{\"c\":null}\n{\"b\":1}\n");
  EXPECT_EQ(rig.rows(), "1 1 - 2; 2 absent absent -; 3 absent 1");
}

TEST(RowMaker, ACancelledTurnEndsIt) {
  Rig rig;
  Batch& batch = rig.next("{\"a\":1}\n");
  batch.order = 5;  // those before it never come
  std::atomic<bool> is_made = true;
  std::jthread worker([&] { is_made = rig.maker.make(rig.file, batch); });
  rig.turn.cancel();
  worker.join();
  EXPECT_FALSE(is_made);
}

// Random records. The author remembers what it wrote, so nothing has to be parsed again.
struct Thing {
  enum class Kind : std::uint8_t { scalar, object, list } kind = Kind::scalar;
  std::string source{};  // as it stands in the line
  std::string shown{};   // of a scalar, in a column of any type but TEXT
  bool is_text = false;  // and whether it is one already
  std::vector<std::pair<std::string, Thing>> members{};
  std::vector<Thing> elements{};
};

class Author {
 public:
  explicit Author(const std::vector<std::uint8_t>& dice) : dice_(dice) {}

  [[nodiscard]] bool has_more() const { return at_ < dice_.size(); }
  unsigned roll(unsigned sides) { return has_more() ? dice_[at_++] % sides : 0; }
  std::string blank() {
    std::string blanks;
    while (roll(5) == 4) blanks += " \t\r"[roll(3)];
    return blanks;
  }

  Thing object(int depth = 0) {
    static const std::vector<std::string> kKeys{"a",
                                                "b",
                                                "A",
                                                "",
                                                "value",
                                                "parent",
                                                "position",
                                                "a.b",
                                                "x\\y",
                                                std::string("\0", 1),
                                                "\xc3\xa9",
                                                "\xf0\x9f\x98\x80",
                                                "\"",
                                                "_more",
                                                "a key that is longer than one vector is"};
    Thing thing{.kind = Thing::Kind::object};
    std::set<std::string> taken;
    std::string& s = thing.source;
    s = "{" + blank();
    for (unsigned many = roll(6); many > 0; --many) {
      const std::string& key = kKeys[roll(static_cast<unsigned>(kKeys.size()))];
      if (!taken.insert(key).second) continue;
      if (!thing.members.empty()) s += "," + blank();
      s += quoted_name(key) + blank() + ":" + blank();
      thing.members.emplace_back(key, value(depth + 1));
      s += thing.members.back().second.source + blank();
    }
    s += "}";
    return thing;
  }

 private:
  Thing list(int depth) {
    Thing thing{.kind = Thing::Kind::list};
    thing.source = "[" + blank();
    for (unsigned many = roll(4); many > 0; --many) {
      if (!thing.elements.empty()) thing.source += "," + blank();
      thing.elements.push_back(value(depth + 1));
      thing.source += thing.elements.back().source + blank();
    }
    thing.source += "]";
    return thing;
  }

  Thing value(int depth) {
    const unsigned kind = roll(depth < 5 ? 9 : 6);
    if (kind >= 7) return object(depth);
    if (kind == 6) return list(depth);
    if (kind >= 4) {
      std::string text;
      for (unsigned parts = roll(6); parts > 0; --parts) {
        static const std::vector<std::string> kParts{"a",
                                                     "\n",
                                                     "\"",
                                                     "\\",
                                                     "/",
                                                     "\xc3\xa9",
                                                     "\xe2\x82\xac",
                                                     "\xf0\x9f\x98\x80",
                                                     "\x7f",
                                                     std::string("\0", 1),
                                                     "\x1f",
                                                     "forty bytes of text, which is quite some",
                                                     "5"};
        text += kParts[roll(static_cast<unsigned>(kParts.size()))];
      }
      return {.source = quoted_name(text), .shown = "'" + text + "'", .is_text = true};
    }
    return scalar();
  }

  Thing scalar() {
    struct Known {
      const char* source;
      const char* shown;
    };
    static constexpr Known kScalars[] = {
        {"null", "-"},
        {"true", "1"},
        {"false", "0"},
        {"0", "0"},
        {"-0", "0"},
        {"0.5", "0.5"},
        {"1E2", "100.0"},
        {"1e300", "1e+300"},
        {"-12.50", "-12.5"},
        {"5e-324", "5e-324"},
        {"9223372036854775807", "9223372036854775807"},
        {"100000.0", "100000.0"},
        {"9223372036854775808", "'9223372036854775808'"},
        {"1e999", "'1e999'"},
        {"0.1000000000000000000001", "'0.1000000000000000000001'"}};
    if (roll(2) == 0) {
      const std::string text = std::to_string(static_cast<int>(roll(200)) - 100);
      return {.source = text, .shown = text};
    }
    const Known& known = kScalars[roll(std::size(kScalars))];
    return {.source = known.source, .shown = known.shown, .is_text = known.shown[0] == '\''};
  }

  // Each character as it is, or by one of its escapes.
  std::string quoted_name(std::string_view text) {
    std::string json = "\"";
    while (!text.empty()) {
      const text::Character c = text::front_character(text);
      static const std::map<char32_t, std::string> kShort{
          {'\n', "\\n"}, {'"', "\\\""}, {'\\', "\\\\"}, {'/', "\\/"}};
      const bool is_special = c.code < 0x20 || c.code == '"' || c.code == '\\';
      const unsigned way = roll(4);
      if (way == 3 && kShort.contains(c.code)) {
        json += kShort.at(c.code);
      } else if (way == 2 || is_special) {
        json += units(c.code);
      } else {
        json += text.substr(0, c.length);
      }
      text.remove_prefix(c.length);
    }
    return json + "\"";
  }

  std::string units(char32_t code) {
    const auto unit = [&](unsigned value) {
      const char* digits = roll(2) == 0 ? "0123456789abcdef" : "0123456789ABCDEF";
      std::string hex = "\\u";
      for (const unsigned shift : {12U, 8U, 4U, 0U}) hex += digits[value >> shift & 15U];
      return hex;
    };
    if (code < 0x10000) return unit(code);
    const auto above = static_cast<unsigned>(code) - 0x10000;
    return unit(0xd800 + (above >> 10U)) + unit(0xdc00 + (above & 0x3ffU));
  }

  const std::vector<std::uint8_t>& dice_;
  std::size_t at_ = 0;
};

// What the tables must hold: by table and row, each column's path and its value.
struct Model {
  using Fields = std::vector<std::pair<std::string, std::string>>;
  Nested how;
  std::map<std::string, std::vector<Fields>> rows{};

  static std::string of(const Thing& thing) {
    return thing.kind == Thing::Kind::scalar ? thing.shown : "'" + thing.source + "'";
  }

  void fill(const std::string& table, const std::string& path, const Thing& thing, Fields& row,
            std::size_t line, std::vector<std::size_t> places) {
    for (const auto& [key, value] : thing.members) {
      const std::string whole = path + path_part(key);
      if (value.kind == Thing::Kind::object && how != Nested::json && !value.members.empty()) {
        fill(table, whole + ".", value, row, line, places);
      } else if (value.kind == Thing::Kind::list && how == Nested::tables) {
        for (std::size_t i = 0; i < value.elements.size(); ++i) {
          element(table + "/" + whole, value.elements[i], line, places, i);
        }
      } else {
        row.emplace_back(whole, of(value));
      }
    }
  }

  void element(const std::string& table, const Thing& thing, std::size_t line,
               std::vector<std::size_t> places, std::size_t place) {
    places.push_back(place);
    Fields row{{"=parent", std::to_string(line)}};
    for (std::size_t i = 0; i < places.size(); ++i) {
      row.emplace_back("=position" + (i == 0 ? "" : "_" + std::to_string(i + 1)),
                       std::to_string(places[i]));
    }
    if (thing.kind == Thing::Kind::object) {
      fill(table, "", thing, row, line, places);
    } else {
      row.emplace_back("value", of(thing));
    }
    rows[table].push_back(std::move(row));
  }
};

std::string identity(const Table& table) {
  return table.parent() == nullptr ? table.name() : identity(*table.parent()) + "/" + table.field();
}

// The same of what was made; NULL and absent alike are left out.
std::map<std::string, std::vector<Model::Fields>> read_back(const Rig& rig) {
  std::map<std::string, std::vector<Model::Fields>> all;
  std::vector<Value> values;
  for (const Batch& batch : rig.batches) {
    for (const TableRows& made : batch.tables) {
      const Table::State state = made.table->state();
      for (const pages::Row& row : made.cells.rows()) {
        made.cells.values(row, values);
        Model::Fields& fields = all[identity(*made.table)].emplace_back();
        for (std::size_t i = 0; i < values.size() && i < state.columns.size(); ++i) {
          const Column& column = state.columns[i];
          fields.emplace_back(column.is_ours ? "=" + column.name : column.field,
                              shown(values[i], column.type()));
        }
      }
    }
  }
  return all;
}

void normalise(std::map<std::string, std::vector<Model::Fields>>& all, bool is_model) {
  // A column with one text is TEXT, and so are its numbers.
  std::set<std::pair<std::string, std::string>> texts;
  std::map<std::pair<std::string, std::string>, unsigned> kinds;
  for (auto& [table, rows] : all) {
    for (const auto& row : rows) {
      for (const auto& [path, value] : row) {
        unsigned& kind = kinds[{table, path}];
        if (value.starts_with('\'')) kind |= 4U;
        if (value.find_first_of(".e") != std::string::npos) kind |= 1U;
        if (value == "9223372036854775807") kind |= 2U;  // wide: no double is it
      }
    }
    for (auto& row : rows) {
      for (auto& [path, value] : row) {
        if (is_model && kinds[{table, path}] >= 3 && value != "-" && !value.starts_with('\'')) {
          value = "'" + value + "'";
        }
      }
      std::erase_if(row, [](const auto& field) { return field.second == "-"; });
      std::ranges::sort(row);
    }
  }
  std::erase_if(all, [](const auto& table) { return table.second.empty(); });
}

RC_GTEST_PROP(RowMaker, RecordsComeOutAsTheyWereWritten, ()) {
  const std::vector<std::uint8_t> dice = *rc::gen::scale(
      8, rc::gen::container<std::vector<std::uint8_t>>(rc::gen::arbitrary<std::uint8_t>()));
  const auto how = *rc::gen::element(Nested::json, Nested::flatten, Nested::tables);
  Author author(dice);
  Model model{.how = how};
  Rig rig(nested(how));
  std::string text;
  std::size_t line = 0;
  do {
    const Thing record = author.object();
    text += author.blank() + record.source + author.blank() + "\n";
    Model::Fields row;
    model.fill("t", "", record, row, ++line, {});
    model.rows["t"].push_back(std::move(row));
    if (author.roll(3) != 2) continue;
    rig.make(text);
    text.clear();
  } while (author.has_more());
  if (!text.empty()) rig.make(text);
  RC_LOG() << rig.dump() << '\n';
  RC_ASSERT(rig.rejects().empty());
  auto made = read_back(rig);
  normalise(model.rows, true);
  normalise(made, false);
  RC_ASSERT(made == model.rows);
}

// Says whether another parser takes a line as one object, and whether a field is there twice.
class Judge final : public nlohmann::json_sax<nlohmann::json> {
 public:
  bool null() override { return scalar(); }
  bool boolean(bool) override { return scalar(); }
  bool number_integer(number_integer_t) override { return scalar(); }
  bool number_unsigned(number_unsigned_t) override { return scalar(); }
  bool number_float(number_float_t, const string_t&) override { return scalar(); }
  bool string(string_t&) override { return scalar(); }
  bool binary(binary_t&) override { return scalar(); }
  bool start_object(std::size_t) override {
    is_object = is_object || level_ == 0;
    fields_.resize(std::max(fields_.size(), ++level_));
    fields_[level_ - 1].clear();
    return true;
  }
  bool key(string_t& name) override {
    const bool is_new = fields_[level_ - 1].insert(name).second;
    is_twice = is_twice || (!is_new && level_ == 1);
    return true;
  }
  bool end_object() override { return --level_, true; }
  bool start_array(std::size_t) override {
    return fields_.resize(std::max(fields_.size(), ++level_)), true;
  }
  bool end_array() override { return --level_, true; }
  bool parse_error(std::size_t, const std::string&,
                   const nlohmann::detail::exception& wrong) override {
    is_out_of_range = wrong.id == 406;  // a number that is no double: it goes no further
    return false;
  }

  bool is_object = false;
  bool is_twice = false;
  bool is_out_of_range = false;

 private:
  static bool scalar() { return true; }
  std::size_t level_ = 0;
  std::vector<std::set<std::string>> fields_{};
};

RC_GTEST_PROP(RowMaker, DamagedLinesAreTakenJustIfAnotherParserTakesThem, ()) {
  const std::vector<std::uint8_t> dice = *rc::gen::scale(
      2, rc::gen::container<std::vector<std::uint8_t>>(rc::gen::arbitrary<std::uint8_t>()));
  Author author(dice);
  std::string line = author.object().source;
  static const std::vector<std::string> kParts{
      "{",       "}",       "[",    "]",    ",",    ":",  "\"",   "\\",  " ",        "\r",
      "0",       "1",       "-",    ".",    "e",    "E5", "+",    "t",   "\"a\":1,", ",\"b\":2",
      "\\u0061", "\\ud83d", "\xc3", "\xa9", "\x01", "{}", "null", "true"};
  for (int changes = *rc::gen::inRange(0, 4); changes > 0; --changes) {
    const auto at = *rc::gen::inRange<std::size_t>(0, line.size() + 1);
    line.replace(at, *rc::gen::inRange<std::size_t>(0, 3),
                 *rc::gen::inRange(0, 4) > 0 ? *rc::gen::elementOf(kParts) : "");
  }
  Judge judge;
  const bool is_json = nlohmann::json::sax_parse(line, &judge);
  RC_PRE(!judge.is_out_of_range);
  const bool is_blank = line.find_first_not_of(" \t\r") == std::string::npos;
  const bool is_taken = is_json && judge.is_object && !judge.is_twice && !line.contains('\0');
  Rig rig(nested(Nested::json));
  const Batch& batch = rig.make(line + "\n");
  RC_LOG() << line << "\n" << rig.rejects() << '\n';
  RC_CLASSIFY(is_taken, "taken");
  RC_ASSERT(batch.counts.blank == (is_blank ? 1U : 0U));
  RC_ASSERT(is_blank || batch.counts.rows == (is_taken ? 1U : 0U));
}

}  // namespace
}  // namespace tidemill::import
