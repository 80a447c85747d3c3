#include "tidemill/jobs/books/replacement.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <system_error>
#include <utility>
#include <vector>

#include "tidemill/base/try.h"
#include "tidemill/book/copy_bytes.h"

namespace tidemill::books {
namespace {

std::unexpected<Failure> system_failure(std::string_view step, const std::string& path) {
  const int code = errno;
  const Cure cure = code == ENOSPC || code == EDQUOT ? Cure::retry : Cure::give_up;
  return fail(cure, std::string(step), path + ": " + std::generic_category().message(code));
}

std::string folder_of(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  if (slash == std::string::npos) return ".";
  return slash == 0 ? "/" : path.substr(0, slash);
}

// FNV-1a: the part file's name must be short whatever the target's is.
std::uint64_t hash_of(std::string_view text) {
  std::uint64_t hash = 14695981039346656037ULL;
  for (const char byte : text) {
    hash = (hash ^ static_cast<unsigned char>(byte)) * 1099511628211ULL;
  }
  return hash;
}

Result<void> sync_folder(const std::string& folder) {
  const Descriptor open(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!open.is_open() || ::fsync(open.number()) != 0) return system_failure("sync", folder);
  return {};
}

// No second name can be given there: another file system, or one without hard links.
bool wants_copy(int code) {
  return code == EXDEV || code == EPERM || code == EOPNOTSUPP || code == ENOSYS || code == EMLINK;
}

// The same bytes under another name, synced, and read again: a backup must be one.
Result<void> copy_to(const std::string& from, const std::string& to) {
  const Descriptor old(::open(from.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
  if (!old.is_open()) return system_failure("backup", from);
  const Descriptor made(::open(to.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
  if (!made.is_open()) return system_failure("backup", to);
  auto copied = book::copy_bytes(old.number(), made.number());
  if (copied && ::fsync(made.number()) != 0) copied = system_failure("backup", to);
  struct stat seen{};
  if (copied && ::fstat(old.number(), &seen) == 0) {
    (void)!::fchown(made.number(), seen.st_uid, seen.st_gid);
    (void)!::fchmod(made.number(), seen.st_mode & 07777U);
  }
  if (copied) {
    const auto same = have_same_bytes(old.number(), made.number());
    if (!same) copied = std::unexpected(same.error());
    if (same && !*same) copied = fail(Cure::give_up, "backup", to + ": it reads otherwise");
  }
  if (!copied) ::unlink(to.c_str());
  return copied;
}

// The name is taken: by a run that was killed just then, or since it was found free.
Result<void> expect_backup(const std::string& target, const std::string& backup) {
  const Descriptor old(::open(target.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
  const Descriptor there(
      ::open(backup.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY));
  if (!old.is_open() || !there.is_open()) return system_failure("backup", backup);
  LET(const bool is_same, have_same_bytes(old.number(), there.number()));
  if (is_same) return {};
  return fail(Cure::give_up, "backup", backup + ": something else is there already");
}

Result<void> make_backup(const std::string& target, const std::string& backup) {
  if (::link(target.c_str(), backup.c_str()) != 0) {
    if (errno == EEXIST) {
      TRY(expect_backup(target, backup));
    } else if (wants_copy(errno)) {
      TRY(copy_to(target, backup));
    } else {
      return system_failure("backup", backup);
    }
  }
  return sync_folder(folder_of(backup));
}

}  // namespace

Result<bool> have_same_bytes(int one, int other) {
  std::vector<char> mine(1U << 16U);
  std::vector<char> theirs(1U << 16U);
  for (off_t at = 0;;) {
    const ssize_t got = ::pread(one, mine.data(), mine.size(), at);
    const ssize_t got_there = ::pread(other, theirs.data(), theirs.size(), at);
    if (got < 0 || got_there < 0) return system_failure("compare", "the copies");
    if (got != got_there || !std::equal(mine.begin(), mine.begin() + got, theirs.begin())) {
      return false;
    }
    if (got == 0) return true;
    at += got;
  }
}

Result<void> lock_book(int book) {
  if (::flock(book, LOCK_EX | LOCK_NB) == 0) return {};
  if (errno == EWOULDBLOCK) {
    return fail(Cure::retry, "lock", "another process is at work on this book");
  }
  return {};  // some file systems know no such locks: then nobody is asked
}

std::string part_of(const std::string& target) {
  const std::size_t slash = target.rfind('/');
  const std::string_view name =
      std::string_view(target).substr(slash == std::string::npos ? 0 : slash + 1);
  char hex[17] = {};
  std::snprintf(hex, sizeof hex, "%016llx", static_cast<unsigned long long>(hash_of(name)));
  const std::string part = std::string(".tidemill-") + hex + ".part";
  return slash == std::string::npos ? part : target.substr(0, slash + 1) + part;
}

Replacement::Replacement(std::string target, std::string part_path, Descriptor part)
    : target_(std::move(target)), part_path_(std::move(part_path)), part_(std::move(part)) {}

Replacement::Replacement(Replacement&& other) noexcept
    : target_(std::move(other.target_)),
      part_path_(std::exchange(other.part_path_, {})),
      part_(std::move(other.part_)),
      is_put_(other.is_put_) {}

Replacement::~Replacement() {
  if (!part_path_.empty() && !is_put_) ::unlink(part_path_.c_str());
}

Result<Replacement> Replacement::begin(const std::string& target) {
  std::string path = part_of(target);
  // What a killed process left is not written into: it may have a second name by now.
  if (::unlink(path.c_str()) != 0 && errno != ENOENT) return system_failure("part", path);
  Descriptor part(::open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600));
  if (!part.is_open()) return system_failure("part", path);
  return Replacement(target, std::move(path), std::move(part));
}

Result<void> Replacement::resemble(int book) {
  struct stat seen{};
  if (::fstat(book, &seen) != 0) return system_failure("stat", target_);
  // Not everybody may give a file away; the mode comes after, for chown() takes bits of it.
  (void)!::fchown(part_.number(), seen.st_uid, seen.st_gid);
  if (::fchmod(part_.number(), seen.st_mode & 07777U) != 0) return system_failure("mode", target_);
  return {};
}

Result<void> Replacement::put(const std::string& backup) {
  if (::fsync(part_.number()) != 0) return system_failure("sync", part_path_);
  if (!backup.empty()) TRY(make_backup(target_, backup));
  if (::rename(part_path_.c_str(), target_.c_str()) != 0) return system_failure("rename", target_);
  is_put_ = true;
  return sync_folder(folder_of(target_));
}

Result<std::string> free_backup_name(const std::string& wanted, int book) {
  std::string name = wanted;
  for (int number = 2; number < 10'000; ++number) {
    const Descriptor there(::open(name.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
    if (!there.is_open() && errno == ENOENT) return name;
    // Left by a run that was killed before it could put the mended book in place.
    if (there.is_open()) {
      LET(const bool is_same, have_same_bytes(there.number(), book));
      if (is_same) return name;
    }
    name = wanted + "-" + std::to_string(number);
  }
  return fail(Cure::give_up, "backup", wanted + ": there are too many of them");
}

}  // namespace tidemill::books
