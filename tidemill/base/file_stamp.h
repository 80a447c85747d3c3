// FileStamp: identifies a version of a file. An equal stamp means the same file with the same
// contents: every write changes ctime, and no program can set ctime back. The exception is a second
// write within one tick of the file system's clock, which leaves the stamp unchanged; see
// is_fresh().
#pragma once

#include <sys/stat.h>
#include <sys/sysmacros.h>

#include <cstdint>

namespace tidemill {

struct FileStamp {
  std::uint64_t device = 0;
  std::uint64_t inode = 0;
  std::uint64_t size = 0;
  std::int64_t mtime_ns = 0;  // since 1970
  std::int64_t ctime_ns = 0;

  // Some file systems have a timestamp resolution of two seconds. While a stamp is younger than
  // that, a later write may get the same one.
  static constexpr std::int64_t kTickNs = 2'000'000'000;
  [[nodiscard]] bool is_fresh(std::int64_t now_ns) const {
    return ctime_ns > now_ns - kTickNs || mtime_ns > now_ns - kTickNs;
  }

  bool operator==(const FileStamp&) const = default;
};

[[nodiscard]] inline std::int64_t nanoseconds_of(const statx_timestamp& time) {
  return time.tv_sec * 1'000'000'000 + time.tv_nsec;
}

[[nodiscard]] inline FileStamp stamp_of(const struct statx& seen) {
  return {.device = makedev(seen.stx_dev_major, seen.stx_dev_minor),
          .inode = seen.stx_ino,
          .size = seen.stx_size,
          .mtime_ns = nanoseconds_of(seen.stx_mtime),
          .ctime_ns = nanoseconds_of(seen.stx_ctime)};
}

[[nodiscard]] inline FileStamp stamp_of(const struct stat& seen) {
  constexpr std::int64_t kSecond = 1'000'000'000;
  return {.device = seen.st_dev,
          .inode = seen.st_ino,
          .size = static_cast<std::uint64_t>(seen.st_size),
          .mtime_ns = seen.st_mtim.tv_sec * kSecond + seen.st_mtim.tv_nsec,
          .ctime_ns = seen.st_ctim.tv_sec * kSecond + seen.st_ctim.tv_nsec};
}

}  // namespace tidemill
