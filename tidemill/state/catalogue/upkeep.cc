// The functions of Catalogue that delete rows or make a copy.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <limits>
#include <tuple>

#include "tidemill/base/descriptor.h"
#include "tidemill/base/system_text.h"
#include "tidemill/base/try.h"
#include "tidemill/io/files/held_folder.h"
#include "tidemill/io/store/held_vfs.h"
#include "tidemill/io/store/transaction.h"
#include "tidemill/state/catalogue/catalogue.h"
#include "tidemill/state/catalogue/root_locks.h"
#include "tidemill/state/catalogue/schema.h"
#include "tidemill/state/catalogue/token_counts.h"

namespace tidemill::catalogue {
namespace {

using Number = std::int64_t;
using store::Blob;

constexpr std::size_t kFoldersAtOnce = 1'000;
constexpr std::size_t kCountsAtOnce = 10'000;

// The next folders of a root with ids below `limit`, in descending order; empty: no more. A folder
// has a higher id than its parents, so the folders left after a kill still have all their parents.
Result<std::vector<FolderKey>> folders_below(store::Db& db, Number root, FolderKey limit) {
  std::vector<FolderKey> keys;
  LET(auto select, db.prepare("select id from folders where root = ? and id < ?"
                              " order by id desc limit ?"));
  TRY((select.rows<FolderKey>(std::tuple(root, limit, Number{kFoldersAtOnce}),
                              [&](FolderKey key) { keys.push_back(key); })));
  return keys;
}

// Calls `each` for the folders of a root, children before parents, many in one transaction.
template <class Each>
Result<void> each_folder_upwards(store::Db& db, Number root, Each each) {
  FolderKey limit = std::numeric_limits<FolderKey>::max();
  for (;;) {
    LET(const auto keys, folders_below(db, root, limit));
    if (keys.empty()) return {};
    limit = keys.back();
    LET(auto transaction, store::Transaction::begin(db));
    for (const FolderKey key : keys) TRY(each(key));
    TRY(transaction.commit());
  }
}

Result<void> forget_rows(store::Db& db, Number root) {
  LET(auto files, db.prepare("delete from files where folder = ?"));
  LET(auto folder, db.prepare("delete from folders where id = ? and parent <> 0"));
  const auto forget_one = [&](FolderKey key) -> Result<void> {
    TRY(files.run(key));
    return folder.run(key);
  };
  TRY(each_folder_upwards(db, root, forget_one));
  LET(auto transaction, store::Transaction::begin(db));
  LET(auto top, db.prepare("delete from folders where root = ?"));
  LET(auto row, db.prepare("delete from roots where id = ?"));
  TRY(top.run(root));
  TRY(row.run(root));
  return transaction.commit();
}

Result<void> purge_root(store::Db& db, Number root, Seconds before, Purged& purged) {
  LET(auto files, db.prepare("delete from files where folder = ? and removed_at < ?"));
  LET(auto folder,
      db.prepare("delete from folders where id = ?1 and removed_at < ?2 and parent <> 0"
                 " and not exists (select 1 from files where folder = ?1)"
                 " and not exists (select 1 from folders where parent = ?1)"));
  return each_folder_upwards(db, root, [&](FolderKey key) -> Result<void> {
    TRY(files.run(key, before));
    purged.files += db.changes();
    TRY(folder.run(key, before));
    purged.folders += db.changes();
    return {};
  });
}

using CountKey = std::tuple<Number, Number, Number>;  // tokenizer, device, inode

// The next counts after `last` that were last used before `day`.
Result<std::vector<CountKey>> counts_behind(store::Db& db, const CountKey& last, Number day) {
  std::vector<CountKey> keys;
  LET(auto select, db.prepare("select tokenizer, device, inode from token_counts"
                              " where (tokenizer, device, inode) > (?, ?, ?) and used_on < ?"
                              " order by tokenizer, device, inode limit ?"));
  const auto& [tokenizer, device, inode] = last;
  TRY((select.rows<Number, Number, Number>(
      std::tuple(tokenizer, device, inode, day, Number{kCountsAtOnce}),
      [&](Number t, Number d, Number i) { keys.emplace_back(t, d, i); })));
  return keys;
}

// Keeps the tokenizers: a process that is counting may have no row yet. A count that is used in the
// meantime gets a new day and is kept.
Result<void> purge_counts(store::Db& db, Number day) {
  LET(auto remove, db.prepare("delete from token_counts where tokenizer = ? and device = ?"
                              " and inode = ? and used_on < ?"));
  constexpr Number kLeast = std::numeric_limits<Number>::min();
  CountKey last{kLeast, kLeast, kLeast};
  for (;;) {
    LET(const auto keys, counts_behind(db, last, day));
    if (keys.empty()) return {};
    last = keys.back();
    LET(auto transaction, store::Transaction::begin(db));
    for (const auto& [tokenizer, device, inode] : keys) {
      TRY(remove.run(tokenizer, device, inode, day));
    }
    TRY(transaction.commit());
  }
}

std::unexpected<Failure> cannot_export(int error, const std::string& target) {
  const bool is_full = error == ENOSPC || error == EDQUOT;
  return fail(is_full ? Cure::retry : Cure::give_up, "export", target + ": " + system_text(error));
}

// Creates a private folder in a folder that other users may write to.
Result<files::HeldFolder> make_private(const files::HeldFolder& folder, const std::string& name) {
  const std::string path = folder.path_of(name);
  if (::mkdirat(folder.number(), name.c_str(), 0700) != 0) return cannot_export(errno, path);
  LET(auto made, folder.below(name));
  struct stat seen{};
  if (::fstat(made.number(), &seen) != 0) return cannot_export(errno, path);
  if (seen.st_uid != ::geteuid() || (seen.st_mode & 077U) != 0) return cannot_export(EPERM, path);
  return made;
}

constexpr const char* kMade = "export";

// SQLite makes the copy and accepts only paths, so the open folder is passed as a held path.
Result<void> copy_into(const std::string& catalogue, const files::HeldFolder& folder) {
  LET(auto db, store::Db::open(catalogue, {.mode = store::Open::read,
                                           .is_immutable = is_immutable(catalogue),
                                           .vfs = store::held_vfs()}));
  LET(auto vacuum, db.prepare("vacuum into ?"));
  return vacuum.run(std::string_view(files::held_path(folder, kMade)));
}

Result<void> sync_and_name(const files::HeldFolder& made, const files::Spot& target,
                           const std::string& path) {
  const Descriptor file(::openat(made.number(), kMade, O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
  if (!file.is_open() || ::fsync(file.number()) != 0) return cannot_export(errno, path);
  // Unlike rename, link never replaces a file that was created in the meantime.
  if (::linkat(made.number(), kMade, target.folder.number(), target.name.c_str(), 0) != 0) {
    return cannot_export(errno, path);
  }
  return target.folder.sync();
}

}  // namespace

Result<void> Catalogue::forget(const std::string& root, const Clock& clock) {
  LET(auto find, in_catalogue(db_.prepare("select id from roots where path = ?")));
  LET(auto locks, RootLocks::open(db_.path()));
  LET(const auto id, in_catalogue(find.one<Number>(Blob{root})));
  if (!id) return fail(Cure::give_up, "forget", db_.path() + ": no such root: " + root);
  TRY(locks.take(*id, root, clock.wall()));
  LET(const auto again, in_catalogue(find.one<Number>(Blob{root})));
  if (again != id) return {};  // another process has deleted it
  paths_.clear();
  return in_catalogue(forget_rows(db_, *id));
}

Result<Purged> Catalogue::purgeable(WallTime before) {
  Purged purged;
  LET(auto files, in_catalogue(db_.prepare("select count(*) from files where removed_at < ?")));
  LET(auto folders, in_catalogue(db_.prepare(
                        "select count(*) from folders where removed_at < ? and parent <> 0")));
  LET(const auto files_gone, in_catalogue(files.one<Number>(seconds_of(before))));
  LET(const auto folders_gone, in_catalogue(folders.one<Number>(seconds_of(before))));
  purged.files = files_gone.value_or(0);
  purged.folders = folders_gone.value_or(0);
  return purged;
}

Result<Purged> Catalogue::purge(WallTime before, const Clock& clock) {
  LET(const auto all, roots());
  LET(auto locks, RootLocks::open(db_.path()));
  for (const RootSummary& root : all) TRY(locks.take(root.id, root.path, clock.wall()));
  Purged purged;
  paths_.clear();
  for (const RootSummary& root : all) {
    TRY(in_catalogue(purge_root(db_, root.id, seconds_of(before), purged)));
  }
  TRY(in_catalogue(purge_counts(db_, day_of(before))));
  return purged;
}

Result<void> Catalogue::vacuum() { return in_catalogue(db_.exec("vacuum")); }

Result<void> Catalogue::export_to(const std::string& target) {
  LET(const auto spot, files::spot_of(target));
  struct stat seen{};
  const int folder = spot.folder.number();
  if (::fstatat(folder, spot.name.c_str(), &seen, AT_SYMLINK_NOFOLLOW) == 0) {
    return cannot_export(EEXIST, target);
  }
  // Unique to this process; a leftover of a killed process does not interfere.
  const std::string name = ".tidemill-" + std::to_string(::getpid()) + ".export";
  LET(const auto made, make_private(spot.folder, name));
  auto done = in_catalogue(copy_into(db_.path(), made));
  if (done) done = sync_and_name(made, spot, target);
  (void)::unlinkat(made.number(), kMade, 0);
  (void)::unlinkat(folder, name.c_str(), AT_REMOVEDIR);
  return done;
}

}  // namespace tidemill::catalogue
