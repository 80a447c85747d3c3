// PageLoader: writes batches to a new database as pages (formats/sqlite_pages/table_builder.h);
// each worker writes its own. Corrections are made with SQL in the finished file: it removes rows
// of files that could not be read to their end, and converts numbers that were stored before their
// column became TEXT.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "tidemill/formats/sqlite_pages/page_file.h"
#include "tidemill/formats/sqlite_pages/table_builder.h"
#include "tidemill/io/store/db.h"
#include "tidemill/jobs/import/loader.h"
#include "tidemill/jobs/import/options.h"
#include "tidemill/jobs/import/rows/tables.h"
#include "tidemill/jobs/import/target/target.h"

namespace tidemill::import {

// prepare() and discard() may be called from any thread, the rest from one thread.
class PageLoader final : public Loader {
 public:
  [[nodiscard]] static Result<std::unique_ptr<PageLoader>> make(const ImportOptions& options,
                                                                std::size_t workers,
                                                                ImportTarget& target,
                                                                const Tables& tables);

  [[nodiscard]] Result<void> prepare(RowBatch& batch, std::size_t worker) override;
  [[nodiscard]] Result<void> store(RowBatch& batch) override;
  void discard(RowBatch& batch) override;
  [[nodiscard]] Result<void> begin_file(const SourceFile& file, std::uint64_t base) override;
  [[nodiscard]] Result<void> end_file(const SourceFile& file, const SourceRecord& record) override;
  [[nodiscard]] Result<void> drop_file(const SourceFile& file) override;
  [[nodiscard]] Result<void> restart_file(const SourceFile& file) override;
  [[nodiscard]] Result<void> finish() override;

 private:
  struct Slot {
    std::unique_ptr<sqlite_pages::TableBuilder> builder{};
    bool is_wanted = false;  // a complete file uses the table
  };
  struct Range {                      // of rowids, both ends included
    const RowTable* table = nullptr;  // null: the rejects
    std::int64_t first = 0;
    std::int64_t last = 0;
  };

  PageLoader(const ImportOptions& options, ImportTarget& target, const Tables& tables)
      : options_(options), target_(target), tables_(tables) {}
  [[nodiscard]] Slot& slot_of(const RowTable& table);
  void forget(const SourceFile& file);
  [[nodiscard]] Result<std::vector<sqlite_pages::BuiltTable>> build();
  [[nodiscard]] Result<void> put_right(store::Db& db);
  [[nodiscard]] Result<void> write_import_log(store::Db& db);

  const ImportOptions& options_;
  ImportTarget& target_;
  const Tables& tables_;
  std::unique_ptr<sqlite_pages::PageFile> file_{};
  std::vector<sqlite_pages::LayoutBuffers> buffers_{};  // one per worker
  std::vector<Slot> slots_{};                           // by RowTable::number()
  Slot rejects_{};
  std::int64_t base_ = 0;  // of the current file
  std::int64_t last_ = 0;  // the largest place that was stored
  std::vector<Range> dead_{};
  std::vector<std::pair<const SourceFile*, SourceRecord>> records_{};
};

}  // namespace tidemill::import
