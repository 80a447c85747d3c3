#include "tidemill/jobs/import/pages/page_loader.h"

#include <algorithm>

#include "tidemill/base/try.h"
#include "tidemill/io/store/transaction.h"
#include "tidemill/jobs/import/sql/ddl.h"
#include "tidemill/jobs/import/target/import_log.h"

namespace tidemill::import {
namespace {

const std::string kRejects(kRejectsTable);

Result<void> make_text(store::Db& db, const RowTable& table) {
  std::vector<std::string> columns;
  for (const Column& column : table.state().columns) {
    if (column.type() == ColumnType::text && column.has_numbers) columns.push_back(column.name);
  }
  return columns.empty() ? Result<void>{} : db.exec(update_to_text(table.name(), columns));
}

}  // namespace

Result<std::unique_ptr<PageLoader>> PageLoader::make(const ImportOptions& options,
                                                     std::size_t workers, ImportTarget& target,
                                                     const Tables& tables) {
  std::unique_ptr<PageLoader> loader(new PageLoader(options, target, tables));  // NOLINT: private
  LET(loader->file_,
      sqlite_pages::PageFile::create(target.path(), options.page_size, target.folder().number()));
  loader->buffers_.resize(workers);
  loader->rejects_.builder = std::make_unique<sqlite_pages::TableBuilder>(*loader->file_);
  return loader;
}

Result<void> PageLoader::prepare(RowBatch& batch, std::size_t worker) {
  sqlite_pages::LayoutBuffers& buffers = buffers_[worker];
  for (TableRows& rows : batch.tables) {
    LET(rows.leaves, sqlite_pages::lay(rows.cells, *file_, buffers));
  }
  LET(batch.rejects.leaves, sqlite_pages::lay(batch.rejects.cells, *file_, buffers));
  return {};
}

void PageLoader::discard(RowBatch& batch) {
  const auto give_back = [&](const TableRows& rows) {
    for (const sqlite_pages::PageRun run : rows.leaves.runs) file_->give_back(run);
  };
  std::ranges::for_each(batch.tables, give_back);
  give_back(batch.rejects);
}

PageLoader::Slot& PageLoader::slot_of(const RowTable& table) {
  if (table.number() >= slots_.size()) slots_.resize(table.number() + 1);
  Slot& slot = slots_[table.number()];
  if (!slot.builder) slot.builder = std::make_unique<sqlite_pages::TableBuilder>(*file_);
  return slot;
}

Result<void> PageLoader::store(RowBatch& batch) {
  for (const TableRows& rows : batch.tables) {
    TRY(slot_of(*rows.table).builder->append(rows.leaves));
  }
  TRY(rejects_.builder->append(batch.rejects.leaves));
  last_ = static_cast<std::int64_t>(batch.base + batch.block.offset + batch.block.size) + 1;
  return {};
}

Result<void> PageLoader::begin_file(const SourceFile& file, std::uint64_t base) {
  (void)slot_of(*file.table);
  base_ = static_cast<std::int64_t>(base);
  last_ = base_;
  return {};
}

Result<void> PageLoader::end_file(const SourceFile& file, const SourceRecord& record) {
  for (const RowTable* table : tables_.family(*file.table)) slot_of(*table).is_wanted = true;
  records_.emplace_back(&file, record);
  return {};
}

// Rows cannot be removed from a tree that is being built. If other files share the table, they are
// deleted later.
void PageLoader::forget(const SourceFile& file) {
  if (last_ <= base_) return;
  dead_.push_back({.first = base_ + 1, .last = last_});
  for (const RowTable* table : tables_.family(*file.table)) {
    if (options_.table.empty()) {
      slot_of(*table).builder->abandon();
    } else {
      dead_.push_back({.table = table, .first = base_ + 1, .last = last_});
    }
  }
}

Result<void> PageLoader::drop_file(const SourceFile& file) {
  forget(file);
  return {};
}

Result<void> PageLoader::restart_file(const SourceFile& file) {
  forget(file);
  return {};
}

Result<std::vector<sqlite_pages::BuiltTable>> PageLoader::build() {
  for (sqlite_pages::LayoutBuffers& buffers : buffers_) give_back(*file_, buffers);
  std::vector<sqlite_pages::BuiltTable> built;
  for (const RowTable* table : tables_.all()) {
    Slot& slot = slot_of(*table);
    if (!slot.is_wanted) continue;
    LET(std::string root, slot.builder->finish());
    built.push_back({.name = table->name(),
                     .create = create_table(table->name(), table->state()),
                     .root = std::move(root)});
  }
  LET(std::string root, rejects_.builder->finish());
  built.push_back({.name = kRejects, .create = create_rejects(), .root = std::move(root)});
  return built;
}

Result<void> PageLoader::put_right(store::Db& db) {
  for (const Range& range : dead_) {
    if (range.table != nullptr && !slot_of(*range.table).is_wanted) continue;
    const std::string name = range.table != nullptr ? range.table->name() : kRejects;
    const std::string rowid =
        range.table != nullptr ? rowid_name(range.table->state().columns) : "rowid";
    if (rowid.empty()) return no_rowid_name(name);
    LET(auto remove,
        db.prepare("DELETE FROM " + quoted_name(name) + " WHERE " + rowid + " BETWEEN ?1 AND ?2"));
    TRY(remove.run(range.first, range.last));
  }
  for (const RowTable* table : tables_.all()) {
    if (slot_of(*table).is_wanted) TRY(make_text(db, *table));
  }
  return {};
}

Result<void> PageLoader::write_import_log(store::Db& db) {
  ImportLog import_log(db);
  TRY(import_log.make());
  LET(const std::int64_t import, import_log.begin_import(name_of(Mode::fresh), ""));
  for (const auto& [file, record] : records_) TRY(import_log.put_file(*file, record, import));
  for (const RowTable* table : tables_.all()) {
    if (!slot_of(*table).is_wanted) continue;
    if (table->parent() != nullptr) TRY(import_log.put_table(*table));
    TRY(import_log.put_columns(table->name(), table->state()));
  }
  return import_log.end_import(import);
}

Result<void> PageLoader::finish() {
  LET(const auto built, build());
  TRY(file_->finish(built));
  file_.reset();
  LET(auto db, target_.open());
  LET(auto transaction, store::Transaction::begin(db));
  TRY(put_right(db));
  TRY(write_import_log(db));
  return transaction.commit();
}

}  // namespace tidemill::import
