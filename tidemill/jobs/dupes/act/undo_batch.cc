#include "tidemill/jobs/dupes/act/undo_batch.h"

#include <fcntl.h>
#include <linux/magic.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include "tidemill/jobs/dupes/act/pair/file.h"

namespace tidemill::dupes {
namespace {

constexpr std::size_t kFew = 4;  // up to this many are synced one by one, without syncfs()

struct Member {
  int open = -1;
  bool is_folder = false;
};

int sync_one(const Member& member) {
  if (member.is_folder) return sync_folder(member.open);
  return ::fsync(member.open) == 0 ? 0 : errno;
}

// Known to implement syncfs() completely. Network and FUSE file systems may not.
bool keeps_its_word(int open) {
  constexpr unsigned kXfs = 0x58465342;
  constexpr std::array kKnown = {unsigned{EXT4_SUPER_MAGIC}, kXfs, unsigned{BTRFS_SUPER_MAGIC},
                                 unsigned{F2FS_SUPER_MAGIC}, unsigned{TMPFS_MAGIC}};
  struct statfs about{};
  if (::fstatfs(open, &about) != 0) return false;
  return std::ranges::find(kKnown, static_cast<unsigned>(about.f_type)) != kKnown.end();
}

// syncfs() of older kernels does not report that a file could not be written; this does.
int write_error_of(int open) {
  constexpr unsigned kWait =
      SYNC_FILE_RANGE_WAIT_BEFORE | SYNC_FILE_RANGE_WRITE | SYNC_FILE_RANGE_WAIT_AFTER;
  return ::sync_file_range(open, 0, 0, kWait) == 0 ? 0 : errno;
}

bool is_synced_as_a_whole(const std::vector<Member>& members) {
  if (members.size() <= kFew || !keeps_its_word(members.front().open)) return false;
  return ::syncfs(members.front().open) == 0;
}

// Syncs many open files and folders with few flushes. Every fsync flushes the cache of the disk,
// however little is written, and a disk can do that only a few hundred times per second. So if many
// are on one file system that implements syncfs(), that file system is synced once.
//
// Returns an errno for each descriptor; 0: synced, or a folder on a file system that cannot sync
// folders. A descriptor may be given twice.
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

const OpenFolder& folder_of_name(const Undoing& work) { return work.folder; }
// The folder of the moved file; for a link, the folder of its name.
const OpenFolder& folder_of_source(const Undoing& work) { return work.source.folder; }

}  // namespace

void UndoBatch::add(PlanStep step, engine::TaskId id) {
  if (!held_.empty() && clock_.now() - since_ >= kLongest) clear();
  auto work = undoer_.begin(step, id);
  if (!work && is_out_of_files(work.error())) {  // finishing the held steps frees descriptors
    clear();
    tools_.places.forget();
    work = undoer_.begin(std::move(step), id);
  }
  outcomes_.emplace_back();
  if (!work) {
    outcomes_.back() = std::unexpected(std::move(work).error());
    return;
  }
  const bool is_link = work->step.action == Action::hardlink && work->made.is_open();
  const bool must_not_wait = is_link && !work->source.is_leased();
  if (held_.empty()) since_ = clock_.now();
  held_.push_back({.at = outcomes_.size() - 1, .work = *std::move(work)});
  if (must_not_wait) clear();
}

std::vector<Tried<void>> UndoBatch::finish() {
  clear();
  return std::exchange(outcomes_, {});
}

void UndoBatch::clear() {
  sync_files();
  each([&](Undoing& work) { return undoer_.place(work); });
  sync_folders(Due::all);
  each([&](Undoing& work) { return undoer_.settle(work); });
  sync_folders(Due::rest);
  held_.clear();
}

// Runs `part` for the steps that have not been refused.
template <class Part>
void UndoBatch::each(Part part) {
  for (HeldStep& held : held_) {
    if (outcome(held)) outcome(held) = part(held.work);
  }
}

void UndoBatch::sync_files() {
  std::vector<int> open;
  for (const HeldStep& held : held_) {
    if (held.work.made.is_open()) open.push_back(held.work.made.number());
  }
  const std::map<int, int> errors = sync_together(open);
  each([&](Undoing& work) -> Tried<void> {
    const int error = work.made.is_open() ? errors.at(work.made.number()) : 0;
    if (error != 0) return Undoer::give_up(work, failed("fsync", error).error());
    return {};
  });
}

// The new folder of a file before its old one, so that a power cut cannot remove both names.
void UndoBatch::sync_folders(Due due) {
  for (const auto folder_in : {&folder_of_name, &folder_of_source}) {
    std::vector<int> open;
    const auto is_due = [&](const Undoing& work) {
      const bool is_twice = folder_in == &folder_of_source && work.folder == work.source.folder;
      return folder_in(work) && !is_twice && (due == Due::all || work.has_rest);
    };
    each([&](Undoing& work) -> Tried<void> {
      if (is_due(work)) open.push_back(folder_in(work)->number());
      return {};
    });
    const std::map<int, int> errors = sync_together(open);
    each([&](Undoing& work) -> Tried<void> {
      const int error = is_due(work) ? errors.at(folder_in(work)->number()) : 0;
      if (error != 0) return failed("sync", error);
      return {};
    });
  }
}

}  // namespace tidemill::dupes
