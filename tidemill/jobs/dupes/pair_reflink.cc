#include "tidemill/jobs/dupes/pair_reflink.h"

#include <linux/fs.h>
#include <sys/ioctl.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

namespace tidemill::dupes {
namespace {

constexpr std::uint64_t kStep = std::uint64_t{16} << 20U;  // as much as btrfs takes at once

// The request ends in an array of targets; here there is one.
struct Request {
  alignas(file_dedupe_range)
      std::array<std::byte, sizeof(file_dedupe_range) + sizeof(file_dedupe_range_info)> bytes{};

  [[nodiscard]] file_dedupe_range* head() {
    return reinterpret_cast<file_dedupe_range*>(bytes.data());  // NOLINT: the kernel's layout
  }
};

std::unexpected<Refusal> refused(int error) {
  switch (error) {
    case EOPNOTSUPP:
    case ENOTTY:
    case EINVAL:
    case EXDEV:
      return declined("the file system cannot share blocks between these files");
    case EPERM:
    case EACCES:
      return declined("the duplicate may not be written to");
    case ETXTBSY:
      return declined("the duplicate is in use");
    default:
      return failed("share blocks", error);
  }
}

}  // namespace

Tried<void> share_blocks(int kept, int duplicate, std::uint64_t size, const std::stop_token& stop) {
  for (std::uint64_t at = 0; at < size;) {
    if (stop.stop_requested()) return stopped();
    Request request;
    file_dedupe_range& range = *request.head();
    range.src_offset = at;
    range.src_length = std::min(kStep, size - at);
    range.dest_count = 1;
    range.info[0].dest_fd = duplicate;
    range.info[0].dest_offset = at;
    if (::ioctl(kept, FIDEDUPERANGE, &range) != 0) return refused(errno);
    if (range.info[0].status < 0) return refused(-range.info[0].status);
    if (range.info[0].status == FILE_DEDUPE_RANGE_DIFFERS) return declined("the contents differ");
    // Some file systems take whole blocks only, and leave the rest of the last one.
    if (range.info[0].bytes_deduped == 0) return {};
    at += range.info[0].bytes_deduped;
  }
  return {};
}

}  // namespace tidemill::dupes
