#include "tidemill/state/catalogue/catalogue.h"

#include <tuple>

#include "tidemill/base/try.h"
#include "tidemill/io/store/transaction.h"
#include "tidemill/state/catalogue/schema.h"

namespace tidemill::catalogue {
namespace {

using Number = std::int64_t;
using View = std::string_view;

std::uint64_t as_unsigned(Number number) { return static_cast<std::uint64_t>(number); }

// The last complete scan of a root has seen every file that is not removed.
constexpr View kLastSeen =
    "case when f.removed_at is null then max(f.first_seen, coalesce(f.changed_at, 0),"
    " coalesce(f.restored_at, 0), coalesce(r.completed_at, 0)) end";

Result<std::vector<RootSummary>> roots_without_counts(store::Db& db) {
  std::vector<RootSummary> roots;
  LET(auto select,
      db.prepare("select id, path, added_at, scans_started, started_at, scans_completed,"
                 " completed_at, ending from roots order by path"));
  TRY((select.rows<Number, std::string, Number, Number, Number, Number, Number, std::string>(
      std::tuple(),
      [&](Number id, std::string path, Number added_at, Number started, Number started_at,
          Number completed, Number completed_at, std::string ending) {
        roots.push_back({.id = id,
                         .path = std::move(path),
                         .added_at = added_at,
                         .scans_started = started,
                         .started_at = started_at,
                         .scans_completed = completed,
                         .completed_at = completed_at,
                         .ending = std::move(ending)});
      })));
  return roots;
}

Result<void> count_files(store::Db& db, std::vector<RootSummary>& roots) {
  LET(auto count,
      db.prepare("select d.root, sum(f.removed_at is null),"
                 " sum(iif(f.removed_at is null, f.size, 0)),"
                 " sum(f.removed_at is null and f.hash is not null),"
                 " sum(f.removed_at is null and f.error is not null),"
                 " sum(f.removed_at is not null)"
                 " from folders d cross join files f on f.folder = d.id group by d.root"));
  return count.rows<Number, Number, Number, Number, Number, Number>(
      std::tuple(),
      [&](Number id, Number files, Number bytes, Number hashed, Number errors, Number removed) {
        for (RootSummary& root : roots) {
          if (root.id != id) continue;
          root.files = as_unsigned(files);
          root.bytes = as_unsigned(bytes);
          root.hashed = as_unsigned(hashed);
          root.errors = as_unsigned(errors);
          root.removed = as_unsigned(removed);
        }
      });
}

Result<void> count_folder_errors(store::Db& db, std::vector<RootSummary>& roots) {
  LET(auto count, db.prepare("select root, count(*) from folders"
                             " where error is not null and removed_at is null group by root"));
  return count.rows<Number, Number>(std::tuple(), [&](Number id, Number errors) {
    for (RootSummary& root : roots) {
      if (root.id == id) root.errors += as_unsigned(errors);
    }
  });
}

}  // namespace

Result<Catalogue> Catalogue::open(const std::string& path, Access access) {
  LET(auto db, access == Access::write ? open_for_writing(path, store::Open::write)
                                       : open_for_reading(path));
  LET(auto paths, in_catalogue(FolderPaths::of(db)));
  return Catalogue(std::move(db), std::move(paths));
}

Result<About> Catalogue::about() {
  About about;
  LET(auto version, in_catalogue(db_.prepare("pragma user_version")));
  LET(const auto found_version, in_catalogue(version.one<Number>()));
  about.version = found_version.value_or(0);
  const auto value = [&](View key) -> Result<std::string> {
    LET(auto select, db_.prepare("select value from about where key = ?"));
    LET(const auto found, select.one<std::string>(key));
    return found.value_or("");
  };
  LET(about.host, in_catalogue(value("host")));
  LET(about.machine_id, in_catalogue(value("machine_id")));
  LET(auto made, in_catalogue(db_.prepare("select value from about where key = 'made_at'")));
  LET(const auto made_at, in_catalogue(made.one<Number>()));
  about.made_at = made_at.value_or(0);
  return about;
}

Result<std::vector<RootSummary>> Catalogue::roots() {
  LET(auto roots, in_catalogue(roots_without_counts(db_)));
  TRY(in_catalogue(count_files(db_, roots)));
  TRY(in_catalogue(count_folder_errors(db_, roots)));
  return roots;
}

Result<void> Catalogue::each_file(std::optional<Number> root, const OnFile& on_file) {
  paths_.clear();  // they are of an older state of the file
  LET(auto pragma, in_catalogue(db_.prepare("pragma user_version")));
  LET(const auto version, in_catalogue(pragma.one<Number>()));
  const std::string hashes = version < kSinceChecksums
                                 ? "f.hash, f.edges"
                                 // A damaged value counts as unknown.
                                 : "iif(f.hash_checksum is checksum(f.hash), f.hash, null),"
                                   " iif(f.edges_checksum is checksum(f.edges), f.edges, null)";
  LET(auto select, in_catalogue(db_.prepare(
                       "select d.root, f.folder, f.name, f.size, f.mtime_ns, f.ctime_ns, f.device,"
                       " f.inode, f.blocks, f.links, f.algorithm, " +
                       hashes + ", f.error, f.first_seen, " + std::string(kLastSeen) +
                       ", f.changed_at, f.removed_at, f.restored_at"
                       " from folders d cross join files f on f.folder = d.id"
                       " left join roots r on r.id = d.root"
                       " where ?1 is null or d.root = ?1 order by d.id, f.name")));
  return in_catalogue(
      select.rows_while<Number, Number, View, Number, Number, Number, Number, Number, Number,
                        Number, Number, View, View, View, Number, Number, Number, Number, Number>(
          std::tuple(root),
          [&](Number of, Number folder, View name, Number size, Number mtime, Number ctime,
              Number device, Number inode, Number blocks, Number links, Number algorithm, View hash,
              View edges, View error, Number first, Number last, Number changed, Number removed,
              Number restored) {
            return on_file({.root = of,
                            .folder = folder,
                            .note = {.name = name,
                                     .stamp = {.device = as_unsigned(device),
                                               .inode = as_unsigned(inode),
                                               .size = as_unsigned(size),
                                               .mtime_ns = mtime,
                                               .ctime_ns = ctime},
                                     .blocks = as_unsigned(blocks),
                                     .links = static_cast<std::uint32_t>(links),
                                     .algorithm = static_cast<std::uint8_t>(algorithm),
                                     .hash = hash,
                                     .edges = edges,
                                     .error = error,
                                     .is_removed = removed != 0},
                            .history = {.first_seen = first,
                                        .last_seen = last,
                                        .changed_at = changed,
                                        .removed_at = removed,
                                        .restored_at = restored}});
          }));
}

}  // namespace tidemill::catalogue
