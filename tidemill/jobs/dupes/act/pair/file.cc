#include "tidemill/jobs/dupes/act/pair/file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>

#include "tidemill/base/file_stamp.h"

namespace tidemill::dupes {
namespace {

// FORCE_SYNC: a network file system must not answer from its cache.
constexpr int kHow = AT_SYMLINK_NOFOLLOW | AT_STATX_FORCE_SYNC | AT_NO_AUTOMOUNT;
constexpr unsigned kWhat = STATX_BASIC_STATS | STATX_BTIME;

bool has_same_time(const statx_timestamp& one, const statx_timestamp& other) {
  return one.tv_sec == other.tv_sec && one.tv_nsec == other.tv_nsec;
}

}  // namespace

FileLookup look_at(int folder, const std::string& name) {
  FileFacts seen{};
  if (::statx(folder, name.c_str(), kHow, kWhat, &seen) != 0) {
    return std::unexpected(errno);
  }
  return seen;
}

FileLookup look_at(int file) {
  FileFacts seen{};
  if (::statx(file, "", kHow | AT_EMPTY_PATH, kWhat, &seen) != 0) {
    return std::unexpected(errno);
  }
  return seen;
}

bool is_same_file(const FileFacts& one, const FileFacts& other) {
  return one.stx_ino == other.stx_ino && one.stx_dev_major == other.stx_dev_major &&
         one.stx_dev_minor == other.stx_dev_minor;
}

bool is_file_of(const FileFacts& look, const FileStamp& stamp) {
  const FileStamp now = stamp_of(look);
  if (now.inode != stamp.inode) return false;
  return now.device == stamp.device || (now.size == stamp.size && now.mtime_ns == stamp.mtime_ns);
}

bool is_unwritten(const FileFacts& before, const FileFacts& now) {
  return is_same_file(before, now) && before.stx_size == now.stx_size &&
         has_same_time(before.stx_mtime, now.stx_mtime);
}

bool is_untouched(const FileFacts& before, const FileFacts& now) {
  return is_unwritten(before, now) && has_same_time(before.stx_ctime, now.stx_ctime) &&
         before.stx_mode == now.stx_mode && before.stx_uid == now.stx_uid &&
         before.stx_gid == now.stx_gid;
}

int exchange(int folder, const std::string& one, const std::string& other) {
  const int answer = ::renameat2(folder, one.c_str(), folder, other.c_str(), RENAME_EXCHANGE);
  return answer == 0 ? 0 : errno == ENOSYS ? EINVAL : errno;
}

int rename_to_free(int from_folder, const std::string& from, int to_folder, const std::string& to) {
  if (::renameat2(from_folder, from.c_str(), to_folder, to.c_str(), RENAME_NOREPLACE) == 0) {
    return 0;
  }
  if (errno != EINVAL && errno != ENOSYS) return errno;
  const FileLookup there = look_at(to_folder, to);
  if (there) return EEXIST;
  if (!is_missing(there)) return there.error();
  return ::renameat(from_folder, from.c_str(), to_folder, to.c_str()) == 0 ? 0 : errno;
}

int link_open(int file, int folder, const std::string& name) {
  const std::string magic = "/proc/self/fd/" + std::to_string(file);
  if (::linkat(AT_FDCWD, magic.c_str(), folder, name.c_str(), AT_SYMLINK_FOLLOW) == 0) return 0;
  if (errno != ENOENT) return errno;
  // Without /proc, root may do the same.
  return ::linkat(file, "", folder, name.c_str(), AT_EMPTY_PATH) == 0 ? 0 : errno;
}

int link_at(int folder, const std::string& from, const std::string& to) {
  return ::linkat(folder, from.c_str(), folder, to.c_str(), 0) == 0 ? 0 : errno;
}

int unlink_at(int folder, const std::string& name) {
  return ::unlinkat(folder, name.c_str(), 0) == 0 ? 0 : errno;
}

int sync_folder(int folder) {
  if (::fsync(folder) == 0) return 0;
  return errno == EINVAL || errno == EROFS ? 0 : errno;  // these cannot sync a folder
}

}  // namespace tidemill::dupes
