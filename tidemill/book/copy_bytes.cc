#include "tidemill/book/copy_bytes.h"

#include <sys/types.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <string>
#include <system_error>
#include <vector>

namespace tidemill::book {
namespace {

std::unexpected<Failure> failed(const std::string& file) {
  const int code = errno;
  const Cure cure = code == ENOSPC || code == EDQUOT ? Cure::retry : Cure::give_up;
  return fail(cure, "copy", file + ": " + std::generic_category().message(code));
}

}  // namespace

Result<void> copy_bytes(int from, int to) {
  std::vector<char> buffer(1U << 18U);
  for (off_t at = 0;;) {
    const ssize_t got = ::pread(from, buffer.data(), buffer.size(), at);
    if (got == 0) return {};
    if (got < 0) return failed("the book");
    for (ssize_t done = 0; done < got;) {
      const ssize_t put =
          ::pwrite(to, buffer.data() + done, static_cast<std::size_t>(got - done), at + done);
      if (put < 0) return failed("the new file");
      done += put;
    }
    at += got;
  }
}

}  // namespace tidemill::book
