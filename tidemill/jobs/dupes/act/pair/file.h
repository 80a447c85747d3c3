// The system calls that pairs are built on. Functions that change something return an errno; 0 is
// success.
#pragma once

#include <sys/stat.h>

#include <cerrno>
#include <expected>
#include <string>

#include "tidemill/base/file_stamp.h"

namespace tidemill::dupes {

using FileFacts = struct statx;

// The error is an errno. Only ENOENT means that the name does not exist (is_missing()): if every
// error meant that, a failing disk would look like a deleted file.
using FileLookup = std::expected<FileFacts, int>;

// Of a name, without following it, or of an open file.
[[nodiscard]] FileLookup look_at(int folder, const std::string& name);
[[nodiscard]] FileLookup look_at(int file);
[[nodiscard]] inline bool is_missing(const FileLookup& seen) {
  return !seen && seen.error() == ENOENT;
}

[[nodiscard]] bool is_same_file(const FileFacts& one, const FileFacts& other);
// Whether it is the file of a stamp in the journal. The device number may change with a reboot;
// then size and modification time must be equal as well.
[[nodiscard]] bool is_file_of(const FileFacts& look, const FileStamp& stamp);
// The same file, with the same size and mtime. Only is_untouched() compares ctime, which a rename
// or a link changes, and owner, group and mode.
[[nodiscard]] bool is_unwritten(const FileFacts& before, const FileFacts& now);
[[nodiscard]] bool is_untouched(const FileFacts& before, const FileFacts& now);

// Atomic; both names must exist. EINVAL: the file system does not support it.
[[nodiscard]] int exchange(int folder, const std::string& one, const std::string& other);
// EEXIST: `to` exists. On a file system without RENAME_NOREPLACE this is not atomic: it checks that
// the name is free, and then renames.
[[nodiscard]] int rename_to_free(int from_folder, const std::string& from, int to_folder,
                                 const std::string& to);
// Creates another name for an open file. ENOENT: it has no name left.
[[nodiscard]] int link_open(int file, int folder, const std::string& name);
// Creates another name in the same folder for the file at `from`. EEXIST: `to` exists.
[[nodiscard]] int link_at(int folder, const std::string& from, const std::string& to);
[[nodiscard]] int unlink_at(int folder, const std::string& name);
[[nodiscard]] int sync_folder(int folder);

}  // namespace tidemill::dupes
