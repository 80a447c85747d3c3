#include "tidemill/jobs/dupes/act/pair/side.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "tidemill/base/try.h"

namespace tidemill::dupes {
namespace {

constexpr int kRead = O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC | O_NOCTTY;
constexpr std::uint64_t kBetweenLooks = std::uint64_t{16} << 20U;  // bytes between lease checks

// Reads up to the end of the file. Returns the number of bytes; -1: see errno.
ssize_t read_all(int file, std::byte* to, std::size_t size, std::uint64_t from) {
  std::size_t have = 0;
  while (have < size) {
    const ssize_t got = ::pread(file, to + have, size - have, static_cast<off_t>(from + have));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return -1;
    if (got == 0) break;
    have += static_cast<std::size_t>(got);
  }
  return static_cast<ssize_t>(have);
}

Tried<void> read_block(int file, std::byte* to, std::size_t size, std::uint64_t from) {
  const ssize_t got = read_all(file, to, size, from);
  if (got < 0) return failed("read", errno);
  if (std::cmp_less(got, size)) return declined("was truncated in the meantime");
  return {};
}

std::string text_with(std::string_view who, std::string_view what) {
  return std::string(who).append(" ").append(what);
}

}  // namespace

Tried<PairSide> open_side(OpenFolder folder, std::string name, std::string_view who) {
  PairSide side{.folder = std::move(folder), .name = std::move(name)};
  const auto before = look_at(side.folder->number(), side.name);
  if (is_missing(before)) return declined(text_with(who, "no longer exists"));
  if (!before) return failed(text_with("cannot stat", who), before.error());
  if (!S_ISREG(before->stx_mode)) return declined(text_with(who, "is no longer a regular file"));
  const int folder_number = side.folder->number();
  side.file = Descriptor(::openat(folder_number, side.name.c_str(), kRead | O_NOATIME));
  if (!side.file.is_open() && errno == EPERM) {  // only the owner may use O_NOATIME
    side.file = Descriptor(::openat(folder_number, side.name.c_str(), kRead));
  }
  if (!side.file.is_open()) {
    const bool has_gone = errno == ENOENT || errno == ELOOP;
    if (has_gone) return declined(text_with(who, "no longer exists"));
    if (errno == EWOULDBLOCK) return declined(text_with(who, "is open for writing"));
    return failed(text_with("open", who), errno);
  }
  const auto seen = look_at(side.file.number());
  if (!seen) return failed(text_with("cannot stat", who), seen.error());
  if (!S_ISREG(seen->stx_mode)) return declined(text_with(who, "is no longer a regular file"));
  side.seen = *seen;
  return side;
}

Tried<PairSide> open_side(PairPlaces& places, const Site& site, std::string_view who) {
  auto folder = places.folder_of(site);
  if (!folder) {
    folder.error().reason = std::string(who) + ": " + folder.error().reason;
    return std::unexpected(std::move(folder).error());
  }
  auto side = open_side(*folder, site.name(), who);
  if (side || !is_out_of_files(side.error())) return side;
  places.forget();  // closes cached folders
  return open_side(*std::move(folder), site.name(), who);
}

Tried<void> expect_scanned(const PairSide& side, const FileStamp& scanned, std::string_view who) {
  const FileStamp now = stamp_of(side.seen);
  // Without the device number, which may change with a reboot. The bytes are compared anyway.
  const bool is_same =
      now.inode == scanned.inode && now.size == scanned.size && now.mtime_ns == scanned.mtime_ns;
  if (!is_same) return declined(text_with(who, "changed since the scan"));
  return {};
}

Tried<void> lease(PairSide& side, std::string_view who) {
  const auto taken = take_lease(side.file.number());
  if (!taken) return failed(text_with("cannot take a lease on", who), taken.error());
  side.lease = *taken;
  if (side.lease == FileLease::refused) return declined(text_with(who, "is open for writing"));
  return {};
}

Tried<void> expect_unbroken(const PairSide& side, std::string_view reason) {
  if (!side.is_leased()) return {};
  const auto unbroken = is_unbroken(side.file.number());
  if (!unbroken) return failed("cannot query the lease", unbroken.error());
  if (!*unbroken) return declined(std::string(reason));
  return {};
}

Tried<void> expect_untouched(const PairSide& side, std::string_view who) {
  const auto open = look_at(side.file.number());
  const auto named = look_at(side.folder->number(), side.name);
  if (!open) return failed(text_with("cannot stat", who), open.error());
  if (!named && !is_missing(named)) return failed(text_with("cannot stat", who), named.error());
  const std::string changed = text_with(who, "changed in the meantime");
  const bool is_same = named && is_untouched(side.seen, *open) && is_untouched(side.seen, *named);
  if (!is_same) return declined(changed);
  return expect_unbroken(side, changed);
}

namespace {

Tried<std::string> finished(hash::Hasher& hasher) {
  const hash::Digest digest = hasher.finish();
  if (digest.size == 0) return failed("hash", ENOMEM);
  return std::string(digest.view());
}

}  // namespace

Comparer::Comparer(hash::Hasher hasher, hash::Hasher old_hasher)
    : hasher_(std::move(hasher)),
      old_hasher_(std::move(old_hasher)),
      one_(std::make_unique_for_overwrite<std::byte[]>(kBuffer)),
      other_(std::make_unique_for_overwrite<std::byte[]>(kBuffer)) {}

Result<Comparer> Comparer::make() {
  LET(auto hasher, hash::Hasher::make(hash::Algorithm::sha256));
  LET(auto old_hasher, hash::Hasher::make(hash::Algorithm::xxh3));
  return Comparer(std::move(hasher), std::move(old_hasher));
}

Tried<std::string> Comparer::same(const PairSide& one, const PairSide& other,
                                  const std::stop_token& stop) {
  const std::uint64_t size = one.seen.stx_size;
  if (size != other.seen.stx_size) return declined("the sizes differ");
  (void)hasher_.finish();  // resets it after an aborted comparison
  for (std::uint64_t at = 0; at < size;) {
    const std::size_t block = std::min<std::uint64_t>(kBuffer, size - at);
    TRY(read_block(one.file.number(), one_.get(), block, at));
    TRY(read_block(other.file.number(), other_.get(), block, at));
    if (std::memcmp(one_.get(), other_.get(), block) != 0) return declined("the contents differ");
    hasher_.update({one_.get(), block});
    at += block;
    if (stop.stop_requested()) return stopped();
    if (at % kBetweenLooks != 0) continue;
    constexpr std::string_view kWanted = "another process wants to write to it";
    TRY(expect_unbroken(one, kWanted));
    TRY(expect_unbroken(other, kWanted));
  }
  return finished(hasher_);
}

Tried<std::string> Comparer::digest_by(hash::Hasher& hasher, int file, std::uint64_t size,
                                       const std::stop_token& stop) {
  (void)hasher.finish();  // resets it after an aborted comparison
  for (std::uint64_t at = 0; at < size;) {
    const std::size_t block = std::min<std::uint64_t>(kBuffer, size - at);
    TRY(read_block(file, one_.get(), block, at));
    hasher.update({one_.get(), block});
    at += block;
    if (stop.stop_requested()) return stopped();
  }
  return finished(hasher);
}

Tried<std::string> Comparer::digest_of(int file, std::uint64_t size, const std::stop_token& stop) {
  return digest_by(hasher_, file, size, stop);
}

Tried<bool> Comparer::has_digest(int file, std::uint64_t size, std::string_view digest,
                                 const std::stop_token& stop) {
  for (hash::Hasher* const hasher : {&hasher_, &old_hasher_}) {
    if (digest.size() != hash::width_of(hasher->algorithm())) continue;
    LET(const std::string has, digest_by(*hasher, file, size, stop));
    return has == digest;
  }
  return false;
}

}  // namespace tidemill::dupes
