// The hash functions of Catalogue: adds hashes after a scan, pages through them for verification,
// deletes wrong ones, and keeps the epoch of the fleet that hashes.
#include <tuple>

#include "tidemill/base/try.h"
#include "tidemill/io/store/transaction.h"
#include "tidemill/state/catalogue/catalogue.h"
#include "tidemill/state/catalogue/schema.h"

namespace tidemill::catalogue {
namespace {

using Number = std::int64_t;
using store::Blob;

Result<std::vector<KnownFile>> page_of(store::Db& db, std::optional<Number> root,
                                       const KnownFile& last, std::size_t limit) {
  std::vector<KnownFile> page;
  // The cross join reads files first, by their key: a page starts where the last one ended, even
  // within a large folder.
  LET(auto select,
      db.prepare("select f.folder, f.name, f.device, f.inode, f.size, f.mtime_ns, f.ctime_ns,"
                 " f.algorithm, f.hash from files f cross join folders d on d.id = f.folder"
                 " where (f.folder, f.name) > (?2, ?3) and (?1 is null or d.root = ?1)"
                 " and f.removed_at is null and f.hash is not null"
                 " order by f.folder, f.name limit ?4"));
  TRY((
      select.rows<Number, std::string, Number, Number, Number, Number, Number, Number, std::string>(
          std::tuple(root, last.folder, Blob{last.name}, static_cast<Number>(limit)),
          [&](Number folder, std::string name, Number device, Number inode, Number size,
              Number mtime, Number ctime, Number algorithm, std::string hash) {
            page.push_back({.folder = folder,
                            .name = std::move(name),
                            .stamp = {.device = static_cast<std::uint64_t>(device),
                                      .inode = static_cast<std::uint64_t>(inode),
                                      .size = static_cast<std::uint64_t>(size),
                                      .mtime_ns = mtime,
                                      .ctime_ns = ctime},
                            .algorithm = static_cast<std::uint8_t>(algorithm),
                            .hash = std::move(hash)});
          })));
  return page;
}

Result<KnownTotal> total_of(store::Db& db, std::optional<Number> root) {
  LET(auto select, db.prepare("select count(*), sum(f.size) from folders d cross join files f"
                              " on f.folder = d.id where (?1 is null or d.root = ?1)"
                              " and f.removed_at is null and f.hash is not null"));
  LET(const auto row, (select.first<Number, Number>(root)));
  const auto [files, bytes] = row.value_or(std::tuple(0, 0));
  return KnownTotal{.files = static_cast<std::uint64_t>(files),
                    .bytes = static_cast<std::uint64_t>(bytes)};
}

// Both statements change a row only if it still has this stamp.
constexpr std::string_view kSet =
    "update files set hash = ?9, algorithm = ?8, edges = iif(algorithm = ?8, edges, null),"
    " edges_checksum = iif(algorithm = ?8, edges_checksum, null), hash_checksum ="
    " checksum(?9), error = null where folder = ?1 and name = ?2 and device = ?3 and inode = ?4 "
    "and size = ?5"
    " and mtime_ns = ?6 and ctime_ns = ?7 and removed_at is null";
constexpr std::string_view kDrop =
    "update files set hash = null, edges = null, algorithm = null, hash_checksum = null,"
    " edges_checksum = null"
    " where folder = ?1 and name = ?2 and device = ?3 and inode = ?4 and size = ?5"
    " and mtime_ns = ?6 and ctime_ns = ?7 and algorithm = ?8 and hash = ?9";

Result<std::uint64_t> epoch_in(store::Db& db) {
  LET(auto select, db.prepare("select value from about where key = 'fleet_epoch'"));
  LET(const auto epoch, select.one<Number>());
  return static_cast<std::uint64_t>(epoch.value_or(0));
}

Result<void> set_epoch(store::Db& db, std::uint64_t epoch) {
  LET(auto upsert, db.prepare("insert into about values ('fleet_epoch', ?) on conflict(key)"
                              " do update set value = max(value, excluded.value)"));
  return upsert.run(static_cast<Number>(epoch));
}

// Runs `sql` with folder, name, stamp, algorithm and hash of each file; returns how many rows
// changed.
template <class File>
Result<std::size_t> change(store::Db& db, std::string_view sql, std::span<const File> files) {
  LET(auto transaction, store::Transaction::begin(db));
  LET(auto statement, db.prepare(sql));
  std::size_t count = 0;
  for (const File& file : files) {
    const FileStamp& stamp = file.stamp;
    TRY(statement.run(file.folder, Blob{file.name}, static_cast<Number>(stamp.device),
                      static_cast<Number>(stamp.inode), static_cast<Number>(stamp.size),
                      stamp.mtime_ns, stamp.ctime_ns, Number{file.algorithm}, Blob{file.hash}));
    count += static_cast<std::size_t>(db.changes());
  }
  TRY(transaction.commit());
  return count;
}

}  // namespace

Result<std::vector<KnownFile>> Catalogue::hashed_files(std::optional<Number> root,
                                                       const KnownFile& last, std::size_t limit) {
  return in_catalogue(page_of(db_, root, last, limit));
}

Result<KnownTotal> Catalogue::hashed_total(std::optional<Number> root) {
  return in_catalogue(total_of(db_, root));
}

Result<std::size_t> Catalogue::update_hashes(std::span<const HashNote> notes) {
  return in_catalogue(change(db_, kSet, notes));
}

Result<std::uint64_t> Catalogue::fleet_epoch() { return in_catalogue(epoch_in(db_)); }

Result<void> Catalogue::record_fleet_epoch(std::uint64_t epoch) {
  return in_catalogue(set_epoch(db_, epoch));
}

Result<std::size_t> Catalogue::drop_hashes(std::span<const KnownFile> files) {
  return in_catalogue(change(db_, kDrop, files));
}

}  // namespace tidemill::catalogue
