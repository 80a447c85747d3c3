// RowMaker::State: the current line, and the state that its worker keeps from line to line. The
// implementation of RowMaker is in four files: rows/maker.cc processes lines, rows/rehearse.cc
// checks whether a record with lists is a reject, rows/walk.cc walks through a record,
// rows/settle.cc stores its values in columns.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "tidemill/formats/jsonl/tokens.h"
#include "tidemill/formats/sqlite_pages/cells.h"
#include "tidemill/jobs/import/rows/maker.h"
#include "tidemill/jobs/import/rows/scalar.h"
#include "tidemill/jobs/import/rows/view.h"

namespace tidemill::import {

// A reason to reject a line; and the result of a cancelled turn, which is not one.
inline constexpr std::string_view kTwice = "duplicate field";
inline constexpr std::string_view kCancelled = "cancelled";

// A row of one table while it is made. Rows of child tables are made while that of their parent is
// open.
struct OpenRow {
  View& view;
  std::uint64_t number;  // unique
  std::uint64_t place;   // of its first byte (SourceReader::kPlaces)
  struct Pending {       // a value whose column does not exist yet
    KeyEntry* entry;
    Scalar scalar;
  };
  struct Member {  // of the object in _more: a field without a column
    std::string field;
    std::string_view json;
  };
  std::vector<Pending> pending{};
  std::vector<std::size_t> escaped{};  // columns with long strings that are still escaped
  std::vector<Member> more{};          // the members of _more
};

// A function that returns a text returns the reason why the line is a reject; empty: it is not.
// One thread, that of its worker.
struct RowMaker::State {
  State(const ImportOptions& the_options, RowRules the_rules, Tables& the_tables, Turn& the_turn)
      : options(the_options), rules(the_rules), tables(the_tables), turn(the_turn) {}

  const ImportOptions& options;
  const RowRules rules;
  Tables& tables;
  Turn& turn;
  jsonl::Tokens tokens{};
  Scalars scalars{};
  std::unordered_map<const RowTable*, std::unique_ptr<View>> views{};
  std::uint64_t rows = 0;

  // Entries only save lookups in the table. At most this many are kept, however many keys occur.
  static constexpr std::size_t kMostEntries = 8'192;
  std::size_t entries = 0;
  void forget_entries();

  // The current block and line.
  const SourceFile* file = nullptr;
  RowBatch* batch = nullptr;
  bool has_turn = false;
  RowidFrom rowid = RowidFrom::undecided;  // of all rows of the block
  std::string_view line{};
  std::uint64_t line_number = 0;
  std::uint64_t line_place = 0;
  std::uint32_t left_out = 0;        // languages of the line that are not imported
  sqlite_pages::CellValue parent{};  // the key of the record, for the rows of child tables
  Seen parent_seen = 0;
  std::vector<std::int64_t> positions{};  // of the lists that are open

  [[nodiscard]] View& view_of(RowTable& table);
  [[nodiscard]] TableRows& rows_of(RowTable& table) const;
  [[nodiscard]] bool take_turn();

  void make_line(std::size_t i);
  [[nodiscard]] std::string_view make_row();
  void reject(std::uint64_t offset, std::string_view reason) const;
  [[nodiscard]] std::string_view reason_of(jsonl::Ill ill) const;
  [[nodiscard]] std::string_view malformed() const;
  [[nodiscard]] std::string_view find_parent();
  [[nodiscard]] std::string_view rehearse(std::size_t& at, KeyNode& node, const View* view);
  [[nodiscard]] std::string_view rehearse_value(std::size_t& at, const KeyNode& node,
                                                KeyEntry& entry, const View* view);
  [[nodiscard]] std::string_view rehearse_list(std::size_t& at, KeyEntry& entry);
  [[nodiscard]] std::string_view rehearse_languages(std::size_t& at, const KeyNode& node,
                                                    KeyEntry& entry, const View* view);
  [[nodiscard]] bool is_flat(const KeyNode& node) const;
  [[nodiscard]] static KeyNode& below(const KeyNode& node, KeyEntry& entry);

  [[nodiscard]] std::string_view walk(std::size_t& at, OpenRow& row, KeyNode& node);
  [[nodiscard]] std::string_view take(std::size_t& at, OpenRow& row, KeyNode& node,
                                      KeyEntry& entry);
  [[nodiscard]] std::string_view entry_of(std::string_view key, KeyNode& node, KeyEntry*& entry);
  [[nodiscard]] std::string_view take_object(std::size_t& at, OpenRow& row, KeyNode& node,
                                             KeyEntry& entry);
  [[nodiscard]] bool are_languages(std::size_t at) const;
  [[nodiscard]] std::string_view take_languages(std::size_t& at, OpenRow& row, KeyNode& node,
                                                KeyEntry& entry, bool& is_taken);
  [[nodiscard]] std::string_view take_list(std::size_t& at, OpenRow& row, KeyNode& node,
                                           KeyEntry& entry);
  [[nodiscard]] std::string_view take_element(std::size_t& at, View& child, KeyNode& node);
  [[nodiscard]] bool has_child(View& view, KeyEntry& entry, std::string_view& reason);
  [[nodiscard]] std::string_view take_json(std::size_t& at, OpenRow& row, const KeyNode& node,
                                           KeyEntry& entry);
  [[nodiscard]] std::string_view take_beyond(std::size_t& at, OpenRow& row, const KeyNode& node,
                                             const KeyEntry& entry);
  [[nodiscard]] std::string_view store(OpenRow& row, KeyEntry& entry, std::string_view token);
  [[nodiscard]] static std::string_view put(OpenRow& row, KeyEntry& entry, const Scalar& scalar);
  [[nodiscard]] ColumnNeed need_of(const View* view, const KeyEntry& entry) const;
  [[nodiscard]] std::optional<ColumnType> forced_type(const KeyEntry& entry) const;

  [[nodiscard]] std::string_view settle(OpenRow& row);
  [[nodiscard]] std::string_view settle_more(OpenRow& row);
  [[nodiscard]] std::string_view commit_root(OpenRow& row);
  [[nodiscard]] std::string_view decide(View& view);
  [[nodiscard]] bool find_rowid(OpenRow& row, std::int64_t& number) const;
};

}  // namespace tidemill::import
