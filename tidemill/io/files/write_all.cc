#include "tidemill/io/files/write_all.h"

#include <unistd.h>

#include <cerrno>
#include <cstddef>

#include "tidemill/base/system_text.h"

namespace tidemill::files {

std::unexpected<Failure> system_failure(int error, std::string_view step, const std::string& path) {
  const bool may_pass = error == ENOSPC || error == EDQUOT || error == EMFILE || error == ENFILE;
  return fail(may_pass ? Cure::retry : Cure::give_up, std::string(step),
              path + ": " + system_text(error));
}

Result<void> write_all(int file, std::string_view bytes, const std::string& path) {
  while (!bytes.empty()) {
    const ssize_t put = ::write(file, bytes.data(), bytes.size());
    if (put < 0 && errno == EINTR) continue;
    if (put < 0) return system_failure(errno, "write", path);
    bytes.remove_prefix(static_cast<std::size_t>(put));
  }
  return {};
}

}  // namespace tidemill::files
