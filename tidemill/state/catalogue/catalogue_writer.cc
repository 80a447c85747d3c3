#include "tidemill/state/catalogue/catalogue_writer.h"

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "tidemill/base/try.h"
#include "tidemill/state/catalogue/schema.h"

namespace tidemill::catalogue {
namespace {

constexpr int kRowsAtOnce = 16;
constexpr int kColumns = 15;  // of a row, besides the time

// A hash is valid as long as the stamp does not change: a note with the same stamp and without a
// hash keeps the recorded hash and its checksum. The hash and the edges of a row use the same
// algorithm.
constexpr std::string_view kOnConflict = R"sql(
on conflict(folder, name) do update set
  algorithm = case when same(x) and excluded.algorithm is null then algorithm
    else excluded.algorithm end,
  hash = case when same(x) and excluded.hash is null and
      coalesce(excluded.algorithm, algorithm) is algorithm then hash else excluded.hash end,
  edges = case when same(x) and excluded.edges is null and
      coalesce(excluded.algorithm, algorithm) is algorithm then edges else excluded.edges end,
  hash_checksum = case when same(x) and excluded.hash is null and
      coalesce(excluded.algorithm, algorithm) is algorithm then hash_checksum
    else excluded.hash_checksum end,
  edges_checksum = case when same(x) and excluded.edges is null and
      coalesce(excluded.algorithm, algorithm) is algorithm then edges_checksum
    else excluded.edges_checksum end,
  changed_at = case when same(x) then changed_at else excluded.first_seen end,
  restored_at = case when removed_at is null then restored_at else excluded.first_seen end,
  removed_at = null, error = excluded.error,
  size = excluded.size, mtime_ns = excluded.mtime_ns, ctime_ns = excluded.ctime_ns,
  device = excluded.device, inode = excluded.inode,
  blocks = excluded.blocks, links = excluded.links
)sql";

constexpr std::string_view kSame =
    "(size = excluded.size and mtime_ns = excluded.mtime_ns and ctime_ns = excluded.ctime_ns"
    " and device = excluded.device and inode = excluded.inode)";

std::string insert_files(int rows) {
  std::string sql =
      "insert into files(first_seen, folder, name, size, mtime_ns, ctime_ns, device, inode, blocks,"
      " links, algorithm, hash, edges, error, hash_checksum, edges_checksum) values ";
  for (int row = 0; row < rows; ++row) {
    sql += row == 0 ? "(?1" : ", (?1";
    for (int column = 0; column < kColumns; ++column) {
      sql += ", ?" + std::to_string(2 + row * kColumns + column);
    }
    sql += ')';
  }
  std::string update(kOnConflict);
  constexpr std::string_view kMark = "same(x)";
  for (auto at = update.find(kMark); at != update.npos; at = update.find(kMark)) {
    update.replace(at, kMark.size(), kSame);
  }
  return sql + update;
}

// `union` and not `union all`: a damaged tree may have a cycle.
constexpr std::string_view kBelow =
    "with recursive below(id) as (select ?1 union select f.id from folders f join below"
    " on f.parent = below.id where f.removed_at is null) ";
constexpr std::string_view kAbove =
    "with recursive above(id) as (select parent from folders where id = ?1 union"
    " select f.parent from folders f join above on f.id = above.id) ";

std::int64_t as_signed(std::uint64_t number) { return static_cast<std::int64_t>(number); }

// NULL, because most files have no such text.
std::optional<std::string_view> text_or_null(std::string_view text) {
  if (text.empty()) return std::nullopt;
  return text;
}

bool by_name(const FileNote& a, const FileNote& b) { return a.name < b.name; }

}  // namespace

Result<CatalogueWriter> CatalogueWriter::make(store::Db& db) {
  LET(auto one_file, db.prepare(insert_files(1)));
  LET(auto many_files, db.prepare(insert_files(kRowsAtOnce)));
  LET(auto remove_file, db.prepare("update files set removed_at = ?3"
                                   " where folder = ?1 and name = ?2 and removed_at is null"));
  LET(auto make_folder, db.prepare("insert into folders(root, parent, name, first_seen, error)"
                                   " values (?, ?, ?, ?, ?) on conflict(parent, name) do nothing"));
  LET(auto find_folder, db.prepare("select id from folders where parent = ? and name = ?"));
  LET(auto root_of_folder, db.prepare("select root from folders where id = ?"));
  LET(auto update_folder,
      db.prepare("update folders set error = ?2, removed_at = null, restored_at ="
                 " case when removed_at is null then restored_at else ?3 end"
                 " where id = ?1 and (removed_at is not null or error is not ?2)"));
  LET(auto restore_parents,
      db.prepare(std::string(kAbove) + "update folders set removed_at = null, restored_at = ?2"
                                       " where id in above and removed_at is not null"));
  LET(auto remove_files_below,
      db.prepare(std::string(kBelow) + "update files set removed_at = ?2"
                                       " where folder in below and removed_at is null"));
  LET(auto remove_folders_below,
      db.prepare(std::string(kBelow) + "update folders set removed_at = ?2"
                                       " where id in below and removed_at is null"));
  return CatalogueWriter(db, {.one_file = std::move(one_file),
                              .many_files = std::move(many_files),
                              .remove_file = std::move(remove_file),
                              .make_folder = std::move(make_folder),
                              .find_folder = std::move(find_folder),
                              .root_of_folder = std::move(root_of_folder),
                              .update_folder = std::move(update_folder),
                              .restore_parents = std::move(restore_parents),
                              .remove_files_below = std::move(remove_files_below),
                              .remove_folders_below = std::move(remove_folders_below)});
}

