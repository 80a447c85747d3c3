#include "tidemill/io/walk/open_below.h"

#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstddef>
#include <cstdint>
#include <string>

namespace tidemill::walk {
namespace {

constexpr int kFolder = O_RDONLY | O_DIRECTORY | O_CLOEXEC;

template <class Open>
OpenedFolder opened(Open open) {
  long number = -1;
  do {
    number = open();
  } while (number < 0 && errno == EINTR);
  if (number < 0) return {.error = errno};
  return {.folder = Descriptor(static_cast<int>(number))};
}

// The longest prefix of the path that one call can take; it ends before a '/' or at the end.
std::string chunk_of(std::string_view path) {
  if (path.size() < PATH_MAX) return std::string(path);
  const std::size_t end = path.rfind('/', PATH_MAX - 1);
  return std::string(path.substr(0, end == std::string_view::npos ? path.find('/') : end));
}

OpenedFolder open_following(int folder, const std::string& path) {
  return opened([&] { return ::openat(folder, path.c_str(), kFolder); });
}

OpenedFolder open_part(int folder, const std::string& name) {
  OpenedFolder part = opened([&] { return ::openat(folder, name.c_str(), kFolder | O_NOFOLLOW); });
  if (part.error != ENOTDIR) return part;
  struct stat seen{};  // the kernel reports ENOTDIR for a symlink too
  const bool is_link =
      ::fstatat(folder, name.c_str(), &seen, AT_SYMLINK_NOFOLLOW) == 0 && S_ISLNK(seen.st_mode);
  return {.error = is_link ? ELOOP : ENOTDIR};
}

OpenedFolder open_by_parts(int folder, std::string_view path) {
  OpenedFolder here;
  while (!path.empty()) {
    const std::size_t size = std::min(path.find('/'), path.size());
    const int base = here.folder.is_open() ? here.folder.number() : folder;
    here = open_part(base, std::string(path.substr(0, size)));
    if (here.error != 0) return here;
    path.remove_prefix(std::min(size + 1, path.size()));
  }
  return here;
}

// The kernel checks the complete path in one call. Without openat2 (an old kernel, a system call
// filter), each component is opened in turn.
OpenedFolder open_resolving(int folder, const std::string& path, std::uint64_t resolve) {
  open_how how{};
  how.flags = kFolder;
  how.resolve = resolve;
  OpenedFolder found =
      opened([&] { return ::syscall(SYS_openat2, folder, path.c_str(), &how, sizeof how); });
  if (found.error == ENOSYS || found.error == EPERM) return open_by_parts(folder, path);
  return found;
}

template <class Open>
OpenedFolder open_in_chunks(int folder, std::string_view path, Open open) {
  if (path.empty()) return open_following(folder, ".");
  OpenedFolder here;
  while (!path.empty()) {
    const std::string chunk = chunk_of(path);
    const int base = here.folder.is_open() ? here.folder.number() : folder;
    here = open(base, chunk);
    if (here.error != 0) return here;
    path.remove_prefix(std::min(chunk.size() + 1, path.size()));
  }
  return here;
}

}  // namespace

OpenedFolder open_below(int folder, std::string_view path, bool follows_links) {
  return open_in_chunks(folder, path, [&](int base, const std::string& chunk) {
    return follows_links ? open_following(base, chunk)
                         : open_resolving(base, chunk, RESOLVE_NO_SYMLINKS | RESOLVE_BENEATH);
  });
}

OpenedFolder open_inside(int folder, std::string_view path) {
  return open_in_chunks(folder, path, [](int base, const std::string& chunk) {
    return open_resolving(base, chunk, RESOLVE_BENEATH);
  });
}

}  // namespace tidemill::walk
