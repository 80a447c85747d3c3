#include "tidemill/jobs/dupes/act/sync_together.h"

#include <fcntl.h>
#include <linux/magic.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <vector>

#include "tidemill/jobs/dupes/act/pair/file.h"

namespace tidemill::dupes {
namespace {

constexpr std::size_t kFew = 4;  // for so few others' files are not written too

struct Member {
  int open = -1;
  bool is_folder = false;
};

int sync_one(const Member& member) {
  if (member.is_folder) return sync_folder(member.open);
  return ::fsync(member.open) == 0 ? 0 : errno;
}

// The others (of a network, or of a program) may take the sync for themselves.
bool keeps_its_word(int open) {
  constexpr unsigned kXfs = 0x58465342;
  constexpr std::array kKnown = {unsigned{EXT4_SUPER_MAGIC}, kXfs, unsigned{BTRFS_SUPER_MAGIC},
                                 unsigned{F2FS_SUPER_MAGIC}, unsigned{TMPFS_MAGIC}};
  struct statfs about{};
  if (::fstatfs(open, &about) != 0) return false;
  return std::ranges::find(kKnown, static_cast<unsigned>(about.f_type)) != kKnown.end();
}

// Older kernels do not say that a file could not be written when all are synced; this does.
int write_error_of(int open) {
  constexpr unsigned kWait =
      SYNC_FILE_RANGE_WAIT_BEFORE | SYNC_FILE_RANGE_WRITE | SYNC_FILE_RANGE_WAIT_AFTER;
  return ::sync_file_range(open, 0, 0, kWait) == 0 ? 0 : errno;
}

bool is_synced_as_a_whole(const std::vector<Member>& members) {
  if (members.size() <= kFew || !keeps_its_word(members.front().open)) return false;
  return ::syncfs(members.front().open) == 0;
}

}  // namespace

std::map<int, int> sync_together(std::span<const int> open) {
  std::map<int, int> errors;
  std::map<dev_t, std::vector<Member>> devices;
  for (const int number : open) {
    const auto [known, is_new] = errors.try_emplace(number, 0);
    if (!is_new) continue;
    struct stat about{};
    if (::fstat(number, &about) != 0) {
      known->second = errno;
    } else {
      devices[about.st_dev].push_back({.open = number, .is_folder = S_ISDIR(about.st_mode)});
    }
  }
  for (const auto& [device, members] : devices) {
    const bool is_done = is_synced_as_a_whole(members);
    for (const Member& member : members) {
      errors[member.open] = !is_done           ? sync_one(member)
                            : member.is_folder ? 0
                                               : write_error_of(member.open);
    }
  }
  return errors;
}

}  // namespace tidemill::dupes
