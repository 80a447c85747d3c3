#include "tidemill/jobs/dupes/act/restorable.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <string_view>
#include <vector>

#include "tidemill/base/descriptor.h"

namespace tidemill::dupes {
namespace {

constexpr mode_t kSpecial = S_ISUID | S_ISGID | S_ISVTX;

// Every new file of ours can have this metadata: no test needed.
bool is_plain(const Metadata& metadata) {
  return metadata.user == ::geteuid() && metadata.group == ::getegid() &&
         (metadata.mode & kSpecial) == 0 && metadata.xattrs.empty();
}

bool is_member(gid_t group) {
  const int count = ::getgroups(0, nullptr);
  std::vector<gid_t> groups(static_cast<std::size_t>(std::max(count, 0)));
  const int got = ::getgroups(count, groups.data());
  groups.resize(static_cast<std::size_t>(std::max(got, 0)));
  return group == ::getegid() || std::ranges::find(groups, group) != groups.end();
}

Tried<void> expect_by_rights(const Metadata& metadata) {
  if (::geteuid() == 0) return {};
  const auto is_open_to_all = [](const auto& attribute) {
    return attribute.first.starts_with("user.");
  };
  const bool is_good = metadata.user == ::geteuid() && is_member(metadata.group) &&
                       (metadata.mode & kSpecial) == 0 &&
                       std::ranges::all_of(metadata.xattrs, is_open_to_all);
  if (!is_good) return declined("undo may be unable to restore its owner, mode or attributes");
  return {};
}

}  // namespace

Tried<void> expect_restorable(int folder, const Metadata& metadata) {
  if (is_plain(metadata)) return {};
  const Descriptor file(::openat(folder, ".", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600));
  if (!file.is_open()) {
    const int error = errno;
    if (error == EACCES || error == EROFS) return {};  // the step itself will fail
    if (error == EMFILE || error == ENFILE || error == EIO) {
      return failed("cannot test the metadata", error);
    }
    return expect_by_rights(metadata);
  }
  const auto given = give_metadata(file.number(), metadata);
  if (!given) return declined("undo could not restore " + given.error().reason);
  return {};
}

}  // namespace tidemill::dupes
