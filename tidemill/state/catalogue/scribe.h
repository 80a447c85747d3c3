// Scribe: turns what one look at a folder has brought into rows. Its caller owns the transaction.
//
//   folder   new: a row; there: its error as it is now, and it is back again with all its parents
//   files    one insert for many rows, of several folders: a statement costs as much as its row
//   removed  a time in the row; of a folder everything below it too
//
// The batches must live until flush(). After a failure the transaction must be rolled back and the
// Scribe be left alone: it knows folders that are no longer there.
#pragma once

#include <cstdint>
#include <vector>

#include "tidemill/base/result.h"
#include "tidemill/io/store/db.h"
#include "tidemill/state/catalogue/scan.h"

namespace tidemill::catalogue {

// One thread, that of its Db.
class Scribe {
 public:
  // The Db must outlive it.
  [[nodiscard]] static Result<Scribe> make(store::Db& db);

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

  Scribe(store::Db& db, Statements statements) : db_(&db), sql_(std::move(statements)) {}

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
