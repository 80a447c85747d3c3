#include "tidemill/jobs/dupes/act/pair/reach.h"

#include <fcntl.h>
#include <sys/xattr.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <optional>
#include <set>

#include "tidemill/base/descriptor.h"
#include "tidemill/base/try.h"

namespace tidemill::dupes {
namespace {

constexpr int kFolder = O_RDONLY | O_DIRECTORY | O_CLOEXEC;

struct Reach {
  std::set<std::uint32_t> users{};
  std::set<std::uint32_t> groups{};
  bool is_everybodys = false;

  [[nodiscard]] bool is_nobodys() const {
    return !is_everybodys && users.empty() && groups.empty();
  }
  [[nodiscard]] bool is_within(const Reach& other) const {
    if (is_nobodys() || other.is_everybodys) return true;
    return !is_everybodys && std::ranges::includes(other.users, users) &&
           std::ranges::includes(other.groups, groups);
  }
};

bool has_acl(int folder) { return ::fgetxattr(folder, "system.posix_acl_access", nullptr, 0) > 0; }

void add(int folder, const FileFacts& look, const FileFacts& file, Reach& reach) {
  if (look.stx_uid != 0 && look.stx_uid != file.stx_uid) reach.users.insert(look.stx_uid);
  if ((look.stx_mode & S_ISVTX) != 0) return;
  if ((look.stx_mode & S_IWOTH) != 0) reach.is_everybodys = true;
  if ((look.stx_mode & S_IWGRP) == 0) return;
  if (has_acl(folder)) reach.is_everybodys = true;  // the group bit is the mask of the ACL
  const bool may_write = (file.stx_mode & S_IWGRP) != 0 && file.stx_gid == look.stx_gid;
  if (look.stx_gid != 0 && !may_write) reach.groups.insert(look.stx_gid);
}

bool is_for_all(const FileFacts& file) { return (file.stx_mode & S_IWOTH) != 0; }

// From the folder up to "/". A folder that may not be opened (a network file system that does not
// trust root) counts as writable for everyone.
Tried<Reach> reach_of(int start, const FileFacts& file) {
  Reach reach;
  if (is_for_all(file)) return reach;  // everyone may write to the file itself
  Descriptor folder(::openat(start, ".", kFolder));
  std::optional<FileFacts> below;
  for (;;) {
    if (!folder.is_open() && errno == EACCES) return Reach{.is_everybodys = true};
    if (!folder.is_open()) return failed("cannot open a parent folder", errno);
    const auto look = look_at(folder.number());
    if (!look) return failed("cannot stat a parent folder", look.error());
    if (below && is_same_file(*below, *look)) return reach;
    add(folder.number(), *look, file, reach);
    below = *look;
    folder = Descriptor(::openat(folder.number(), "..", kFolder));
  }
}

}  // namespace

Tried<bool> is_within_reach(int place, const FileFacts& there, const PairSide& here) {
  if (is_for_all(here.seen)) return true;
  LET(const Reach reach, reach_of(place, there));
  if (reach.is_nobodys()) return true;
  LET(const Reach before, reach_of(here.folder->number(), here.seen));
  return reach.is_within(before);
}

}  // namespace tidemill::dupes
