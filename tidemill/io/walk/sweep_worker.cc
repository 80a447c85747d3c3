#include "tidemill/io/walk/sweep_worker.h"

#include <dirent.h>
#include <fcntl.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "tidemill/io/walk/open_retrying.h"

namespace tidemill::walk {
namespace {

constexpr int kFolder = O_RDONLY | O_DIRECTORY | O_NONBLOCK | O_CLOEXEC;
constexpr std::size_t kEntriesBetweenLooks = 1000;
constexpr std::size_t kMostKept = std::size_t{64} * 1024;  // records, after a very large folder

// Returns errno, or 0.
int look(int folder, const char* name, bool follows, struct statx& seen) {
  const int flags = AT_NO_AUTOMOUNT | (follows ? 0 : AT_SYMLINK_NOFOLLOW);
  return ::statx(folder, name, flags, STATX_BASIC_STATS, &seen) == 0 ? 0 : errno;
}

template <class Record>
void clear(std::vector<Record>& records) {
  if (records.capacity() > kMostKept) records = {};
  records.clear();
}

}  // namespace

bool EnteredFolders::enter(FolderId root, const FileStamp& folder) {
  return entered_.lock()
      ->insert({.device = folder.device, .inode = folder.inode, .root = root})
      .second;
}

SweepWorker::SweepWorker(const SweepTeam& team, std::size_t number)
    : team_(team),
      number_(number),
      has_patterns_(!team.options.globs.empty() || !team.options.excludes.empty()),
      flags_(kFolder | O_NOATIME | (team.options.follow ? 0 : O_NOFOLLOW)) {}

void SweepWorker::run() {
  while (team_.queue.take(list_)) {
    while (!list_.empty()) {
      if (team_.stop.stop_requested()) team_.queue.end();
      if (team_.queue.is_ended()) return;
      PendingFolder next = std::move(list_.back());
      list_.pop_back();
      read(next);
      if (list_.size() > 1 && team_.queue.is_hungry()) team_.queue.share(list_);
    }
  }
}

void SweepWorker::read(PendingFolder& pending) {
  OpenedFolder opened = open(pending);
  if (opened.error != 0) return report_failure(pending, opened.error);
  if (const int error = list(pending, opened.folder.number()); error != 0) {
    return error == ECANCELED ? void() : report_failure(pending, error);
  }
  const SweepReport before = report_;
  look_at_all(opened.folder.number());
  if (team_.stop.stop_requested()) {  // a partly read folder is not reported
    report_ = before;
    return;
  }
  SweptFolder folder{.id = pending.id, .tag = pending.tag, .stamp = stamp_};
  report_folder(folder);
  keep_subfolders(std::move(opened.folder));
}

// Opens the folder relative to its parent while that is open. When descriptors run out, closes the
// open parents and opens it from its root.
OpenedFolder SweepWorker::open(PendingFolder& pending) {
  OpenedFolder opened;
  if (pending.parent) {
    const char* name = team_.tree.lasting_name(pending.id);
    opened.folder = Descriptor(open_retrying(pending.parent->number(), name, flags_));
    if (!opened.folder.is_open() && errno == EPERM && (flags_ & O_NOATIME) != 0) {
      flags_ &= ~O_NOATIME;  // allowed only for the owner of the folder
      opened.folder = Descriptor(open_retrying(pending.parent->number(), name, flags_));
    }
    opened.error = opened.folder.is_open() ? 0 : errno;
  } else {
    opened = team_.tree.open(pending.id);
  }
  if (opened.error != EMFILE && opened.error != ENFILE) return opened;
  pending.parent.reset();
  for (PendingFolder& folder : list_) folder.parent.reset();
  team_.queue.let_go_of_parents();
  return team_.tree.open(pending.id);
}

// The stamp is taken before the folder is read, so that a change during the reading shows.
int SweepWorker::list(const PendingFolder& pending, int folder) {
  struct stat seen{};
  if (::fstat(folder, &seen) != 0) return errno;
  stamp_ = stamp_of(seen);
  const bool is_root = pending.device == 0;
  if (team_.options.one_device && !is_root && pending.device != stamp_.device) return EXDEV;
  if (const int error = entries_.read(folder, team_.stop); error != 0) return error;
  id_ = pending.id;
  if (team_.options.follow) root_ = team_.tree.root(id_);
  if (has_patterns_ || !team_.options.ignore_files.empty()) {
    path_ = team_.tree.path_below_root(id_);
    if (const int error = find_rules(pending, folder); error != 0) return error;
    if (!path_.empty()) path_ += '/';
    prefix_ = path_.size();
  }
  return 0;
}

int SweepWorker::find_rules(const PendingFolder& pending, int folder) {
  rules_ = pending.rules;
  const auto& names = team_.options.ignore_files;
  const bool has_some = std::ranges::any_of(entries_.all(), [&](const FolderEntry& entry) {
    return (entry.type == DT_REG || entry.type == DT_UNKNOWN) &&
           std::ranges::find(names, entry.view()) != names.end();
  });
  if (!has_some) return 0;
  FoundRules found = read_rules(folder, path_, names, std::move(rules_));
  rules_ = std::move(found.rules);
  return found.error;
}

void SweepWorker::look_at_all(int folder) {
  clear(files_);
  clear(subfolders_);
  std::size_t seen = 0;
  for (const FolderEntry& entry : entries_.all()) {
    if (++seen % kEntriesBetweenLooks == 0 && team_.stop.stop_requested()) return;
    look_at(folder, entry);
  }
}

void SweepWorker::look_at(int folder, const FolderEntry& entry) {
  const SweepOptions& options = team_.options;
  unsigned type = entry.type;
  if (type == DT_REG && !is_wanted(entry, false)) return leave_out_file(entry);
  if (type == DT_DIR && !options.follow && !options.one_device) return take_folder(entry, nullptr);
  struct statx seen;
  int error = 0;
  if (type == DT_REG || type == DT_DIR || type == DT_UNKNOWN) {
    error = look(folder, entry.name, false, seen);
    if (error == 0) type = IFTODT(seen.stx_mode);
  }
  const bool is_link = type == DT_LNK && options.follow;
  if (error == 0 && is_link) {
    error = look(folder, entry.name, true, seen);
    if (error == 0) type = IFTODT(seen.stx_mode);
    if (error == ENOENT) error = 0;  // a dangling link: counted in `others`
  }
  if (type == DT_DIR) return take_folder(entry, error == 0 ? &seen : nullptr);
  if (error != 0) return fail_file(entry, is_link, error);
  if (type != DT_REG) {
    ++report_.others;
  } else if (entry.type == DT_REG || is_wanted(entry, false)) {
    take_file(entry, is_link, seen);
  } else {
    leave_out_file(entry);
  }
}

bool SweepWorker::is_wanted(const FolderEntry& entry, bool is_folder) {
  if (!team_.options.hidden && entry.name[0] == '.') return false;
  if (!has_patterns_ && !rules_) return true;
  path_.resize(prefix_);
  path_ += entry.view();
  const bool passes = is_folder ? team_.sieve.enters_folder(path_, entry.view())
                                : team_.sieve.takes_file(path_, entry.view());
  return passes && !(rules_ && rules_->ignores(path_, entry.view(), is_folder));
}

void SweepWorker::take_file(const FolderEntry& entry, bool is_link, const struct statx& seen) {
  const SweepOptions& options = team_.options;
  SweptFile& file = files_.emplace_back(SweptFile{.name = entry.view(),
                                                  .stamp = stamp_of(seen),
                                                  .blocks = seen.stx_blocks,
                                                  .links = seen.stx_nlink,
                                                  .is_link = is_link});
  const bool fits = file.stamp.size >= options.least_size && file.stamp.size <= options.most_size &&
                    file.stamp.mtime_ns >= options.changed_from_ns &&
                    file.stamp.mtime_ns <= options.changed_to_ns;
  if (!fits) file.decision = SweepDecision::left_out;
  ++(fits ? report_.files : report_.left_out);
}

void SweepWorker::leave_out_file(const FolderEntry& entry) {
  files_.push_back({.name = entry.view(), .decision = SweepDecision::left_out});
  ++report_.left_out;
}

void SweepWorker::fail_file(const FolderEntry& entry, bool is_link, int error) {
  files_.push_back({.name = entry.view(),
                    .decision = SweepDecision::failed,
                    .is_link = is_link,
                    .error = error});
  ++report_.failures;
}

// `seen` is null when statx was not needed or failed; a failure shows again when the folder is
// opened.
void SweepWorker::take_folder(const FolderEntry& entry, const struct statx* seen) {
  bool enters = is_wanted(entry, true);
  if (enters && seen != nullptr) {
    const FileStamp stamp = stamp_of(*seen);
    enters = (!team_.options.one_device || stamp.device == stamp_.device) &&
             (!team_.options.follow || team_.entered.enter(root_, stamp));
  }
  if (!enters) ++report_.left_out;
  subfolders_.push_back(
      {.name = entry.view(), .id = enters ? team_.tree.add(id_, entry.view()) : kNoFolder});
}

void SweepWorker::report_folder(SweptFolder& folder) {
  folder.worker = number_;
  folder.files = files_;
  folder.subfolders = subfolders_;
  ++report_.folders;
  if (!team_.listener.folder(folder)) team_.queue.end();
}

void SweepWorker::tell_lone(const LoneFile& lone) {
  if (team_.queue.is_ended()) return;
  if (!S_ISREG(lone.seen.stx_mode)) {
    ++report_.others;
    return;
  }
  clear(files_);
  clear(subfolders_);
  take_file({.name = lone.name.c_str(), .size = static_cast<std::uint32_t>(lone.name.size())},
            lone.is_link, lone.seen);
  SweptFolder folder{.id = lone.folder, .stamp = lone.folder_stamp};
  report_folder(folder);
}

void SweepWorker::keep_subfolders(Descriptor folder) {
  const auto enters = [](const SweptSubfolder& sub) { return sub.id != kNoFolder; };
  if (std::ranges::none_of(subfolders_, enters)) return;
  const auto parent = team_.parents.keep(std::move(folder));
  for (const SweptSubfolder& sub : subfolders_) {
    if (!enters(sub)) continue;
    list_.push_back(
        {.id = sub.id, .tag = sub.tag, .device = stamp_.device, .parent = parent, .rules = rules_});
  }
}

void SweepWorker::report_failure(const PendingFolder& pending, int error) {
  ++report_.failures;
  team_.listener.failure(pending.id, pending.tag, error);
}

}  // namespace tidemill::walk
