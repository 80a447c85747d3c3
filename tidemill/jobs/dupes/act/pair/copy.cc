#include "tidemill/jobs/dupes/act/pair/copy.h"

#include <fcntl.h>
#include <linux/fs.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <vector>

#include "tidemill/base/try.h"
#include "tidemill/jobs/dupes/act/pair/file.h"

namespace tidemill::dupes {
namespace {

constexpr std::size_t kPiece = std::size_t{8} << 20U;
constexpr std::size_t kBuffer = std::size_t{256} << 10U;

// For file systems between which copy_file_range() does not work.
ssize_t copy_by_hand(int from, int to, off_t at, std::size_t size) {
  std::vector<char> buffer(std::min(size, kBuffer));
  const ssize_t got = ::pread(from, buffer.data(), buffer.size(), at);
  for (ssize_t done = 0; done < got;) {
    const ssize_t put =
        ::pwrite(to, buffer.data() + done, static_cast<std::size_t>(got - done), at + done);
    if (put < 0 && errno == EINTR) continue;
    if (put < 0) return -1;
    done += put;
  }
  return got;
}

Tried<void> copy_range(int from, int to, off_t begin, off_t end, const std::stop_token& stop) {
  while (begin < end) {
    if (stop.stop_requested()) return stopped();
    const std::size_t size = std::min(kPiece, static_cast<std::size_t>(end - begin));
    off_t in = begin;
    off_t out = begin;
    ssize_t got = ::copy_file_range(from, &in, to, &out, size, 0);
    const bool is_refused = got < 0 && (errno == EXDEV || errno == EINVAL || errno == ENOSYS ||
                                        errno == EOPNOTSUPP || errno == EBADF);
    if (is_refused || got == 0) got = copy_by_hand(from, to, begin, size);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return failed("copy", errno);
    if (got == 0) return declined("was truncated in the meantime");
    begin += got;
  }
  return {};
}

Tried<void> copy_bytes(int from, int to, off_t size, const std::stop_token& stop) {
  if (::ioctl(to, FICLONE, from) == 0) return {};
  if (::ftruncate(to, size) != 0) return failed("copy", errno);
  for (off_t at = 0; at < size;) {
    const off_t begin = ::lseek(from, at, SEEK_DATA);
    if (begin < 0 && errno == ENXIO) return {};  // a hole up to the end
    const off_t hole = begin < 0 ? -1 : ::lseek(from, begin, SEEK_HOLE);
    const bool is_known = begin >= at && hole > begin;
    const off_t end = is_known ? std::min(hole, size) : size;
    TRY(copy_range(from, to, is_known ? begin : at, end, stop));
    at = end;
  }
  return {};
}

Tried<void> fill(int from, int to, std::uint64_t size, const Metadata& metadata,
                 const std::stop_token& stop, const CopyCheck& check) {
  TRY(copy_bytes(from, to, static_cast<off_t>(size), stop));
  if (check) TRY(check(to));
  if (auto given = give_metadata(to, metadata); !given) return failed(text_of(given.error()));
  return {};
}

std::unexpected<Refusal> without_copy(int folder, const std::string& name, Refusal why) {
  const int error = unlink_at(folder, name);
  if (error == 0) return std::unexpected(std::move(why));
  return failed(why.reason + "; " + name + " was left behind", error);
}

}  // namespace

Tried<Descriptor> copy_unsynced(int from, std::uint64_t size, int folder, const std::string& name,
                                const Metadata& metadata, const std::stop_token& stop,
                                const CopyCheck& check) {
  constexpr int kNew = O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC;
  Descriptor to(::openat(folder, name.c_str(), kNew, 0600));
  if (!to.is_open()) return failed("cannot create a copy", errno);
  if (auto filled = fill(from, to.number(), size, metadata, stop, check); !filled) {
    return without_copy(folder, name, std::move(filled).error());
  }
  return to;
}

Tried<Descriptor> copy_to(int from, std::uint64_t size, int folder, const std::string& name,
                          const Metadata& metadata, const std::stop_token& stop,
                          const CopyCheck& check) {
  LET(Descriptor to, copy_unsynced(from, size, folder, name, metadata, stop, check));
  if (::fsync(to.number()) != 0) {
    return without_copy(folder, name, failed("fsync", errno).error());
  }
  return to;
}

}  // namespace tidemill::dupes
