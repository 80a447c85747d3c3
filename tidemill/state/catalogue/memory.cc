#include "tidemill/state/catalogue/memory.h"

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>

#include "tidemill/base/try.h"
#include "tidemill/io/store/db.h"
#include "tidemill/state/catalogue/schema.h"

namespace tidemill::catalogue {
namespace {

// The write-ahead log cannot be reused while an older snapshot is open.
constexpr int kFoldersASnapshot = 64;

constexpr std::size_t kLeastText = 16'384;  // beyond the small-string buffer

// Reallocates the bytes and adjusts the views into them.
void make_room(Recollection& into, std::size_t bytes) {
  std::string larger;
  larger.reserve(std::max({kLeastText, 2 * into.text.capacity(), into.text.size() + bytes}));
  larger = into.text;
  const char* old = into.text.data();
  const auto moved = [&](std::string_view view) -> std::string_view {
    if (view.empty()) return {};
    return {larger.data() + (view.data() - old), view.size()};
  };
  for (FileNote& file : into.files) {
    file.name = moved(file.name);
    file.hash = moved(file.hash);
    file.edges = moved(file.edges);
    file.error = moved(file.error);
  }
  for (FolderNote& folder : into.folders) folder.name = moved(folder.name);
  into.text.swap(larger);
}

// The caller has ensured room, so no view moves.
std::string_view keep(Recollection& into, std::string_view bytes) {
  if (bytes.empty()) return {};
  const std::size_t start = into.text.size();
  into.text.append(bytes);
  return std::string_view(into.text).substr(start);
}

void ensure_room(Recollection& into, std::size_t bytes) {
  if (into.text.size() + bytes > into.text.capacity()) make_room(into, bytes);
}

// One thread.
class SqliteMemory final : public Memory {
 public:
  SqliteMemory(store::Db db, store::Statement files, store::Statement folders, bool has_checksums)
      : db_(std::move(db)),
        files_(std::move(files)),
        folders_(std::move(folders)),
        has_checksums_(has_checksums) {}

  Result<void> recall(FolderKey folder, Recollection& into) override {
    into.files.clear();
    into.folders.clear();
    into.text.clear();
    if (folder == 0) return {};
    return in_catalogue(read(folder, into));
  }

 private:
  Result<void> read(FolderKey folder, Recollection& into) {
    TRY(hold_snapshot());
    TRY(read_files(folder, into));
    return read_folders(folder, into);
  }

  Result<void> hold_snapshot() {
    if (folders_left_-- > 0) return {};
    if (db_.in_transaction()) TRY(db_.exec("commit"));
    folders_left_ = kFoldersASnapshot - 1;
    return db_.exec("begin");
  }

  Result<void> read_files(FolderKey folder, Recollection& into);
  Result<void> read_folders(FolderKey folder, Recollection& into);

  store::Db db_;
  store::Statement files_;
  store::Statement folders_;
  bool has_checksums_;
  int folders_left_ = 0;  // before the snapshot is renewed
};

Result<void> SqliteMemory::read_files(FolderKey folder, Recollection& into) {
  using Number = std::int64_t;
  using View = std::string_view;
  using Sum = std::optional<Number>;
  return files_.rows<View, Number, Number, Number, Number, Number, Number, Number, Number, View,
                     View, Number, View, Sum, Sum>(
      std::tuple(folder),
      [&](View name, Number size, Number mtime, Number ctime, Number device, Number inode,
          Number blocks, Number links, Number algorithm, View hash, View edges, Number removed_at,
          View error, Sum of_hash, Sum of_edges) {
        // A damaged value counts as unknown: the file is read again.
        if (has_checksums_ && of_hash != checksum_of(hash)) hash = {};
        if (has_checksums_ && of_edges != checksum_of(edges)) edges = {};
        ensure_room(into, name.size() + hash.size() + edges.size() + error.size());
        into.files.push_back({.name = keep(into, name),
                              .stamp = {.device = static_cast<std::uint64_t>(device),
                                        .inode = static_cast<std::uint64_t>(inode),
                                        .size = static_cast<std::uint64_t>(size),
                                        .mtime_ns = mtime,
                                        .ctime_ns = ctime},
                              .blocks = static_cast<std::uint64_t>(blocks),
                              .links = static_cast<std::uint32_t>(links),
                              .algorithm = static_cast<std::uint8_t>(algorithm),
                              .hash = keep(into, hash),
                              .edges = keep(into, edges),
                              .error = keep(into, error),
                              .is_removed = removed_at != 0});
      });
}

Result<void> SqliteMemory::read_folders(FolderKey folder, Recollection& into) {
  return folders_.rows<std::string_view, FolderKey, std::int64_t, std::string_view>(
      std::tuple(folder),
      [&](std::string_view name, FolderKey key, std::int64_t removed_at, std::string_view error) {
        ensure_room(into, name.size());
        into.folders.push_back({.name = keep(into, name),
                                .key = key,
                                .is_removed = removed_at != 0,
                                .has_error = !error.empty()});
      });
}

Result<std::unique_ptr<Memory>> open_unnamed(const std::string& path) {
  LET(auto opened, open_with_version(path));
  store::Db& db = opened.db;
  const bool has_checksums = opened.version >= kSinceChecksums;
  LET(auto files,
      db.prepare("select name, size, mtime_ns, ctime_ns, device, inode, blocks, links, algorithm,"
                 " hash, edges, removed_at, error, " +
                 std::string(has_checksums ? "hash_checksum, edges_checksum" : "null, null") +
                 " from files where folder = ? order by name"));
  LET(auto folders, db.prepare("select name, id, removed_at, error from folders"
                               " where parent = ? order by name"));
  return std::make_unique<SqliteMemory>(std::move(db), std::move(files), std::move(folders),
                                        has_checksums);
}

}  // namespace

Result<std::unique_ptr<Memory>> open_memory(const std::string& path) {
  return in_catalogue(open_unnamed(path));
}

}  // namespace tidemill::catalogue
