// share_blocks: lets a duplicate share the blocks of the kept file. The kernel compares the bytes
// and shares them in one go, with both files locked, so nothing can come in between; neither file
// changes in any way that can be seen.
//
// ShareProbe: whether it could, without doing it. The kernel is asked to let a block share with
// itself, which it refuses everywhere, but first because of the file system if that is the reason.
// Nothing is written, and each file system is asked once.
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
  // Declined when it is known that files on these devices cannot share.
  [[nodiscard]] Tried<void> expect_known(const FileStamp& kept, const FileStamp& duplicate) const;
  // The same, and the kernel is asked if it is not known. Who may not write to the duplicate, or
  // only reads the file system, gets no answer: that is not declined, and is counted.
  [[nodiscard]] Tried<void> expect(int kept, int duplicate, const FileStamp& kept_stamp,
                                   const FileStamp& stamp);
  [[nodiscard]] std::uint64_t unanswered() const { return unanswered_; }

 private:
  using Devices = std::pair<std::uint64_t, std::uint64_t>;

  std::map<Devices, std::string> known_;  // why they cannot; empty: they can
  std::uint64_t unanswered_ = 0;
};

}  // namespace tidemill::dupes