void CatalogueWriter::know(FolderIndex folder, FolderKey key, std::int64_t root) {
  if (folder >= known_.size()) known_.resize(folder + std::size_t{1});
  known_[folder] = {.key = key, .root = root};
}

const CatalogueWriter::Known* CatalogueWriter::known(FolderIndex folder) const {
  return folder < known_.size() && known_[folder].key != 0 ? &known_[folder] : nullptr;
}

Result<void> CatalogueWriter::put(FolderBatch& batch) {
  LET(const FolderKey key, folder_of(batch));
  if (!std::ranges::is_sorted(batch.files, by_name)) std::ranges::sort(batch.files, by_name);
  for (const FileNote& file : batch.files) {
    rows_.push_back({.folder = key, .file = &file});
    if (rows_.size() < kRowsAtOnce) continue;
    for (int row = 0; row < kRowsAtOnce; ++row) {
      set_row(sql_.many_files, row, rows_[static_cast<std::size_t>(row)]);
    }
    rows_.clear();
    TRY(sql_.many_files.run_set());
  }
  return remove(key, batch);
}

Result<void> CatalogueWriter::flush() {
  for (const Row& row : rows_) {
    set_row(sql_.one_file, 0, row);
    TRY(sql_.one_file.run_set());
  }
  rows_.clear();
  return {};
}

void CatalogueWriter::set_row(store::Statement& statement, int row, const Row& of) const {
  const FileNote& file = *of.file;
  int at = 2 + row * kColumns;
  statement.set(1, now_);
  statement.set(at, of.folder);
  statement.set(++at, store::Blob{file.name});
  statement.set(++at, as_signed(file.stamp.size));
  statement.set(++at, file.stamp.mtime_ns);
  statement.set(++at, file.stamp.ctime_ns);
  statement.set(++at, as_signed(file.stamp.device));
  statement.set(++at, as_signed(file.stamp.inode));
  statement.set(++at, as_signed(file.blocks));
  statement.set(++at, std::int64_t{file.links});
  if (file.algorithm == 0) {
    statement.set(++at, nullptr);
  } else {
    statement.set(++at, std::int64_t{file.algorithm});
  }
  statement.set(++at, blob_or_null(file.hash));
  statement.set(++at, blob_or_null(file.edges));
  statement.set(++at, text_or_null(file.error));
  statement.set(++at, checksum_of(file.hash));
  statement.set(++at, checksum_of(file.edges));
}

// Only the first batch of a folder describes the folder itself; later ones add hashes.
Result<FolderKey> CatalogueWriter::folder_of(const FolderBatch& batch) {
  const Known* const before = known(batch.folder);
  if (before != nullptr) {
    const FolderKey key = before->key;
    if (!batch.error.empty()) TRY(note_folder(key, batch));
    return key;
  }
  if (batch.key == 0) return make_folder(batch);
  LET(const auto root, sql_.root_of_folder.one<std::int64_t>(batch.key));
  if (!root) {
    return fail(Cure::give_up, FailureKind::database, "catalogue",
                db_->path() + ": no such folder: " + std::to_string(batch.key));
  }
  know(batch.folder, batch.key, *root);
  TRY(note_folder(batch.key, batch));
  return batch.key;
}

Result<FolderKey> CatalogueWriter::make_folder(const FolderBatch& batch) {
  const Known* const parent = known(batch.parent);
  if (parent == nullptr) {
    return fail(Cure::give_up, FailureKind::database, "catalogue",
                db_->path() + ": the folder above " + batch.name + " was not recorded");
  }
  const auto [parent_key, root] = *parent;
  const store::Blob name{batch.name};
  TRY(sql_.make_folder.run(root, parent_key, name, now_, text_or_null(batch.error)));
  if (db_->changes() == 1) {
    const FolderKey key = db_->last_id();
    know(batch.folder, key, root);
    return key;
  }
  LET(const auto key, sql_.find_folder.one<FolderKey>(parent_key, name));
  know(batch.folder, key.value_or(0), root);
  TRY(note_folder(key.value_or(0), batch));
  return key.value_or(0);
}

Result<void> CatalogueWriter::note_folder(FolderKey key, const FolderBatch& batch) {
  TRY(sql_.update_folder.run(key, text_or_null(batch.error), now_));
  if (db_->changes() == 0) return {};
  return sql_.restore_parents.run(key, now_);  // an existing folder cannot have removed parents
}

Result<void> CatalogueWriter::remove(FolderKey key, const FolderBatch& batch) {
  if (batch.removed_files.empty() && batch.removed_folders.empty()) return {};
  TRY(flush());
  for (const std::string_view name : batch.removed_files) {
    TRY(sql_.remove_file.run(key, store::Blob{name}, now_));
  }
  for (const FolderKey folder : batch.removed_folders) {
    TRY(sql_.remove_files_below.run(folder, now_));
    TRY(sql_.remove_folders_below.run(folder, now_));
  }
  return {};
}

}  // namespace tidemill::catalogue
