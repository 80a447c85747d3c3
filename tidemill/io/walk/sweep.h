// sweep(): visits every folder below some roots, with several threads, and reports the statx data
// of each file. This is the fast walk, for jobs that need the complete tree in any order; walker.h
// has the slower one, with a fixed order that can be resumed.
//
//   queue of folders ──► worker: open, getdents64, statx of each file ──► listener.folder(...)
//         ▲                                                                      │
//         └───────────────────────────── subfolders ◄────────────────────────────┘
//
// Parents come first: the call for a folder has returned before any of its subfolders is opened. A
// folder is opened relative to the descriptor of its parent or root, and statx is relative to the
// folder, so depth and length of paths have no limit. Files are never opened, except ignore files;
// FIFOs, sockets, devices (and symlinks, unless followed) are only counted. At most 256 parent
// folders, and at most a quarter of the descriptor limit, are kept open.
//
// These are reported to the listener with errno, and the sweep continues: an entry whose statx
// fails or that has vanished, a folder that cannot be read or whose ignore file cannot be used, a
// symlink loop. The sweep itself fails when a root cannot be opened ("open"), a pattern is invalid
// ("glob") or a worker runs out of memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "tidemill/base/file_stamp.h"
#include "tidemill/base/result.h"
#include "tidemill/io/walk/folder_tree.h"

namespace tidemill::walk {

struct SweepOptions {
  std::vector<std::string> globs{};         // as in walker.h
  std::vector<std::string> excludes{};      //
  std::vector<std::string> ignore_files{};  // names of files with rules as of gitignore(5)
  bool hidden = true;
  bool follow = false;      // symlinks; each folder is entered once per root
  bool one_device = false;  // do not enter folders on another device than their root
  std::uint64_t least_size = 0;
  std::uint64_t most_size = std::numeric_limits<std::uint64_t>::max();
  std::int64_t changed_from_ns = std::numeric_limits<std::int64_t>::min();  // mtime, inclusive
  std::int64_t changed_to_ns = std::numeric_limits<std::int64_t>::max();
  std::size_t threads = 2;
};

// left_out: the file exists but is excluded by a pattern, an ignore rule or a filter, or is hidden;
// its stamp may be all zero.
enum class SweepDecision : std::uint8_t { taken, left_out, failed };

struct SweptFile {
  std::string_view name{};  // NUL-terminated
  FileStamp stamp{};
  std::uint64_t blocks = 0;  // of 512 bytes
  std::uint32_t links = 0;
  SweepDecision decision = SweepDecision::taken;
  bool is_link = false;  // a followed symlink; the stamp is the target's
  int error = 0;         // errno, for SweepDecision::failed
};

struct SweptSubfolder {
  std::string_view name{};
  FolderId id = kNoFolder;  // kNoFolder: left out, not entered
  std::uint64_t tag = 0;    // set by the listener; passed on to the call for the subfolder
};

// All views are valid only during the call.
struct SweptFolder {
  FolderId id = 0;
  std::uint64_t tag = 0;   // 0 for a root
  std::size_t worker = 0;  // below SweepOptions::threads; calls of one worker never overlap
  FileStamp stamp{};
  std::span<SweptFile> files{};  // including those left out; in inode order
  std::span<SweptSubfolder> subfolders{};
};

class SweepListener {
 public:
  virtual ~SweepListener() = default;
  // Called by several workers at once. Return false to end the sweep.
  virtual bool folder(SweptFolder& folder) = 0;
  // The folder could not be opened or read completely; folder() is not called for it, so a listener
  // never sees part of a folder.
  virtual void failure(FolderId folder, std::uint64_t tag, int error) = 0;
};

struct SweepReport {
  bool is_complete = true;  // false: stopped by the token or by the listener
  std::uint64_t files = 0;  // taken
  std::uint64_t folders = 0;
  std::uint64_t others = 0;    // neither files nor folders
  std::uint64_t left_out = 0;  // files and folders
  std::uint64_t failures = 0;  // folders and files
};

// A root may be a symlink. It may also be a regular file: then the folder that contains it is
// reported with this one file, whatever the patterns say. The roots are added to the tree first, in
// their order. A folder reached from two roots is reported twice. The token is checked for every
// folder and every 1,000 entries.
[[nodiscard]] Result<SweepReport> sweep(const std::vector<std::string>& roots,
                                        const SweepOptions& options, FolderTree& tree,
                                        SweepListener& listener, const std::stop_token& stop);

}  // namespace tidemill::walk
