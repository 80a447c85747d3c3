// PageLoader: batches into a new database as pages (formats/sqlite_pages/table_builder.h), each
// worker writing its own. What must be put right afterwards is put right by SQLite, in the finished
// file: rows of files that could not be read to their end, and numbers that were stored before
// their column turned to TEXT.
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

// prepare() and discard() from any thread; the rest from one.
class PageLoader final : public Loader {
 public:
  [[nodiscard]] static Result<std::unique_ptr<PageLoader>> make(const Options& options,
                                                                std::size_t workers, Target& target,
                                                                const Tables& tables);

  [[nodiscard]] Result<void> prepare(Batch& batch, std::size_t worker) override;
  [[nodiscard]] Result<void> store(Batch& batch) override;
  void discard(Batch& batch) override;
  [[nodiscard]] Result<void> begin_file(const SourceFile& file, std::uint64_t base) override;
  [[nodiscard]] Result<void> end_file(const SourceFile& file, const FileRecord& record) override;
  [[nodiscard]] Result<void> drop_file(const SourceFile& file) override;
  [[nodiscard]] Result<void> restart_file(const SourceFile& file) override;
  [[nodiscard]] Result<void> finish() override;

 private:
  struct Slot {
    std::unique_ptr<sqlite_pages::TableBuilder> builder{};
    bool is_wanted = false;  // a file that is in has it
  };
  struct Range {                   // of rowids, both ends included
    const Table* table = nullptr;  // nothing: the rejects
    std::int64_t first = 0;
    std::int64_t last = 0;
  };

  PageLoader(const Options& options, Target& target, const Tables& tables)
      : options_(options), target_(target), tables_(tables) {}
  [[nodiscard]] Slot& slot_of(const Table& table);
  void forget(const SourceFile& file);
  [[nodiscard]] Result<std::vector<sqlite_pages::BuiltTable>> build();
  [[nodiscard]] Result<void> put_right(store::Db& db);
  [[nodiscard]] Result<void> write_ledger(store::Db& db);

  const Options& options_;
  Target& target_;
  const Tables& tables_;
  std::unique_ptr<sqlite_pages::PageFile> file_{};
  std::vector<sqlite_pages::Bench> benches_{};  // one a worker
  std::vector<Slot> slots_{};                   // by number of the table
  Slot rejects_{};
  std::int64_t base_ = 0;  // of the file at hand
  std::int64_t last_ = 0;  // the largest place that was stored
  std::vector<Range> dead_{};
  std::vector<std::pair<const SourceFile*, FileRecord>> records_{};
};

}  // namespace tidemill::import
