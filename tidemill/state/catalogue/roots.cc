#include "tidemill/state/catalogue/roots.h"

#include <algorithm>
#include <map>

#include "tidemill/base/try.h"
#include "tidemill/io/store/transaction.h"
#include "tidemill/state/catalogue/schema.h"

namespace tidemill::catalogue {
namespace {

using store::Blob;

Result<RootRow> find_or_make(store::Db& db, const std::string& path, std::int64_t now) {
  LET(auto find, db.prepare("select id, folder from roots where path = ?"));
  using Found = std::tuple<std::int64_t, FolderKey>;
  LET(const std::optional<Found> found, (find.first<std::int64_t, FolderKey>(Blob{path})));
  if (found) return RootRow{.id = std::get<0>(*found), .folder = std::get<1>(*found)};
  LET(auto add, db.prepare("insert into roots(path, folder, added_at) values (?, 0, ?)"));
  TRY(add.run(Blob{path}, now));
  const std::int64_t id = db.last_id();
  LET(auto make, db.prepare("insert into folders(root, parent, name, first_seen)"
                            " values (?, 0, ?, ?)"));
  TRY(make.run(id, Blob{folder_name_of_root(path)}, now));
  const FolderKey folder = db.last_id();
  LET(auto set, db.prepare("update roots set folder = ? where id = ?"));
  TRY(set.run(folder, id));
  return RootRow{.id = id, .folder = folder};
}

using Rows = std::map<std::string, RootRow, std::less<>>;

Result<Rows> find_or_make_all(store::Db& db, std::span<const ScanRoot> roots, WallTime now) {
  Rows rows;
  for (const ScanRoot& root : roots) {
    LET(rows[root.path], find_or_make(db, root.path, seconds_of(now)));
  }
  return rows;
}

Result<void> lock_all(RootLocks& locks, const Rows& rows, WallTime now) {
  std::vector<std::pair<std::int64_t, std::string>> by_id;
  for (const auto& [path, row] : rows) by_id.emplace_back(row.id, path);
  std::ranges::sort(by_id);
  for (const auto& [id, path] : by_id) TRY(locks.take(id, path, now));
  return {};
}

// The root's own folder counts as existing: the scanner has opened it, or will record its error.
Result<void> note_beginning(store::Db& db, const Rows& rows, WallTime now) {
  LET(auto count, db.prepare("update roots set scans_started = scans_started + 1, started_at = ?2,"
                             " ending = 'running' where id = ?1"));
  LET(auto clear, db.prepare("update folders set error = null, removed_at = null where id = ?"
                             " and (error is not null or removed_at is not null)"));
  for (const auto& [path, row] : rows) {
    TRY(count.run(row.id, seconds_of(now)));
    TRY(clear.run(row.folder));
  }
  return {};
}

// False: a root was forgotten between reading it and locking it.
Result<bool> lock_and_note(store::Db& db, RootLocks& locks, const Rows& rows,
                           std::span<const ScanRoot> roots, WallTime now) {
  TRY(lock_all(locks, rows, now));
  LET(auto transaction, store::Transaction::begin(db));
  LET(const Rows again, find_or_make_all(db, roots, now));
  const auto is_same = [&](const auto& a) {
    const RootRow& b = again.at(a.first);
    return a.second.id == b.id && a.second.folder == b.folder;
  };
  if (!std::ranges::all_of(rows, is_same)) return false;
  TRY(note_beginning(db, rows, now));
  TRY(transaction.commit());
  return true;
}

constexpr int kTries = 10;

}  // namespace

Result<std::vector<RootRow>> begin_roots(store::Db& db, RootLocks& locks,
                                         std::span<const ScanRoot> roots, WallTime now) {
  for (int left = kTries; left > 0; --left) {
    Rows rows;
    {
      LET(auto transaction, store::Transaction::begin(db));
      LET(rows, find_or_make_all(db, roots, now));
      TRY(transaction.commit());
    }
    LET(const bool is_done, lock_and_note(db, locks, rows, roots, now));
    if (!is_done) {
      for (const auto& [path, row] : rows) locks.release(row.id);
      continue;
    }
    std::vector<RootRow> found;
    for (const ScanRoot& root : roots) found.push_back(rows.at(root.path));
    return found;
  }
  return fail(Cure::retry, FailureKind::held, "lock",
              db.path() + ": another process is removing roots from the catalogue");
}

Result<void> end_roots(store::Db& db, std::span<const RootRow> roots, std::string_view ending,
                       WallTime now) {
  LET(auto transaction, store::Transaction::begin(db));
  LET(auto note, db.prepare("update roots set ending = ?2 where id = ?1"));
  LET(auto count, db.prepare("update roots set scans_completed = scans_completed + 1,"
                             " completed_at = ?2 where id = ?1 and ending = 'running'"));
  for (const RootRow& root : roots) {
    if (ending == "complete") TRY(count.run(root.id, seconds_of(now)));
    TRY(note.run(root.id, ending));
  }
  return transaction.commit();
}

}  // namespace tidemill::catalogue
