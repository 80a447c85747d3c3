// Ledger: what an import remembers inside the database it fills (docs/formats/import.md).
//
//   _tidemill_imports   one row an import: mode, arguments, begun, ended, version of all this
//   _tidemill_files     one row a file: stamp, hash, counts, table, the import that brought it
//   _tidemill_tables    one row a table: of which list it is the child table, and who made it
//   _tidemill_columns   which field became which column, and what was seen in it
//   _rejects            the lines that are no row: file, line, offset, reason, text
//
// It is written in the same transaction as the rows it speaks of, so it never says more than what
// is there. The functions here change the database and never commit. One thread, that of the Db.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tidemill/base/result.h"
#include "tidemill/io/store/db.h"
#include "tidemill/jobs/import/pages/part_file.h"
#include "tidemill/jobs/import/read/source_file.h"
#include "tidemill/jobs/import/rows/table.h"

namespace tidemill::import {

inline constexpr std::string_view kRejectsTable = "_rejects";
// The columns of _rejects, in this order; the cells of Batch::rejects have them too. The rowid is
// the place of the line in all that was read.
inline constexpr std::string_view kRejectsColumns[] = {"file", "line", "offset", "reason", "text"};
[[nodiscard]] std::string create_rejects();

struct KnownFile {
  FileRecord record{};
  std::string table{};
  std::int64_t import = 0;
};

struct KnownColumn {
  std::string name{};
  std::string field{};
  Seen seen = 0;
};

struct KnownChild {
  std::string table{};
  std::string field{};  // the list in the parent's records
};

struct KnownImport {
  std::int64_t id = 0;
  std::string arguments{};
};

// The version of the tables described above.
inline constexpr std::int64_t kLedgerVersion = 1;

class Ledger {
 public:
  explicit Ledger(store::Db& db) : db_(db) {}

  // Makes the tables that are not there. Refuses a ledger of a newer program.
  [[nodiscard]] Result<void> make();
  [[nodiscard]] Result<bool> is_there();

  // Those that have not ended, the last one first.
  [[nodiscard]] Result<std::vector<KnownImport>> unfinished_imports(std::string_view mode);
  [[nodiscard]] Result<std::int64_t> begin_import(std::string_view mode,
                                                  std::string_view arguments);
  [[nodiscard]] Result<void> end_import(std::int64_t id);
  // The files of `other` are from now on those of `id`, and `other` has ended.
  [[nodiscard]] Result<void> take_over_import(std::int64_t other, std::int64_t id);
  [[nodiscard]] Result<EndNote> note_of(std::int64_t id);
  // The import has not ended, whatever is said here. One that is not known is none of ours.
  [[nodiscard]] Result<void> take_back_end(const EndNote& note);

  [[nodiscard]] Result<std::optional<KnownFile>> file(std::string_view name);
  [[nodiscard]] Result<std::map<std::string, KnownFile>> files();
  [[nodiscard]] Result<void> put_file(const SourceFile& file, const FileRecord& record,
                                      std::int64_t import);
  // Only the stamp: the file was touched, its contents are as they were.
  [[nodiscard]] Result<void> touch_file(std::string_view name, const FileStamp& stamp);

  // How many other files have brought rows into this table.
  [[nodiscard]] Result<std::int64_t> others_in(std::string_view table, std::string_view name);

  // `is_ours`: an import made it, so an import may widen its columns and empty it. Every child
  // table must be put, and every table that is not ours.
  [[nodiscard]] Result<void> put_table(const Table& table, bool is_ours = true);
  [[nodiscard]] Result<void> drop_table(std::string_view table);
  [[nodiscard]] Result<bool> is_ours(std::string_view table);
  [[nodiscard]] Result<std::vector<KnownChild>> children(std::string_view table);
  // It and all child tables below it, itself first.
  [[nodiscard]] Result<std::vector<std::string>> family(std::string_view table);

  [[nodiscard]] Result<std::vector<KnownColumn>> columns(std::string_view table);
  [[nodiscard]] Result<void> put_columns(std::string_view table, const Table::State& state);

 private:
  store::Db& db_;
};

}  // namespace tidemill::import
