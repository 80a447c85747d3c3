// ImportLog: the tables in which an import keeps its records inside the database that it fills
// (docs/formats/import.md).
//
//   _tidemill_imports   one row per import: mode, arguments, begun, ended, version of these tables
//   _tidemill_files     one row per file: stamp, hash, counts, table, the import that stored it
//   _tidemill_tables    one row per table: the list it is the child table of, and who created it
//   _tidemill_columns   which field became which column, and what was seen in it
//   _rejects            the rejected lines: file, line, offset, reason, text
//
// Records are written in the same transaction as the rows they describe, so both always agree. The
// functions here change the database and never commit. One thread, that of the Db.
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
// The columns of _rejects, in this order, and of the cells of RowBatch::rejects. Their rowid is the
// place of the line (SourceReader::kPlaces).
inline constexpr std::string_view kRejectsColumns[] = {"file", "line", "offset", "reason", "text"};
[[nodiscard]] std::string create_rejects();

struct ImportedFile {
  SourceRecord record{};
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
inline constexpr std::int64_t kImportLogVersion = 1;

class ImportLog {
 public:
  explicit ImportLog(store::Db& db) : db_(db) {}

  // Creates missing tables. Refuses tables of a newer version.
  [[nodiscard]] Result<void> make();
  [[nodiscard]] Result<bool> is_there();

  // The imports that have not ended, the newest first.
  [[nodiscard]] Result<std::vector<KnownImport>> unfinished_imports(std::string_view mode);
  [[nodiscard]] Result<std::int64_t> begin_import(std::string_view mode,
                                                  std::string_view arguments);
  [[nodiscard]] Result<void> end_import(std::int64_t id);
  // Assigns the files of `other` to `id`, and ends `other`.
  [[nodiscard]] Result<void> take_over_import(std::int64_t other, std::int64_t id);
  [[nodiscard]] Result<EndNote> note_of(std::int64_t id);
  // Marks the import of the note as not ended. Does nothing if it is not in this database.
  [[nodiscard]] Result<void> take_back_end(const EndNote& note);

  [[nodiscard]] Result<std::optional<ImportedFile>> file(std::string_view name);
  [[nodiscard]] Result<std::map<std::string, ImportedFile>> files();
  [[nodiscard]] Result<void> put_file(const SourceFile& file, const SourceRecord& record,
                                      std::int64_t import);
  // Updates only the stamp: the file was touched, its contents are unchanged.
  [[nodiscard]] Result<void> touch_file(std::string_view name, const FileStamp& stamp);

  // The number of other files that have rows in this table.
  [[nodiscard]] Result<std::int64_t> others_in(std::string_view table, std::string_view name);

  // `is_ours`: an import created it, so an import may widen its columns and empty it. Required for
  // every child table, and for every table that is not ours.
  [[nodiscard]] Result<void> put_table(const RowTable& table, bool is_ours = true);
  [[nodiscard]] Result<void> drop_table(std::string_view table);
  [[nodiscard]] Result<bool> is_ours(std::string_view table);
  [[nodiscard]] Result<std::vector<KnownChild>> children(std::string_view table);
  // The table itself, then all child tables below it.
  [[nodiscard]] Result<std::vector<std::string>> family(std::string_view table);

  [[nodiscard]] Result<std::vector<KnownColumn>> columns(std::string_view table);
  [[nodiscard]] Result<void> put_columns(std::string_view table, const RowTable::State& state);

 private:
  store::Db& db_;
};

}  // namespace tidemill::import
