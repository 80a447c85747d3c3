#include "tidemill/io/files/private_files.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstddef>

#include "tidemill/base/descriptor.h"
#include "tidemill/base/system_text.h"

namespace tidemill::files {

Result<void> make_private_folders(const std::string& path) {
  for (std::size_t end = path.find('/', 1);; end = path.find('/', end + 1)) {
    const std::string part = path.substr(0, end);
    if (::mkdir(part.c_str(), 0700) != 0 && errno != EEXIST) {
      const int error = errno;
      struct stat seen{};
      if (::stat(part.c_str(), &seen) != 0) {
        const bool may_pass = error == ENOSPC || error == EDQUOT || error == ENOMEM || error == EIO;
        return fail(may_pass ? Cure::retry : Cure::give_up, "create",
                    part + ": " + system_text(error));
      }
    }
    if (end == std::string::npos) return {};
  }
}

void make_private_file(const std::string& path) {
  constexpr int kFlags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC;
  const Descriptor file(::open(path.c_str(), kFlags, 0600));
}

}  // namespace tidemill::files
