// Catalogue: reads, maintains and copies a catalogue; scanners use scan.h. The tables are in
// docs/formats/catalogue.md.
//
// A file that is not a catalogue, or has a newer version, is refused and not changed. Each read
// sees one state of the file, also during a scan. forget() and purge() lock the roots they delete
// from and are refused (kind held, Cure::retry) while one of those is being scanned. They delete in
// short transactions, so a kill leaves the work partly done and the file intact.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tidemill/base/clock.h"
#include "tidemill/base/result.h"
#include "tidemill/io/store/db.h"
#include "tidemill/state/catalogue/folder_paths.h"
#include "tidemill/state/catalogue/scan.h"

namespace tidemill::catalogue {

using Seconds = std::int64_t;  // since 1970; 0: never

struct About {
  std::string host{};
  std::string machine_id{};  // empty: unknown
  Seconds made_at = 0;
  std::int64_t version = 0;  // of the format
};

struct RootSummary {
  std::int64_t id = 0;
  std::string path{};
  Seconds added_at = 0;
  std::int64_t scans_started = 0;
  Seconds started_at = 0;
  std::int64_t scans_completed = 0;
  Seconds completed_at = 0;
  std::string ending{};  // "complete", "interrupted"; "running": running, or killed
  // Existing files:
  std::uint64_t files = 0;
  std::uint64_t bytes = 0;
  std::uint64_t hashed = 0;
  std::uint64_t errors = 0;   // including those of folders
  std::uint64_t removed = 0;  // files that no longer exist
};

struct History {
  Seconds first_seen = 0;
  Seconds last_seen = 0;  // 0: unknown, because the file was removed
  Seconds changed_at = 0;
  Seconds removed_at = 0;
  Seconds restored_at = 0;
};

// The views are valid until the callback returns.
struct FileRow {
  std::int64_t root = 0;
  FolderKey folder = 0;
  FileNote note{};
  History history{};
};

// A file as returned by `file()`. Owns its bytes.
struct FileCard {
  std::string root{};
  FolderKey folder = 0;
  FileStamp stamp{};
  std::uint8_t algorithm = 0;
  std::string hash{};
  std::string error{};
  History history{};
};

// An existing file and its recorded hash. Owns its bytes.
struct KnownFile {
  FolderKey folder = 0;
  std::string name{};
  FileStamp stamp{};
  std::uint8_t algorithm = 0;
  std::string hash{};
};

struct KnownTotal {
  std::uint64_t files = 0;
  std::uint64_t bytes = 0;
};

struct HashNote {
  FolderKey folder = 0;
  std::string_view name{};
  FileStamp stamp{};  // of the file when its contents were read
  std::uint8_t algorithm = 0;
  std::string_view hash{};
};

struct Purged {
  std::int64_t files = 0;
  std::int64_t folders = 0;
};

// One thread.
class Catalogue final {
 public:
  enum class Access : std::uint8_t { read, write };
  [[nodiscard]] static Result<Catalogue> open(const std::string& path, Access access);

  [[nodiscard]] Result<About> about();
  [[nodiscard]] Result<std::vector<RootSummary>> roots();  // by path

  // Visits every file, including removed ones, of one root or all, by folder and then by name.
  // `on_file` returns false to stop. Memory use is constant.
  using OnFile = std::function<bool(const FileRow&)>;
  [[nodiscard]] Result<void> each_file(std::optional<std::int64_t> root, const OnFile& on_file);
  // The path of a folder, without a trailing slash. Valid until the next call.
  [[nodiscard]] Result<std::string_view> folder_path(FolderKey folder) {
    return paths_.path(folder);
  }

  // The records of one absolute path, one for each root that has it.
  [[nodiscard]] Result<std::vector<FileCard>> file(std::string_view path);

  // The folder at each of these absolute paths, below the root with the latest complete scan; 0:
  // not in the catalogue.
  [[nodiscard]] Result<std::vector<FolderKey>> folder_keys(std::span<const std::string> paths);

  // A page of the existing files that have a hash, of one root or all, ordered by folder and name:
  // at most `limit` files after `last`. No statement stays open between pages.
  [[nodiscard]] Result<std::vector<KnownFile>> hashed_files(std::optional<std::int64_t> root,
                                                            const KnownFile& last,
                                                            std::size_t limit);
  [[nodiscard]] Result<KnownTotal> hashed_total(std::optional<std::int64_t> root);

  // The files and folders that purge() would delete, at most: purge() keeps a folder that is not
  // empty.
  [[nodiscard]] Result<Purged> purgeable(WallTime before);

  // The problems of the file, in words; empty: none.
  [[nodiscard]] Result<std::vector<std::string>> check();
  // Writes a copy without a write-ahead log, complete and synced when this returns. The target must
  // not exist.
  [[nodiscard]] Result<void> export_to(const std::string& target);

  // The functions below need Access::write.

  // Stores the hashes of files whose recorded stamp still matches; returns how many.
  [[nodiscard]] Result<std::size_t> update_hashes(std::span<const HashNote> notes);
  // Deletes wrong hashes of files whose recorded stamp and hash still match; returns how many. The
  // next scan reads those files again.
  [[nodiscard]] Result<std::size_t> drop_hashes(std::span<const KnownFile> files);
  // The last epoch of a fleet that hashed files of this catalogue (engine/fleet.h); 0: none. It
  // never goes back.
  [[nodiscard]] Result<std::uint64_t> fleet_epoch();
  [[nodiscard]] Result<void> record_fleet_epoch(std::uint64_t epoch);
  // Deletes everything about a root.
  [[nodiscard]] Result<void> forget(const std::string& root, const Clock& clock);
  // Deletes the files and folders of all roots that were removed before this time, and the token
  // counts not used since.
  [[nodiscard]] Result<Purged> purge(WallTime before, const Clock& clock);
  // Returns the space of deleted rows to the file system.
  [[nodiscard]] Result<void> vacuum();

 private:
  Catalogue(store::Db db, FolderPaths paths) : db_(std::move(db)), paths_(std::move(paths)) {}

  store::Db db_;
  FolderPaths paths_;
};

}  // namespace tidemill::catalogue
