// Any bytes as options and lines: every line must be a row, blank or a reject. It must be a row if
// and only if it is one JSON object in UTF-8 without duplicate fields, with the values of the line.
// The reference parser here reads the lines independently, character by character.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tidemill/formats/jsonl/grammar.h"
#include "tidemill/formats/jsonl/number.h"
#include "tidemill/formats/text/utf8.h"
#include "tidemill/jobs/import/rows/maker.h"
#include "tidemill/jobs/import/rows/names.h"

namespace {

using namespace tidemill;          // NOLINT: a program of one file
using namespace tidemill::import;  // NOLINT
using sqlite_pages::CellType;
using sqlite_pages::CellValue;

void require(bool holds) {
  if (!holds) std::abort();
}

void put_code(unsigned code, std::string& out) {
  const auto byte = [&](unsigned bits) { out += static_cast<char>(bits); };
  if (code < 0x80) return byte(code);
  if (code < 0x800) {
    byte(0xc0U | code >> 6U);
  } else {
    if (code < 0x10000) {
      byte(0xe0U | code >> 12U);
    } else {
      byte(0xf0U | code >> 18U);
      byte(0x80U | (code >> 12U & 0x3fU));
    }
    byte(0x80U | (code >> 6U & 0x3fU));
  }
  byte(0x80U | (code & 0x3fU));
}

// For valid JSON.
class Judge {
 public:
  Judge(std::string_view json, Nested how) : json_(json), how_(how) {}

  struct Member {
    std::string key;
    std::string_view value;
  };
  std::vector<Member> members{};  // of the record
  bool is_twice = false;          // a field that would be a column
  bool is_twice_inside = false;   // any field of any object

  void read() { object(0, true, true); }

 private:
  void skip() {
    while (at_ < json_.size() && std::string_view(" \t\r\n").contains(json_[at_])) ++at_;
  }
  [[nodiscard]] char here() const { return json_[at_]; }

  std::string string() {
    std::string text;
    for (++at_; here() != '"';) {
      if (here() != '\\') {
        text += json_[at_++];
        continue;
      }
      const char escape = json_[at_ + 1];
      at_ += 2;
      if (escape != 'u') {
        constexpr std::string_view kLetters = "bfnrt";
        const std::size_t letter = kLetters.find(escape);
        text += letter == std::string_view::npos ? escape : "\b\f\n\r\t"[letter];
        continue;
      }
      unsigned code = unit();
      if (code >= 0xd800 && code < 0xdc00) {
        at_ += 2;
        code = 0x10000 + ((code & 0x3ffU) << 10U) + (unit() & 0x3ffU);
      }
      put_code(code, text);
    }
    ++at_;
    return text;
  }
  unsigned unit() {
    const auto code = std::stoul(std::string(json_.substr(at_, 4)), nullptr, 16);
    at_ += 4;
    return static_cast<unsigned>(code);
  }

  // `has_columns`: its fields are columns of some table.
  void object(unsigned depth, bool has_columns, bool is_record) {
    std::set<std::string> keys;
    for (++at_, skip(); here() != '}'; skip()) {
      if (here() == ',') {
        ++at_;
        continue;
      }
      const std::string key = string();
      if (!keys.insert(key).second) {
        is_twice_inside = true;
        is_twice = is_twice || has_columns;
      }
      skip();
      ++at_;  // the colon
      skip();
      const std::size_t begin = at_;
      value(depth, has_columns);
      if (is_record) members.push_back({key, json_.substr(begin, at_ - begin)});
    }
    ++at_;
  }

  void list(bool has_columns) {
    for (++at_, skip(); here() != ']'; skip()) {
      if (here() == ',') {
        ++at_;
      } else if (here() == '{') {
        object(0, has_columns, false);  // of a table of its own
      } else {
        value(0, false);
      }
    }
    ++at_;
  }

  void value(unsigned depth, bool has_columns) {
    constexpr unsigned kDeepestColumn = 32;
    if (here() == '{') {
      object(depth + 1, has_columns && how_ != Nested::json && depth < kDeepestColumn, false);
    } else if (here() == '[') {
      list(has_columns && how_ == Nested::tables);
    } else if (here() == '"') {
      (void)string();
    } else {
      while (at_ < json_.size() && !std::string_view(" \t\r\n,}]").contains(here())) ++at_;
    }
  }

  std::string_view json_;
  Nested how_;
  std::size_t at_ = 0;
};

std::string unquoted(std::string_view source) {
  const std::string record = "{" + std::string(source) + ":1}";
  Judge judge(record, Nested::json);
  judge.read();
  return judge.members.front().key;
}

// Numbers may be numbers or, in a column of TEXT, their text.
void check_value(std::string_view source, const CellValue& value) {
  if (source == "null") return require(value.type == CellType::null);
  if (source.front() == '"') {
    return require(value.type == CellType::text && value.bytes == unquoted(source));
  }
  if (source.front() == '{' || source.front() == '[') {
    return require(value.type == CellType::text && value.bytes == source);
  }
  const bool is_word = source == "true" || source == "false";
  const jsonl::Number number = jsonl::number_of(is_word ? source == "true" ? "1" : "0" : source);
  std::string text;
  if (number.kind == jsonl::NumberKind::integer) jsonl::append_text(number.integer, text);
  if (number.kind == jsonl::NumberKind::real) jsonl::append_text(number.real, text);
  if (number.kind == jsonl::NumberKind::exact) text = source;
  if (value.type == CellType::text) return require(value.bytes == text);
  require(value.type == CellType::integer
              ? number.kind == jsonl::NumberKind::integer && value.integer == number.integer
              : value.type == CellType::real && value.real == number.real);
}

jsonl::Block block_of(std::string_view text, std::uint64_t first_line) {
  jsonl::Block block;
  require(block.buffer.reserve(text.size()));
  std::ranges::copy(text, block.buffer.data());
  std::memset(block.buffer.data() + text.size(), 0, jsonl::kPadding);
  block.size = text.size();
  block.first_line = first_line;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\n') block.ends.push_back(static_cast<std::uint32_t>(i));
  }
  block.is_cut = !text.empty() && text.back() != '\n';
  if (block.is_cut) block.ends.push_back(static_cast<std::uint32_t>(text.size()));
  return block;
}

