#include "tidemill/io/files/new_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <utility>

#include "tidemill/base/try.h"
#include "tidemill/io/files/copy_bytes.h"
#include "tidemill/io/files/write_all.h"

namespace tidemill::files {
namespace {

constexpr int kMake = O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW;
// Non-blocking, because the file may be a FIFO.
constexpr int kLook = O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY;

// FNV-1a: the name of the part file must be short, however long the file name is.
std::uint64_t hash_of(std::string_view text) {
  std::uint64_t hash = 14695981039346656037ULL;
  for (const char byte : text) {
    hash = (hash ^ static_cast<unsigned char>(byte)) * 1099511628211ULL;
  }
  return hash;
}

bool is_one_name(const std::string& name) {
  return !name.empty() && name != "." && name != ".." && name.find('/') == std::string::npos;
}

// Retries, because a user who can write to the folder may recreate the name each time.
Descriptor make_anew(int folder, const std::string& name, mode_t mode) {
  constexpr int kTries = 10;
  for (int i = 0; i < kTries; ++i) {
    Descriptor made(::openat(folder, name.c_str(), kMake, mode));
    if (made.is_open() || errno != EEXIST) return made;
    if (::unlinkat(folder, name.c_str(), 0) != 0 && errno != ENOENT) return {};
  }
  return {};
}

// A hard link is not possible: another file system, one without hard links, or no /proc.
bool wants_copy(int error) {
  return error == EXDEV || error == EPERM || error == EOPNOTSUPP || error == ENOSYS ||
         error == EMLINK || error == ENOENT;
}

// Copies the file to another name, syncs it, and verifies it by reading it again.
Result<void> copy_as(int file, const HeldFolder& folder, const std::string& name) {
  const std::string path = folder.path_of(name);
  const Descriptor made(::openat(folder.number(), name.c_str(), kMake, kForTheOwner));
  if (!made.is_open()) return system_failure(errno, "backup", path);
  struct stat seen{};
  if (::fstat(file, &seen) != 0) return system_failure(errno, "backup", path);
  auto copied = copy_bytes(file, made.number());
  if (copied) copied = take_over(seen, made.number(), path);
  if (copied && ::fsync(made.number()) != 0) copied = system_failure(errno, "backup", path);
  if (copied) {
    const auto same = have_same_bytes(file, made.number());
    if (!same) copied = std::unexpected(same.error());
    if (same && !*same)
      copied = fail(Cure::give_up, "backup", path + ": verification failed: the contents differ");
  }
  if (!copied) (void)::unlinkat(folder.number(), name.c_str(), 0);
  return copied;
}

// The name exists: from a run that was killed at this point, or created since it was found free.
Result<void> expect_backup(int file, const HeldFolder& folder, const std::string& name) {
  const std::string path = folder.path_of(name);
  const Descriptor there(::openat(folder.number(), name.c_str(), kLook));
  if (!there.is_open()) return system_failure(errno, "backup", path);
  LET(const bool is_same, have_same_bytes(file, there.number()));
  if (is_same) return {};
  return fail(Cure::give_up, "backup", path + ": another file already exists there");
}

}  // namespace

Result<void> take_over(const struct stat& old, int file, const std::string& path) {
  constexpr mode_t kPermissions = 0777;
  constexpr mode_t kOfTheOwner = 0700;
  struct stat now{};
  (void)!::fchown(file, old.st_uid, old.st_gid);  // fstat() shows whether it worked
  if (::fstat(file, &now) != 0) return system_failure(errno, "stat", path);
  const bool has_other_owner = now.st_uid != old.st_uid || now.st_gid != old.st_gid;
  const mode_t mode = old.st_mode & (has_other_owner ? kOfTheOwner : kPermissions);
  if (::fchmod(file, mode) != 0) return system_failure(errno, "mode", path);
  return {};
}

std::string part_name(std::string_view name) {
  char hex[17] = {};
  std::snprintf(hex, sizeof hex, "%016llx", static_cast<unsigned long long>(hash_of(name)));
  return std::string(".tidemill-") + hex + ".part";
}

NewFile::NewFile(const HeldFolder& folder, std::string name, std::string part_name, Descriptor part)
    : folder_(&folder),
      name_(std::move(name)),
      part_name_(std::move(part_name)),
      part_(std::move(part)) {}

NewFile::NewFile(NewFile&& other) noexcept
    : folder_(other.folder_),
      name_(std::move(other.name_)),
      part_name_(std::exchange(other.part_name_, {})),
      part_(std::move(other.part_)) {}

NewFile::~NewFile() {
  if (!part_name_.empty()) (void)::unlinkat(folder_->number(), part_name_.c_str(), 0);
}

std::unexpected<Failure> NewFile::failed(int error, std::string_view step) const {
  return system_failure(error, step, folder_->path_of(name_));
}

Result<NewFile> NewFile::begin(const HeldFolder& folder, std::string name, mode_t mode) {
  if (!is_one_name(name)) return system_failure(EINVAL, "part", folder.path_of(name));
  std::string part = part_name(name);
  Descriptor made = make_anew(folder.number(), part, mode);
  if (!made.is_open()) return system_failure(errno, "part", folder.path_of(part));
  return NewFile(folder, std::move(name), std::move(part), std::move(made));
}

Result<void> NewFile::write(std::string_view bytes) {
  return write_all(part_.number(), bytes, folder_->path_of(name_));
}

Result<void> NewFile::resemble(int other) {
  const std::string path = folder_->path_of(name_);
  struct stat seen{};
  if (::fstat(other, &seen) != 0) return system_failure(errno, "stat", path);
  return take_over(seen, part_.number(), path);
}

Result<void> NewFile::sync_part() const {
  return ::fsync(part_.number()) == 0 ? Result<void>() : failed(errno, "sync");
}

Result<void> NewFile::put(Sync sync) {
  if (sync == Sync::now) TRY(sync_part());
  const int folder = folder_->number();
  if (::renameat(folder, part_name_.c_str(), folder, name_.c_str()) != 0) {
    return failed(errno, "rename");
  }
  part_name_.clear();
  return sync == Sync::now ? folder_->sync() : Result<void>();
}

Result<void> back_up(int file, const HeldFolder& folder, const std::string& name) {
  if (!is_one_name(name)) return system_failure(EINVAL, "backup", folder.path_of(name));
  const std::string source = "/proc/self/fd/" + std::to_string(file);
  if (::linkat(AT_FDCWD, source.c_str(), folder.number(), name.c_str(), AT_SYMLINK_FOLLOW) != 0) {
    if (errno == EEXIST) {
      TRY(expect_backup(file, folder, name));
    } else if (wants_copy(errno)) {
      TRY(copy_as(file, folder, name));
    } else {
      return system_failure(errno, "backup", folder.path_of(name));
    }
  }
  return folder.sync();
}

Result<std::string> free_backup_name(int file, const HeldFolder& folder,
                                     const std::string& wanted) {
  std::string name = wanted;
  for (int number = 2; number < 10'000; ++number) {
    const Descriptor there(::openat(folder.number(), name.c_str(), kLook));
    if (!there.is_open() && errno == ENOENT) return name;
    // May be from a run that was killed before it put the new file in place.
    if (there.is_open()) {
      LET(const bool is_same, have_same_bytes(there.number(), file));
      if (is_same) return name;
    }
    name = wanted + "-" + std::to_string(number);
  }
  return fail(Cure::give_up, "backup", folder.path_of(wanted) + ": too many backups");
}

}  // namespace tidemill::files
