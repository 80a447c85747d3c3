#include "tidemill/jobs/dupes/act/pair/reflink.h"

#include <linux/fs.h>
#include <sys/ioctl.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <string_view>

namespace tidemill::dupes {
namespace {

constexpr std::uint64_t kStep = std::uint64_t{16} << 20U;  // the limit of btrfs per call

// The request ends with an array of targets, here of length one.
struct Request {
  alignas(file_dedupe_range)
      std::array<std::byte, sizeof(file_dedupe_range) + sizeof(file_dedupe_range_info)> bytes{};

  [[nodiscard]] file_dedupe_range* head() {
    return reinterpret_cast<file_dedupe_range*>(bytes.data());  // NOLINT: the kernel's layout
  }
};

// Returns an errno; 0: done, or the bytes differ (see the status in the request).
int ask(int kept, int duplicate, std::uint64_t at, std::uint64_t size, Request& request) {
  file_dedupe_range& range = *request.head();
  range.src_offset = at;
  range.src_length = size;
  range.dest_count = 1;
  range.info[0].dest_fd = duplicate;
  range.info[0].dest_offset = at;
  if (::ioctl(kept, FIDEDUPERANGE, &range) != 0) return errno;
  return range.info[0].status < 0 ? -range.info[0].status : 0;
}

constexpr std::string_view kCannot = "the file system cannot share blocks";

std::unexpected<Refusal> refused(int error) {
  switch (error) {
    case EOPNOTSUPP:
    case ENOTTY:
    case EINVAL:
    case EXDEV:
      return declined("the file system cannot share blocks between these files");
    case EPERM:
    case EACCES:
      return declined("the duplicate is not writable");
    case ETXTBSY:
      return declined("the duplicate is in use");
    default:
      return failed("cannot share blocks", error);
  }
}

}  // namespace

Tried<void> share_blocks(int kept, int duplicate, std::uint64_t size, const std::stop_token& stop) {
  for (std::uint64_t at = 0; at < size;) {
    if (stop.stop_requested()) return stopped();
    Request request;
    const int error = ask(kept, duplicate, at, std::min(kStep, size - at), request);
    if (error != 0) return refused(error);
    const file_dedupe_range& range = *request.head();
    if (range.info[0].status == FILE_DEDUPE_RANGE_DIFFERS) return declined("the contents differ");
    // Some file systems share complete blocks only, and leave the rest of the last one.
    if (range.info[0].bytes_deduped == 0) return {};
    at += range.info[0].bytes_deduped;
  }
  return {};
}

Tried<void> ShareProbe::expect_known(const FileStamp& kept, const FileStamp& duplicate) const {
  const auto known = known_.find({kept.device, duplicate.device});
  if (known != known_.end() && !known->second.empty()) return declined(known->second);
  return {};
}

Tried<void> ShareProbe::expect(int kept, int duplicate, const FileStamp& kept_stamp,
                               const FileStamp& stamp) {
  const Devices devices = {kept_stamp.device, stamp.device};
  if (known_.contains(devices)) return expect_known(kept_stamp, stamp);
  constexpr std::uint64_t kBlock = 4'096;
  Request between;
  Request within;
  int error = ask(kept, duplicate, 0, 0, between);  // zero bytes, between the two files
  if (error == 0) error = ask(duplicate, duplicate, 0, std::min(kBlock, stamp.size), within);
  switch (error) {
    case 0:
    case EINVAL:  // a block cannot share with itself
      known_[devices] = "";
      break;
    case EOPNOTSUPP:
    case ENOTTY:
      known_[devices] = kCannot;
      break;
    case EXDEV:
      known_[devices] = "the files are on different file systems";
      break;
    default:
      ++unanswered_;
      return {};
  }
  return expect_known(kept_stamp, stamp);
}

}  // namespace tidemill::dupes
