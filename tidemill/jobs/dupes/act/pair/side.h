// PairSide: one of the two files of a pair, open, with its state when it was opened. Comparer:
// reads and compares both.
//
// Only regular files are opened, without following symlinks and without blocking. The kept file and
// the duplicate must be the files that were scanned: same inode, size and mtime. The device number
// is not compared, because it may change with a reboot, nor is ctime, which this run changes when
// it works on another name of the file; every byte is compared anyway.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>

#include "tidemill/base/descriptor.h"
#include "tidemill/base/file_stamp.h"
#include "tidemill/io/hash/hasher.h"
#include "tidemill/jobs/dupes/act/pair/file.h"
#include "tidemill/jobs/dupes/act/pair/file_lease.h"
#include "tidemill/jobs/dupes/act/pair/places.h"
#include "tidemill/jobs/dupes/act/pair/refusal.h"

namespace tidemill::dupes {

struct PairSide {
  OpenFolder folder{};
  std::string name{};
  Descriptor file{};
  FileFacts seen{};  // when it was opened
  FileLease lease = FileLease::none;

  [[nodiscard]] bool is_leased() const { return lease == FileLease::held; }
  // Also true when the state of the lease cannot be queried.
  [[nodiscard]] bool is_lease_broken() const {
    return is_leased() && !is_unbroken(file.number()).value_or(false);
  }
};

// `who` begins the reason of a refusal: "the kept file".
[[nodiscard]] Tried<PairSide> open_side(PairPlaces& places, const Site& site, std::string_view who);
// The file at a name in an open folder.
[[nodiscard]] Tried<PairSide> open_side(OpenFolder folder, std::string name, std::string_view who);
[[nodiscard]] Tried<void> expect_scanned(const PairSide& side, const FileStamp& scanned,
                                         std::string_view who);
// Declined if a process has the file open for writing. If leases are not available, side.lease is
// none.
[[nodiscard]] Tried<void> lease(PairSide& side, std::string_view who);
// Declined with `reason` if a process waits to write to the file. Without a lease it always passes.
[[nodiscard]] Tried<void> expect_unbroken(const PairSide& side, std::string_view reason);
// The file is unchanged since it was opened, by its descriptor and by its name.
[[nodiscard]] Tried<void> expect_untouched(const PairSide& side, std::string_view who);

// One thread.
class Comparer {
 public:
  static constexpr std::size_t kBuffer = std::size_t{256} << 10U;

  [[nodiscard]] static Result<Comparer> make();

  // Returns the SHA-256 of the bytes. Declined if a byte or the size differs, a lease is broken, or
  // a file was truncated.
  [[nodiscard]] Tried<std::string> same(const PairSide& one, const PairSide& other,
                                        const std::stop_token& stop);
  // The SHA-256 of the first `size` bytes of an open file; declined if it is shorter.
  [[nodiscard]] Tried<std::string> digest_of(int file, std::uint64_t size,
                                             const std::stop_token& stop);
  // Whether these bytes have the digest of a step: its SHA-256, or the XXH3 of an older journal. An
  // empty digest never matches.
  [[nodiscard]] Tried<bool> has_digest(int file, std::uint64_t size, std::string_view digest,
                                       const std::stop_token& stop);

 private:
  Comparer(hash::Hasher hasher, hash::Hasher old_hasher);

  [[nodiscard]] Tried<std::string> digest_by(hash::Hasher& hasher, int file, std::uint64_t size,
                                             const std::stop_token& stop);

  hash::Hasher hasher_;
  hash::Hasher old_hasher_;
  std::unique_ptr<std::byte[]> one_;
  std::unique_ptr<std::byte[]> other_;
};

}  // namespace tidemill::dupes
