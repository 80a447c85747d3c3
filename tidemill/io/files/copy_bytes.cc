#include "tidemill/io/files/copy_bytes.h"

#include <sys/types.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <vector>

#include "tidemill/io/files/write_all.h"

namespace tidemill::files {
Result<void> copy_bytes(int from, int to) {
  std::vector<char> buffer(1U << 18U);
  for (off_t at = 0;;) {
    const ssize_t got = ::pread(from, buffer.data(), buffer.size(), at);
    if (got == 0) return {};
    if (got < 0) return system_failure(errno, "copy", "the old file");
    for (ssize_t done = 0; done < got;) {
      const ssize_t put =
          ::pwrite(to, buffer.data() + done, static_cast<std::size_t>(got - done), at + done);
      if (put < 0) return system_failure(errno, "copy", "the new file");
      done += put;
    }
    at += got;
  }
}

Result<bool> have_same_bytes(int one, int other) {
  std::vector<char> mine(1U << 16U);
  std::vector<char> theirs(1U << 16U);
  for (off_t at = 0;;) {
    const ssize_t got = ::pread(one, mine.data(), mine.size(), at);
    const ssize_t got_there = ::pread(other, theirs.data(), theirs.size(), at);
    if (got < 0 || got_there < 0) return system_failure(errno, "copy", "the copies");
    if (got != got_there || !std::equal(mine.begin(), mine.begin() + got, theirs.begin())) {
      return false;
    }
    if (got == 0) return true;
    at += got;
  }
}

}  // namespace tidemill::files
