#include "tidemill/io/hash/reader.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cassert>
#include <cerrno>
#include <cstring>
#include <string>
#include <utility>

#include "tidemill/base/descriptor.h"
#include "tidemill/base/system_text.h"
#include "tidemill/base/try.h"

namespace tidemill::hash {
namespace {

std::unexpected<Failure> failure_of(int error, const char* step) {
  const bool may_pass = error == EMFILE || error == ENFILE || error == ENOMEM || error == EAGAIN ||
                        error == EIO || error == ESTALE || error == ETIMEDOUT;
  return fail(may_pass ? Cure::retry : Cure::give_up, step, system_text(error));
}

std::unexpected<Failure> changed(const char* reason) {
  return fail(Cure::retry, FailureKind::changed, "changed", reason);
}

std::unexpected<Failure> no_regular_file() { return changed("no longer a regular file"); }
std::unexpected<Failure> stopped() { return fail(Cure::resume, "stop", "stopped"); }

// The contents are shorter or longer than the size of the file, although the stamp matches.
std::unexpected<Failure> false_length() {
  return fail(Cure::give_up, "read", "the contents do not have the length that the system reports");
}

int open_retrying(const FilePlace& place, int flags) {
  int number = -1;
  do {
    number = ::openat(place.folder, place.name, flags);
  } while (number < 0 && errno == EINTR);
  return number;
}

Result<Descriptor> open_file(const FilePlace& place) {
  const int flags = O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY | (place.is_link ? 0 : O_NOFOLLOW);
  Descriptor file(open_retrying(place, flags | O_NOATIME));
  // O_NOATIME is allowed only for the owner and root.
  if (!file.is_open() && errno == EPERM) file = Descriptor(open_retrying(place, flags));
  if (file.is_open()) return file;
  if (errno == ENOENT) {
    return fail(Cure::give_up, FailureKind::not_found, "gone", system_text(ENOENT));
  }
  if (errno == ELOOP || errno == ENXIO) return no_regular_file();  // a symlink; a socket
  return failure_of(errno, "open");
}

Result<void> check_stamp(int file, const FileStamp& expected) {
  struct stat seen{};
  if (::fstat(file, &seen) != 0) return failure_of(errno, "read");
  if (!S_ISREG(seen.st_mode)) return no_regular_file();
  const FileStamp now = stamp_of(seen);
  if (now == expected) return {};
  return changed(now.inode == expected.inode && now.device == expected.device
                     ? "changed while being read"
                     : "replaced by another file");
}

std::size_t least(std::uint64_t bytes, std::size_t room) {
  return static_cast<std::size_t>(std::min<std::uint64_t>(bytes, room));
}

}  // namespace

FileReader::FileReader(Hasher hasher, Hasher edge_hasher)
    : hasher_(std::move(hasher)),
      edge_hasher_(std::move(edge_hasher)),
      buffer_(std::make_unique_for_overwrite<std::byte[]>(kBuffer)) {}

Result<FileReader> FileReader::make(Algorithm algorithm) {
  LET(auto hasher, Hasher::make(algorithm));
  LET(auto edge_hasher, Hasher::make(Algorithm::xxh3));
  return FileReader(std::move(hasher), std::move(edge_hasher));
}

// Reads up to `left` bytes or until the room is full; fewer at the end of the file. Requests one
// byte more than `left`, which costs nothing and shows whether the file is longer. Uses pread(),
// which fails on FIFOs and terminals instead of consuming their data.
Result<std::size_t> FileReader::fill(int file, std::span<std::byte> room, std::uint64_t from,
                                     std::uint64_t left) {
  const std::size_t wanted = least(left, room.size());
  const std::size_t asked = least(left + 1, room.size());
  std::size_t filled = 0;
  do {
    const ssize_t got =
        ::pread(file, room.data() + filled, asked - filled, static_cast<off_t>(from + filled));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return failure_of(errno, "read");
    if (got == 0) break;
    filled += static_cast<std::size_t>(got);
    bytes_read_ += static_cast<std::uint64_t>(got);
    if (meter_ != nullptr) {
      meter_->fetch_add(static_cast<std::uint64_t>(got), std::memory_order_relaxed);
    }
  } while (filled < wanted);
  return filled;
}

// Checks the stamp only after reading: one fstat is enough, and a file costs four system calls.
Result<std::span<const std::byte>> FileReader::small(const FilePlace& place) {
  assert(place.stamp.size <= kSmall);
  LET(const Descriptor file, open_file(place));
  const std::span room(buffer_.get(), kBuffer);
  auto filled = fill(file.number(), room, 0, place.stamp.size);
  TRY(check_stamp(file.number(), place.stamp));
  if (!filled) return std::unexpected(std::move(filled).error());
  if (*filled != place.stamp.size) return false_length();
  return room.first(*filled);
}

Result<Digest> FileReader::digest_of(int file, std::uint64_t size, const std::stop_token& stop) {
  const std::span room(buffer_.get(), kBuffer);
  for (std::uint64_t done = 0; done < size;) {
    if (stop.stop_requested()) return stopped();
    const std::size_t wanted = least(size - done, room.size());
    LET(const std::size_t filled, fill(file, room, done, size - done));
    if (filled != wanted) return false_length();
    hasher_.update(room.first(filled));
    done += filled;
  }
  return hasher_.finish();
}

// Checks the stamp before reading too, because reading a large file in vain is expensive.
Result<Digest> FileReader::large(const FilePlace& place, const std::stop_token& stop) {
  LET(const Descriptor file, open_file(place));
  TRY(check_stamp(file.number(), place.stamp));
  auto digest = digest_of(file.number(), place.stamp.size, stop);
  if (!digest) static_cast<void>(hasher_.finish());  // resets the hasher
  TRY(check_stamp(file.number(), place.stamp));
  return digest;
}

Result<Digest> FileReader::whole(const FilePlace& place, const std::stop_token& stop) {
  if (stop.stop_requested()) return stopped();
  Digest digest;
  if (place.stamp.size <= kSmall) {
    LET(const auto bytes, small(place));
    digest = hasher_.of(bytes);
  } else {
    LET(digest, large(place, stop));
  }
  if (digest.size == 0) return fail(Cure::retry, "hash", "cannot compute the hash");
  return digest;
}

Result<Digest> FileReader::edges_of(int file, std::uint64_t size) {
  const std::size_t edge = least(size, kEdge);
  const std::span room(buffer_.get(), 2 * edge);
  LET(const std::size_t head, fill(file, room.first(edge), 0, edge));
  LET(const std::size_t tail, fill(file, room.last(edge), size - edge, edge));
  if (head != edge || tail != edge) return false_length();
  return edge_hasher_.of(room);
}

Result<Digest> FileReader::edges(const FilePlace& place, const std::stop_token& stop) {
  if (stop.stop_requested()) return stopped();
  LET(const Descriptor file, open_file(place));
  auto digest = edges_of(file.number(), place.stamp.size);
  TRY(check_stamp(file.number(), place.stamp));
  return digest;
}

Result<bool> FileReader::compare(int one, int other, std::uint64_t size,
                                 const std::stop_token& stop) {
  const std::span room(buffer_.get(), kBuffer);
  const std::span other_room(other_.get(), kBuffer);
  for (std::uint64_t done = 0; done < size;) {
    if (stop.stop_requested()) return stopped();
    const std::uint64_t left = size - done;
    LET(const std::size_t filled, fill(one, room, done, left));
    LET(const std::size_t other_filled, fill(other, other_room, done, left));
    const std::size_t wanted = least(left, kBuffer);
    if (filled != wanted || other_filled != wanted) return false_length();
    if (std::memcmp(room.data(), other_room.data(), wanted) != 0) return false;
    done += wanted;
  }
  return true;
}

Result<bool> FileReader::same(const FilePlace& one, const FilePlace& other,
                              const std::stop_token& stop) {
  if (one.stamp.size != other.stamp.size) return false;
  if (stop.stop_requested()) return stopped();
  LET(const Descriptor file, open_file(one));
  LET(const Descriptor other_file, open_file(other));
  if (one.stamp.size > kSmall) {
    TRY(check_stamp(file.number(), one.stamp));
    TRY(check_stamp(other_file.number(), other.stamp));
  }
  if (!other_) other_ = std::make_unique_for_overwrite<std::byte[]>(kBuffer);
  auto answer = compare(file.number(), other_file.number(), one.stamp.size, stop);
  TRY(check_stamp(file.number(), one.stamp));
  TRY(check_stamp(other_file.number(), other.stamp));
  return answer;
}

}  // namespace tidemill::hash
