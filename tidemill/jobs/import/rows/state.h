// RowMaker::State: the line that is being made into rows, and what its worker keeps from line to
// line. The inside of RowMaker, in four files: rows/maker.cc has the lines, rows/rehearse.cc looks
// whether a record with lists is a reject, rows/walk.cc goes through a record, rows/settle.cc puts
// its values into columns.
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

// A reason for which a line is a reject, and one that is none.
inline constexpr std::string_view kTwice = "duplicate field";
inline constexpr std::string_view kCancelled = "cancelled";

// A row of one table while it is made. Those of child tables are made while their parent's is open.
struct OpenRow {
  View& view;
  std::uint64_t number;  // no other row has it
  std::uint64_t place;   // of its first byte in all that was read
  struct Pending {       // a column that is not there yet
    Entry* entry;
    Scalar scalar;
  };
  struct Member {  // of the object in _more: a field for which there is no column
    std::string field;
    std::string_view json;
  };
  std::vector<Pending> pending{};
  std::vector<std::size_t> escaped{};  // columns with long strings that are still escaped
  std::vector<Member> more{};          // what goes into _more
};

// A function that answers with a text says with it why the line is a reject; empty: it is none.
// One thread: of one worker.
struct RowMaker::State {
  State(const Options& the_options, RowRules the_rules, Tables& the_tables, Turn& the_turn)
      : options(the_options), rules(the_rules), tables(the_tables), turn(the_turn) {}

  const Options& options;
  const RowRules rules;
  Tables& tables;
  Turn& turn;
  jsonl::Tokens tokens{};
  Scalars scalars{};
  std::unordered_map<const Table*, std::unique_ptr<View>> views{};
  std::uint64_t rows = 0;

  // Entries only spare the look at the table: however many keys there are, so many are kept.
  static constexpr std::size_t kMostEntries = 8'192;
  std::size_t entries = 0;
  void forget_entries();

  // The block and the line at hand.
  const SourceFile* file = nullptr;
  Batch* batch = nullptr;
  bool has_turn = false;
  RowidFrom rowid = RowidFrom::undecided;  // of all rows of the block
  std::string_view line{};
  std::uint64_t line_number = 0;
  std::uint64_t line_place = 0;
  std::uint32_t left_out = 0;    // languages of the line
  sqlite_pages::Value parent{};  // what the rows of child tables carry
  Seen parent_seen = 0;
  std::vector<std::int64_t> positions{};  // of the lists that are open

  [[nodiscard]] View& view_of(Table& table);
  [[nodiscard]] TableRows& rows_of(Table& table) const;
  [[nodiscard]] bool take_turn();

  void make_line(std::size_t i);
  [[nodiscard]] std::string_view make_row();
  void reject(std::uint64_t offset, std::string_view reason) const;
  [[nodiscard]] std::string_view reason_of(jsonl::Ill ill) const;
  [[nodiscard]] std::string_view malformed() const;
  [[nodiscard]] std::string_view find_parent();
  [[nodiscard]] std::string_view rehearse(std::size_t& at, Node& node, const View* view);
  [[nodiscard]] std::string_view rehearse_value(std::size_t& at, const Node& node, Entry& entry,
                                                const View* view);
  [[nodiscard]] std::string_view rehearse_list(std::size_t& at, Entry& entry);
  [[nodiscard]] std::string_view rehearse_languages(std::size_t& at, const Node& node, Entry& entry,
                                                    const View* view);
  [[nodiscard]] bool is_flat(const Node& node) const;
  [[nodiscard]] static Node& below(const Node& node, Entry& entry);

  [[nodiscard]] std::string_view walk(std::size_t& at, OpenRow& row, Node& node);
  [[nodiscard]] std::string_view take(std::size_t& at, OpenRow& row, Node& node, Entry& entry);
  [[nodiscard]] std::string_view entry_of(std::string_view key, Node& node, Entry*& entry);
  [[nodiscard]] std::string_view take_object(std::size_t& at, OpenRow& row, Node& node,
                                             Entry& entry);
  [[nodiscard]] bool are_languages(std::size_t at) const;
  [[nodiscard]] std::string_view take_languages(std::size_t& at, OpenRow& row, Node& node,
                                                Entry& entry, bool& is_taken);
  [[nodiscard]] std::string_view take_list(std::size_t& at, OpenRow& row, Node& node, Entry& entry);
  [[nodiscard]] std::string_view take_element(std::size_t& at, View& child, Node& node);
  [[nodiscard]] bool has_child(View& view, Entry& entry, std::string_view& reason);
  [[nodiscard]] std::string_view take_json(std::size_t& at, OpenRow& row, const Node& node,
                                           Entry& entry);
  [[nodiscard]] std::string_view take_beyond(std::size_t& at, OpenRow& row, const Node& node,
                                             const Entry& entry);
  [[nodiscard]] std::string_view store(OpenRow& row, Entry& entry, std::string_view token);
  [[nodiscard]] static std::string_view put(OpenRow& row, Entry& entry, const Scalar& scalar);
  [[nodiscard]] Wish wish_of(const View* view, const Entry& entry) const;
  [[nodiscard]] std::optional<ColumnType> forced_type(const Entry& entry) const;

  [[nodiscard]] std::string_view settle(OpenRow& row);
  [[nodiscard]] std::string_view settle_more(OpenRow& row);
  [[nodiscard]] std::string_view commit_root(OpenRow& row);
  [[nodiscard]] std::string_view decide(View& view);
  [[nodiscard]] bool find_rowid(OpenRow& row, std::int64_t& number) const;
};

}  // namespace tidemill::import
