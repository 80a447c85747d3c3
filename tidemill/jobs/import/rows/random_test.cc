// Random records compared with a model, and damaged lines compared with another parser.
#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "tidemill/jobs/import/rows/row_rig.h"

namespace tidemill::import {
namespace {

using sqlite_pages::CellValue;

// Random records. The generator remembers what it wrote, so nothing has to be parsed again.
struct Thing {
  enum class Kind : std::uint8_t { scalar, object, list } kind = Kind::scalar;
  std::string source{};  // as in the line
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

  // Each character unescaped, or as one of its escapes.
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

// The expected contents of the tables: by table and row, the path and value of each column.
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

std::string identity(const RowTable& table) {
  return table.parent() == nullptr ? table.name() : identity(*table.parent()) + "/" + table.field();
}

// The same of what was made; NULL and absent alike are left out.
std::map<std::string, std::vector<Model::Fields>> read_back(const RowRig& rig) {
  std::map<std::string, std::vector<Model::Fields>> all;
  std::vector<CellValue> values;
  for (const RowBatch& batch : rig.batches) {
    for (const TableRows& made : batch.tables) {
      const RowTable::State state = made.table->state();
      for (const sqlite_pages::CellRow& row : made.cells.rows()) {
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
        if (value == "9223372036854775807") kind |= 2U;  // wide: a double would round it
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

RC_GTEST_PROP(RowMaker, RowsMatchTheRecordsAsWritten, ()) {
  const std::vector<std::uint8_t> dice = *rc::gen::scale(
      8, rc::gen::container<std::vector<std::uint8_t>>(rc::gen::arbitrary<std::uint8_t>()));
  const auto how = *rc::gen::element(Nested::json, Nested::flatten, Nested::tables);
  Author author(dice);
  Model model{.how = how};
  RowRig rig(nested(how));
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

// Whether another parser accepts a line as one object, and whether it has a duplicate field.
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
    is_out_of_range = wrong.id == 406;  // a number beyond double: the parser stops there
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

RC_GTEST_PROP(RowMaker, AcceptsADamagedLineExactlyWhenAnotherParserDoes, ()) {
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
  RowRig rig(nested(Nested::json));
  const RowBatch& batch = rig.make(line + "\n");
  RC_LOG() << line << "\n" << rig.rejects() << '\n';
  RC_CLASSIFY(is_taken, "taken");
  RC_ASSERT(batch.counts.blank == (is_blank ? 1U : 0U));
  RC_ASSERT(is_blank || batch.counts.rows == (is_taken ? 1U : 0U));
}

}  // namespace
}  // namespace tidemill::import
