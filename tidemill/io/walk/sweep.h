// sweep(): every folder below some roots, by several threads at once, with what statx says about
// each file. The fast walk, for jobs that want the whole tree and do not care about the order;
// walker.h has the slow one, whose order can be resumed.
//
//   queue of folders ──► worker: open, getdents64, statx of each file ──► listener.folder(...)
//         ▲                                                                      │
//         └───────────────────────────── subfolders ◄────────────────────────────┘
//
// Parents first: the call for a folder has returned before one of its subfolders is opened. A
// folder is opened relative to the descriptor of its parent, a file is looked at relative to its
// folder; nothing is opened by a full path, so depth and length of paths have no limit. Files are
// never opened, but for ignore files; FIFOs, sockets, devices (and symlinks, unless followed) are
// only counted. At most 256 folders and a quarter of the descriptors are kept open.
//
// An entry that cannot be looked at or has vanished, a folder that may not be read or whose ignore
// file cannot be used, a loop of symlinks: told to the listener with errno, and the sweep goes on.
// The sweep itself fails when a root cannot be opened ("open") or a pattern makes no sense
// ("glob").
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
  std::vector<std::string> globs{};         // as of walker.h
  std::vector<std::string> excludes{};      //
  std::vector<std::string> ignore_files{};  // names of files with rules as of gitignore(5)
  bool hidden = true;
  bool follow = false;      // symlinks; below a root each folder is entered once
  bool one_device = false;  // folders on another device than their root are not entered
  std::uint64_t least_size = 0;
  std::uint64_t most_size = std::numeric_limits<std::uint64_t>::max();
  std::int64_t changed_from_ns = std::numeric_limits<std::int64_t>::min();  // mtime, both included
  std::int64_t changed_to_ns = std::numeric_limits<std::int64_t>::max();
  std::size_t threads = 2;
};

// Left out: by a pattern, a rule, a filter or because it is hidden. It is there, but not wanted;
// its stamp may be all zero.
enum class Verdict : std::uint8_t { taken, left_out, failed };

struct SweptFile {
  std::string_view name{};  // ends in a NUL
  FileStamp stamp{};
  std::uint64_t blocks = 0;  // of 512 bytes
  std::uint32_t links = 0;
  Verdict verdict = Verdict::taken;
  bool is_link = false;  // a followed symlink; the stamp is the target's
  int error = 0;         // of Verdict::failed
};

struct SweptSubfolder {
  std::string_view name{};
  FolderId id = kNoFolder;  // of one that will be entered; the others are left out
  std::uint64_t tag = 0;    // the listener may set it; it comes back with the folder
};

// All views are good during the call alone.
struct SweptFolder {
  FolderId id = 0;
  std::uint64_t tag = 0;   // 0 of a root
  std::size_t worker = 0;  // below SweepOptions::threads: no two calls with the same one overlap
  FileStamp stamp{};
  std::span<SweptFile> files{};  // those left out too; in the order of their inodes
  std::span<SweptSubfolder> subfolders{};
};

class SweepListener {
 public:
  virtual ~SweepListener() = default;
  // Called by several workers at once. False ends the sweep.
  virtual bool folder(SweptFolder& folder) = 0;
  // The folder could not be opened or read; folder() is not called for it. Of a folder read half
  // neither: what is not known whole is not told.
  virtual void trouble(FolderId folder, std::uint64_t tag, int error) = 0;
};

struct SweepReport {
  bool is_complete = true;  // false: stopped, or the listener said so
  std::uint64_t files = 0;  // taken
  std::uint64_t folders = 0;
  std::uint64_t others = 0;    // neither file nor folder
  std::uint64_t left_out = 0;  // files and folders
  std::uint64_t troubles = 0;  // folders and files
};

// A root may be a symlink, and may be a regular file: then its folder is told with this one file,
// whatever the patterns say, and the folder's path is that of the folder that holds it. The roots
// are the next folders of the tree, in their order. The same folder reached from two roots is told
// twice. The token is looked at for every folder and every 1,000 entries.
[[nodiscard]] Result<SweepReport> sweep(const std::vector<std::string>& roots,
                                        const SweepOptions& options, FolderTree& tree,
                                        SweepListener& listener, const std::stop_token& stop);

}  // namespace tidemill::walk
