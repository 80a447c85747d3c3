// walk(): reports every regular file below a root, in an order that is the same on every machine.
//
// Order: the entries of a folder are sorted by the bytes of their names, and a folder is entered at
// its own place in that order. Paths are therefore ordered component by component ("a/x" before
// "a.txt"), and a walk can be resumed after any path: folders entirely before it are not listed.
//
// Symlinks are not followed, but the root may be one. FIFOs, sockets, devices and symlinks are
// counted, not reported. A root that is a regular file is reported as itself, whatever the globs
// say. Depth and length of paths have no limit: folders are opened relative to their parents, and
// at most 64 descriptors are open. A folder higher up is closed, and opened again from the root by
// its names when it is needed. If a different folder has that name by then, each remaining
// subfolder of the old one is reported to on_failure.
//
// Ignore files are read in each folder, also on the way to the place where a walk resumes; only the
// rules of the folders between the root and the current position are kept.
//
// Some failures are reported to on_failure, and the walk continues: a folder that cannot be read,
// has vanished or has an unusable ignore file (step "ignore"), of which nothing is reported, and an
// entry whose stat fails. The walk itself fails when the root cannot be opened (kind unreadable), a
// pattern is invalid ("glob") or `after` is not below the root ("resume").
#pragma once

#include <cstdint>
#include <functional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "tidemill/base/file_stamp.h"
#include "tidemill/base/result.h"

namespace tidemill::walk {

struct WalkOptions {
  std::vector<std::string> globs{};         // none: every file
  std::vector<std::string> excludes{};      // win over globs; an excluded folder is not entered
  std::vector<std::string> ignore_files{};  // names of files with gitignore(5) rules
  bool hidden = true;                       // false: skip names that begin with '.'
  bool sizes = false;                       // and stamps; costs one system call per file
};

struct FoundFile {
  std::string_view path;   // root as given, '/', path below it; only valid during the call
  std::uint64_t size = 0;  // 0 without WalkOptions::sizes
  FileStamp stamp{};       // all zero without WalkOptions::sizes
};

enum class WalkEnd : std::uint8_t {
  complete,
  told,     // ended by on_file
  stopped,  // by the token
};

struct WalkReport {
  WalkEnd end = WalkEnd::complete;
  std::uint64_t files = 0;     // reported
  std::uint64_t folders = 0;   // listed, including the root
  std::uint64_t others = 0;    // neither files nor folders
  std::uint64_t left_out = 0;  // files and folders: excluded, ignored or hidden
  std::uint64_t failures = 0;

  bool operator==(const WalkReport&) const = default;
};

// Both are called on the walking thread. They may change the tree.
using OnFile = std::function<bool(const FoundFile&)>;  // false ends the walk
using OnFailure = std::function<void(std::string_view path, const Failure&)>;

// `after` is a path that an earlier walk of the same root reported, or empty. Only files after it
// in the order are reported, whether or not that file still exists. The token is checked for every
// folder and every 1,000 entries.
[[nodiscard]] Result<WalkReport> walk(const std::string& root, const WalkOptions& options,
                                      std::string_view after, const std::stop_token& stop,
                                      const OnFile& on_file, const OnFailure& on_failure);

}  // namespace tidemill::walk
