// Catalogue::file and folder_keys: look up paths from their roots down.
#include <algorithm>
#include <functional>
#include <tuple>

#include "tidemill/base/try.h"
#include "tidemill/state/catalogue/catalogue.h"
#include "tidemill/state/catalogue/schema.h"

namespace tidemill::catalogue {
namespace {

using Number = std::int64_t;
using store::Blob;

struct Root {
  std::string path{};
  FolderKey folder = 0;
  Seconds completed_at = 0;
};

Result<std::vector<Root>> all_roots(store::Db& db) {
  std::vector<Root> roots;
  LET(auto select, db.prepare("select path, folder, completed_at from roots order by path"));
  TRY((select.rows<std::string, FolderKey, Seconds>(
      std::tuple(), [&](std::string root, FolderKey folder, Seconds completed_at) {
        roots.push_back({.path = std::move(root), .folder = folder, .completed_at = completed_at});
      })));
  return roots;
}

bool is_above(const Root& root, std::string_view path) {
  const std::string_view start = folder_name_of_root(root.path);
  return path.starts_with(start) && path.substr(start.size()).starts_with('/');
}

// `path` has a trailing slash; 0: not in the catalogue.
Result<FolderKey> folder_below(const Root& root, std::string_view path, store::Statement& enter) {
  std::string_view rest = path.substr(folder_name_of_root(root.path).size());
  FolderKey folder = root.folder;
  for (;;) {
    while (rest.starts_with('/')) rest.remove_prefix(1);
    const auto slash = rest.find('/');
    if (slash == rest.npos) return folder;
    LET(const auto next, enter.one<FolderKey>(folder, Blob{rest.substr(0, slash)}));
    if (!next) return FolderKey{0};
    folder = *next;
    rest.remove_prefix(slash);
  }
}

Result<std::vector<FolderKey>> keys_of(store::Db& db, std::span<const std::string> paths) {
  LET(auto roots, all_roots(db));
  std::ranges::sort(roots, std::greater<>(), &Root::completed_at);
  LET(auto enter, db.prepare("select id from folders where parent = ? and name = ?"));
  std::vector<FolderKey> keys;
  keys.reserve(paths.size());
  for (const std::string& path : paths) {
    const std::string folder = path + "/";
    FolderKey key = 0;
    for (const Root& root : roots) {
      if (key != 0 || path.empty() || !is_above(root, folder)) continue;
      LET(key, folder_below(root, folder, enter));
    }
    keys.push_back(key);
  }
  return keys;
}

Seconds last_seen(const History& history, const Root& root) {
  if (history.removed_at != 0) return 0;
  return std::max({history.first_seen, history.changed_at, history.restored_at, root.completed_at});
}

Result<std::optional<FileCard>> card_of(store::Db& db, const Root& root, FolderKey folder,
                                        std::string_view name) {
  std::optional<FileCard> card;
  LET(auto select, db.prepare("select device, inode, size, mtime_ns, ctime_ns, algorithm, hash,"
                              " error, first_seen, changed_at, removed_at, restored_at"
                              " from files where folder = ? and name = ?"));
  TRY((select.rows<Number, Number, Number, Number, Number, Number, std::string, std::string,
                   Seconds, Seconds, Seconds, Seconds>(
      std::tuple(folder, Blob{name}),
      [&](Number device, Number inode, Number size, Number mtime, Number ctime, Number algorithm,
          std::string hash, std::string error, Seconds first, Seconds changed, Seconds removed,
          Seconds restored) {
        card = {.root = root.path,
                .folder = folder,
                .stamp = {.device = static_cast<std::uint64_t>(device),
                          .inode = static_cast<std::uint64_t>(inode),
                          .size = static_cast<std::uint64_t>(size),
                          .mtime_ns = mtime,
                          .ctime_ns = ctime},
                .algorithm = static_cast<std::uint8_t>(algorithm),
                .hash = std::move(hash),
                .error = std::move(error),
                .history = {.first_seen = first,
                            .changed_at = changed,
                            .removed_at = removed,
                            .restored_at = restored}};
      })));
  if (card) card->history.last_seen = last_seen(card->history, root);
  return card;
}

Result<std::optional<FileCard>> find_below(store::Db& db, const Root& root, std::string_view path) {
  LET(auto enter, db.prepare("select id from folders where parent = ? and name = ?"));
  std::string_view rest = path.substr(folder_name_of_root(root.path).size());
  FolderKey folder = root.folder;
  for (;;) {
    while (rest.starts_with('/')) rest.remove_prefix(1);
    const auto slash = rest.find('/');
    if (slash == rest.npos) return card_of(db, root, folder, rest);
    LET(const auto next, enter.one<FolderKey>(folder, Blob{rest.substr(0, slash)}));
    if (!next) return std::nullopt;
    folder = *next;
    rest.remove_prefix(slash);
  }
}

}  // namespace

Result<std::vector<FileCard>> Catalogue::file(std::string_view path) {
  std::vector<FileCard> cards;
  LET(const auto roots, in_catalogue(all_roots(db_)));
  for (const Root& root : roots) {
    if (!is_above(root, path)) continue;
    LET(auto card, in_catalogue(find_below(db_, root, path)));
    if (card) cards.push_back(*std::move(card));
  }
  return cards;
}

Result<std::vector<FolderKey>> Catalogue::folder_keys(std::span<const std::string> paths) {
  return in_catalogue(keys_of(db_, paths));
}

}  // namespace tidemill::catalogue
