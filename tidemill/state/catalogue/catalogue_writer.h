// CatalogueWriter: writes the result of scanning a folder as rows. The caller owns the transaction.
//
//   folder   new: inserts a row; known: updates its error, and restores it and its parents
//   files    one insert for many rows of several folders: a statement costs as much as a row
//   removed  sets the time in the row; for a folder, in all rows below it too
//
// The batches must live until flush(). After a failure, roll back the transaction and do not use
// the writer again: it caches folders that were rolled back.
#pragma once

#include <cstdint>
#include <vector>

#include "tidemill/base/result.h"
#include "tidemill/io/store/db.h"
#include "tidemill/state/catalogue/scan.h"

namespace tidemill::catalogue {

// One thread, that of its Db.
class CatalogueWriter {
 public:
  // The Db must outlive it.
  [[nodiscard]] static Result<CatalogueWriter> make(store::Db& db);

  void know(FolderIndex folder, FolderKey key, std::int64_t root);
  void set_time(std::int64_t now) { now_ = now; }  // seconds since 1970

  // Sorts the files of the batch.
  [[nodiscard]] Result<void> put(FolderBatch& batch);
  [[nodiscard]] Result<void> flush();

 private:
  struct Known {
    FolderKey key = 0;
    std::int64_t root = 0;
  };
  struct Row {
    FolderKey folder = 0;
    const FileNote* file = nullptr;
  };
  struct Statements {
    store::Statement one_file;
    store::Statement many_files;
    store::Statement remove_file;
    store::Statement make_folder;
    store::Statement find_folder;
    store::Statement root_of_folder;
    store::Statement update_folder;
    store::Statement restore_parents;
    store::Statement remove_files_below;
    store::Statement remove_folders_below;
  };

  CatalogueWriter(store::Db& db, Statements statements) : db_(&db), sql_(std::move(statements)) {}

  [[nodiscard]] Result<FolderKey> folder_of(const FolderBatch& batch);
  [[nodiscard]] Result<FolderKey> make_folder(const FolderBatch& batch);
  [[nodiscard]] Result<void> note_folder(FolderKey key, const FolderBatch& batch);
  [[nodiscard]] Result<void> remove(FolderKey key, const FolderBatch& batch);
  void set_row(store::Statement& statement, int row, const Row& of) const;
  [[nodiscard]] const Known* known(FolderIndex folder) const;

  store::Db* db_;
  Statements sql_;
  std::int64_t now_ = 1;
  std::vector<Known> known_{};
  std::vector<Row> rows_{};  // not written yet
};

}  // namespace tidemill::catalogue
