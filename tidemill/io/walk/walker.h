// walk(): every regular file below a root, in an order that is the same on every machine.
//
// Order: the entries of a folder are sorted by the bytes of their names, and a folder is entered
// where it stands. So paths come in the order of their parts ("a/x" before "a.txt"), and a walk can
// be taken up behind any path: what lies wholly before it is not even listed.
//
// Symlinks are not followed, but the root may be one. FIFOs, sockets, devices and symlinks are
// counted, not reported. A root that is a regular file is reported as itself, whatever the globs
// say. There is no limit to the depth or the length of a path: folders are opened relative to their
// parents and at most 64 descriptors are open; a folder higher up is closed, and opened again from
// the root by its names when it is needed. If another folder stands there by then, each subfolder
// of the old one that was still to come is a trouble.
//
// Ignore files are read where they stand, also on the way to where a walk is taken up; the rules of
// the folders between the root and where the walk stands are kept, no others.
//
// A folder that may not be read or has vanished, or whose ignore file cannot be used (step
// "ignore"), and an entry that cannot be looked at, are told to on_trouble, and the walk goes on:
// of such a folder nothing is reported. The walk itself fails when the root cannot be opened (kind
// unreadable), a pattern makes no sense ("glob") or `after` is not below the root ("resume").
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
  std::vector<std::string> ignore_files{};  // names of files with rules as of gitignore(5)
  bool hidden = true;                       // false: names that begin with '.' are left out
  bool sizes = false;                       // and stamps; costs one system call a file
};

struct FoundFile {
  std::string_view path;   // root as given, '/', path below it; only valid during the call
  std::uint64_t size = 0;  // 0 when no sizes were asked for
  FileStamp stamp{};       // all zero likewise
};

enum class WalkEnd : std::uint8_t {
  complete,
  told,     // on_file said so
  stopped,  // the token said so
};

struct WalkReport {
  WalkEnd end = WalkEnd::complete;
  std::uint64_t files = 0;     // reported
  std::uint64_t folders = 0;   // listed, the root too
  std::uint64_t others = 0;    // neither file nor folder
  std::uint64_t left_out = 0;  // files and folders, by a pattern, a rule or because they are hidden
  std::uint64_t troubles = 0;

  bool operator==(const WalkReport&) const = default;
};

// Both are called by the thread that walks. They may change the tree.
using OnFile = std::function<bool(const FoundFile&)>;  // false ends the walk
using OnTrouble = std::function<void(std::string_view path, const Failure&)>;

// `after`: a path that an earlier walk of the same root reported, or empty. Only what comes behind
// it in the order is reported, whether or not that file is still there. The token is looked at for
// every folder and every 1,000 entries.
[[nodiscard]] Result<WalkReport> walk(const std::string& root, const WalkOptions& options,
                                      std::string_view after, const std::stop_token& stop,
                                      const OnFile& on_file, const OnTrouble& on_trouble);

}  // namespace tidemill::walk
