// The few system calls that a pair is made of. Those that act answer with an errno, 0 is success.
#pragma once

#include <sys/stat.h>

#include <cerrno>
#include <expected>
#include <string>

#include "tidemill/base/file_stamp.h"

namespace tidemill::dupes {

using Look = struct statx;

// An errno when the system did not tell. That nothing has the name is one answer of many: who takes
// every error for it believes that a file is gone because the disk is failing.
using Seen = std::expected<Look, int>;

// Of a name, without following it, or of an open file.
[[nodiscard]] Seen look_at(int folder, const std::string& name);
[[nodiscard]] Seen look_at(int file);
[[nodiscard]] inline bool is_missing(const Seen& seen) { return !seen && seen.error() == ENOENT; }

[[nodiscard]] bool is_same_file(const Look& one, const Look& other);
// Whether it is the file of a stamp in the journal. A disk may have another number since, after a
// restart; then size and time of modification must be the same as well.
[[nodiscard]] bool is_file_of(const Look& look, const FileStamp& stamp);
// The same file, and nothing that a write moves has moved. A rename or a link moves ctime, so this
// asks for it only in is_untouched(), which asks for owner and mode too.
[[nodiscard]] bool is_unwritten(const Look& before, const Look& now);
[[nodiscard]] bool is_untouched(const Look& before, const Look& now);

// Atomic; both must be there. EINVAL: the file system cannot.
[[nodiscard]] int exchange(int folder, const std::string& one, const std::string& other);
// EEXIST when there is something at `to`. A file system that cannot do this at once is asked twice:
// whether the name is free, and then to rename.
[[nodiscard]] int rename_to_free(int from_folder, const std::string& from, int to_folder,
                                 const std::string& to);
// Another name for an open file. ENOENT: it has no name left.
[[nodiscard]] int link_open(int file, int folder, const std::string& name);
// Another name in the same folder, for whatever has the first. EEXIST when the second is taken.
[[nodiscard]] int link_at(int folder, const std::string& from, const std::string& to);
[[nodiscard]] int unlink_at(int folder, const std::string& name);
[[nodiscard]] int sync_folder(int folder);

}  // namespace tidemill::dupes
