// share_blocks: makes a duplicate share the blocks of the kept file. The kernel compares and shares
// each range in one operation, with both files locked, so no write can come in between; neither
// file changes visibly.
//
// ShareProbe: whether that would work, without doing it. It requests that a block share with
// itself. The kernel refuses this everywhere, but if the file system cannot share blocks, that is
// the error it returns. Nothing is written, and each pair of devices is probed once.
#pragma once

#include <cstdint>
#include <map>
#include <stop_token>
#include <string>
#include <utility>

#include "tidemill/base/file_stamp.h"
#include "tidemill/jobs/dupes/act/pair/refusal.h"

namespace tidemill::dupes {

// Declined: the bytes differ, or the file system cannot share.
[[nodiscard]] Tried<void> share_blocks(int kept, int duplicate, std::uint64_t size,
                                       const std::stop_token& stop);

// One thread.
class ShareProbe {
 public:
  // Declined if files on these devices are known to be unable to share.
  [[nodiscard]] Tried<void> expect_known(const FileStamp& kept, const FileStamp& duplicate) const;
  // The same, and probes if it is not known. Without write permission to the duplicate, or on a
  // read-only file system, the kernel gives no answer: that is not declined, but counted.
  [[nodiscard]] Tried<void> expect(int kept, int duplicate, const FileStamp& kept_stamp,
                                   const FileStamp& stamp);
  [[nodiscard]] std::uint64_t unanswered() const { return unanswered_; }

 private:
  using Devices = std::pair<std::uint64_t, std::uint64_t>;

  std::map<Devices, std::string> known_;  // why they cannot share; empty: they can
  std::uint64_t unanswered_ = 0;
};

}  // namespace tidemill::dupes
