// Side: one of the two files of a pair, open, as it was when it was opened. Comparer: reads both.
//
// Nothing that can hang or be followed is opened. The kept file and the duplicate must be the
// regular files that were scanned: same device, inode, size and mtime. ctime is not asked for:
// what this very run does to another name of a file moves it, and every byte is compared anyway.
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
#include "tidemill/jobs/dupes/act/pair/lease.h"
#include "tidemill/jobs/dupes/act/pair/places.h"
#include "tidemill/jobs/dupes/act/pair/refusal.h"

namespace tidemill::dupes {

struct Side {
  OpenFolder folder{};
  std::string name{};
  Descriptor file{};
  Look seen{};  // when it was opened
  Lease lease = Lease::none;

  [[nodiscard]] bool is_leased() const { return lease == Lease::held; }
  // Also when nobody can say.
  [[nodiscard]] bool is_lease_broken() const {
    return is_leased() && !is_unbroken(file.number()).value_or(false);
  }
};

// `who` begins the reason of a refusal: "the kept file".
[[nodiscard]] Tried<Side> open_side(Places& places, const Site& site, std::string_view who);
// The file at a name in an open folder.
[[nodiscard]] Tried<Side> open_side(OpenFolder folder, std::string name, std::string_view who);
[[nodiscard]] Tried<void> expect_scanned(const Side& side, const FileStamp& scanned,
                                         std::string_view who);
// Declined when somebody has it open for writing; without a lease it is none.
[[nodiscard]] Tried<void> lease(Side& side, std::string_view who);
// Declined with the reason when somebody wants to write to it; without a lease nobody can say.
[[nodiscard]] Tried<void> expect_unbroken(const Side& side, std::string_view reason);
// It is what it was when it was opened, by its descriptor and by its name.
[[nodiscard]] Tried<void> expect_untouched(const Side& side, std::string_view who);

// One thread.
class Comparer {
 public:
  static constexpr std::size_t kBuffer = std::size_t{256} << 10U;

  [[nodiscard]] static Result<Comparer> make();

  // Declined when a byte differs, a lease is broken or one of them is shorter than it was. The
  // SHA-256 of the bytes otherwise.
  [[nodiscard]] Tried<std::string> same(const Side& one, const Side& other,
                                        const std::stop_token& stop);
  // Of the first `size` bytes of an open file; declined when there are fewer.
  [[nodiscard]] Tried<std::string> digest_of(int file, std::uint64_t size,
                                             const std::stop_token& stop);
  // Whether these bytes have the digest of a step: its SHA-256, or the XXH3 of an older journal. An
  // empty one is nobody's.
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