struct Checked {
  const ImportOptions& options;
  const RowTable::State& state;
  const sqlite_pages::CellBatch& cells;
  std::size_t row = 0;  // the next one of the file's table
};

// Checks the outcome of a line. True: it is a row.
bool check_line(std::string_view line, bool was_taken, Checked& made) {
  const bool is_json = jsonl::check(line) == jsonl::Flaw::none && text::is_utf8(line);
  const std::size_t begin = line.find_first_not_of(" \t\r\n");
  const bool is_object = is_json && line[begin] == '{';
  if (!is_object) {
    require(!was_taken);
    return false;
  }
  Judge judge(line.substr(begin), made.options.nested);
  judge.read();
  const bool is_plain = made.options.languages.empty();
  if (was_taken) require(!judge.is_twice || !is_plain);
  if (made.options.types.empty()) {
    require(was_taken || (is_plain ? judge.is_twice : judge.is_twice_inside));
  }
  if (!was_taken) return false;
  if (made.options.has_key) return true;  // a broken key: rows are left out
  std::vector<CellValue> values;
  made.cells.values(made.cells.rows().at(made.row++), values);
  if (made.options.nested != Nested::json || !is_plain || !made.options.types.empty()) return true;
  for (const auto& [key, source] : judge.members) {
    const auto column = std::ranges::find(made.state.columns, path_part(key), &Column::field);
    require(column != made.state.columns.end());
    const auto at = static_cast<std::size_t>(column - made.state.columns.begin());
    check_value(source, at < values.size() ? values[at] : CellValue{.type = CellType::null});
  }
  return true;
}

void check_batch(std::string_view text, const ImportOptions& options, const RowTable::State& state,
                 const RowBatch& batch) {
  const jsonl::Block lines = block_of(text, batch.block.first_line);
  require(batch.counts.lines == lines.lines());
  std::set<std::int64_t> rejected;
  std::vector<CellValue> values;
  for (const sqlite_pages::CellRow& row : batch.rejects.cells.rows()) {
    batch.rejects.cells.values(row, values);
    const auto number = values.at(1).integer;
    require(rejected.insert(number).second);
    const auto i = static_cast<std::size_t>(number) - lines.first_line;
    require(values.at(4).bytes == lines.line(i));
  }
  require(rejected.size() == batch.counts.rejected);
  Checked made{.options = options, .state = state, .cells = batch.tables.at(0).cells};
  LineCounts counts{.lines = lines.lines(), .rejected = rejected.size()};
  counts.child_rows = batch.counts.child_rows;
  for (std::size_t i = 0; i < lines.lines(); ++i) {
    const std::string_view line = lines.line(i);
    const bool is_reject = rejected.contains(static_cast<std::int64_t>(lines.first_line + i));
    if (line.find_first_not_of(" \t\r\n") == std::string_view::npos) {
      require(!is_reject);
      ++counts.blank;
    } else if (check_line(line, !is_reject, made)) {
      ++counts.rows;
    }
  }
  require(counts == batch.counts);
  std::uint64_t children = 0;
  for (const TableRows& rows : batch.tables) {
    for (const sqlite_pages::CellRow& row : rows.cells.rows()) {
      rows.cells.values(row, values);
      require(values.size() <= std::max<std::size_t>(1, rows.table->state().columns.size()));
    }
    if (rows.table->parent() != nullptr) children += rows.cells.rows().size();
  }
  require(children == batch.counts.child_rows);
}

}  // namespace

// libFuzzer gives the name. NOLINTNEXTLINE(readability-identifier-naming)
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  if (size == 0) return 0;
  const unsigned choice = bytes[0];
  const std::string_view text(reinterpret_cast<const char*>(bytes) + 1, size - 1);
  ImportOptions options{.nested = static_cast<Nested>(choice % 3)};
  if ((choice & 4U) != 0) options.languages = {"en", "de"};
  if ((choice & 8U) != 0) options.types = {{"a", ColumnType::integer}, {"b_c", ColumnType::text}};
  options.has_key = (choice & 16U) != 0;
  Tables tables;
  Turn turn;
  const SourceFile file{.name = "f", .table = &tables.add("t"), .can_restart = true};
  // Two blocks, by one worker or by two.
  std::size_t half = text.find('\n', text.size() / 2);
  half = half == std::string_view::npos ? text.size() : half + 1;
  const std::string_view parts[] = {text.substr(0, half), text.substr(half)};
  RowBatch batches[2];
  RowMaker first(options, {}, tables, turn);
  std::unique_ptr<RowMaker> second;
  if ((choice & 32U) != 0) second = std::make_unique<RowMaker>(options, RowRules{}, tables, turn);
  for (std::size_t i = 0; i < 2; ++i) {
    batches[i].order = i;
    batches[i].block = block_of(parts[i], i == 0 ? 1 : 1 + batches[0].block.lines());
    require((i == 1 && second ? *second : first).make(file, batches[i]));
    turn.done(i);
  }
  const RowTable::State state = file.table->state();
  for (std::size_t i = 0; i < 2; ++i) check_batch(parts[i], options, state, batches[i]);
  return 0;
}
