// Catalogue: a catalogue for those who do not scan: to read it, look after it, and make a copy. The
// tables are in docs/formats/catalogue.md, the scanner's side is scan.h.
//
// A file that is no catalogue, or of a newer version, is refused and stays as it was. Reading sees
// one state of the file for each call, also while somebody scans. What takes rows away works on one
// root at a time and is refused (kind held, Cure::retry) while somebody scans that root; it goes
// in short transactions, so a kill leaves a part of it done and the file whole.
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
  std::string machine_id{};  // empty: not known
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
  std::string ending{};  // "complete", "interrupted"; "running": it runs, or was killed
  // Of files that are there:
  std::uint64_t files = 0;
  std::uint64_t bytes = 0;
  std::uint64_t hashed = 0;
  std::uint64_t errors = 0;  // and of folders
  std::uint64_t removed = 0;
};

struct History {
  Seconds first_seen = 0;
  Seconds last_seen = 0;  // 0: of a file that is gone nobody knows
  Seconds changed_at = 0;
  Seconds removed_at = 0;
  Seconds restored_at = 0;
};

// Views are good until the callback returns.
struct FileRow {
  std::int64_t root = 0;
  FolderKey folder = 0;
  FileNote note{};
  History history{};
};

// A file as `file()` finds it. It owns its bytes.
struct FileCard {
  std::string root{};
  FolderKey folder = 0;
  FileStamp stamp{};
  std::uint8_t algorithm = 0;
  std::string hash{};
  std::string error{};
  History history{};
};

// A file that is there, and the hash that is known of it. It owns its bytes.
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
  FileStamp stamp{};  // at which the contents were read
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

  // Every file, removed ones too, folder by folder and sorted by name in each; of one root or all.
  // False from `on_file` ends it. Memory stays flat.
  using OnFile = std::function<bool(const FileRow&)>;
  [[nodiscard]] Result<void> each_file(std::optional<std::int64_t> root, const OnFile& on_file);
  // The path of a folder, without a slash at its end. Good until the next call.
  [[nodiscard]] Result<std::string_view> folder_path(FolderKey folder) {
    return paths_.path(folder);
  }

  // What is known of one absolute path, once for each root that has it.
  [[nodiscard]] Result<std::vector<FileCard>> file(std::string_view path);

  // The folder at each of these absolute paths, below the root that was last scanned whole; 0: it
  // is not known.
  [[nodiscard]] Result<std::vector<FolderKey>> folder_keys(std::span<const std::string> paths);

  // The files that are there and have a hash, of one root or all, in the order of folder and name:
  // at most `limit` of those behind `last`, so nothing is held open between two pages.
  [[nodiscard]] Result<std::vector<KnownFile>> hashed_files(std::optional<std::int64_t> root,
                                                            const KnownFile& last,
                                                            std::size_t limit);
  [[nodiscard]] Result<KnownTotal> hashed_total(std::optional<std::int64_t> root);

  // How much purge() would give up.
  [[nodiscard]] Result<Purged> purgeable(WallTime before);

  // What is wrong with the file, in words; empty: nothing.
  [[nodiscard]] Result<std::vector<std::string>> check();
  // A copy without a log, whole and on the disk when this returns; the target must not exist.
  [[nodiscard]] Result<void> export_to(const std::string& target);

  // The rest is for Access::write.

  // Takes the hashes of files that still have the stamp; says how many.
  [[nodiscard]] Result<std::size_t> update_hashes(std::span<const HashNote> notes);
  // Gives up hashes that turned out wrong, of files that still have this stamp and this hash; says
  // how many. The next scan reads those files again.
  [[nodiscard]] Result<std::size_t> drop_hashes(std::span<const KnownFile> files);
  // Gives up everything known of a root.
  [[nodiscard]] Result<void> forget(const std::string& root, const Clock& clock);
  // Gives up what was removed before a time, of all roots.
  [[nodiscard]] Result<Purged> purge(WallTime before, const Clock& clock);
  // Gives the room of what was given up back to the disk.
  [[nodiscard]] Result<void> vacuum();

 private:
  Catalogue(store::Db db, FolderPaths paths) : db_(std::move(db)), paths_(std::move(paths)) {}

  store::Db db_;
  FolderPaths paths_;
};

}  // namespace tidemill::catalogue
