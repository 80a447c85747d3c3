#include "tidemill/jobs/import/pages/part_file.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <system_error>

#include "tidemill/base/system_text.h"
#include "tidemill/base/try.h"

namespace tidemill::import {
namespace {

constexpr std::string_view kImport = "tidemill import ";
constexpr std::string_view kBegun = " begun ";
constexpr std::string_view kComplete = " is complete\n";

bool pass(std::string_view& text, std::string_view word) {
  if (!text.starts_with(word)) return false;
  text.remove_prefix(word.size());
  return true;
}

bool pass_number(std::string_view& text, std::int64_t& number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{}) return false;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return true;
}

std::unexpected<Failure> in_the_way(const std::string& path, const std::string& what) {
  return std::unexpected(Failure{.cure = Cure::give_up,
                                 .step = "--into",
                                 .reason = path + " is in the way: it is " + what,
                                 .hint = "check whose file it is, then remove it"});
}

}  // namespace

std::unexpected<Failure> system_failed(int error, const std::string& step,
                                       const std::string& path) {
  Failure failure{.cure = Cure::give_up, .step = step, .reason = path + ": " + system_text(error)};
  if (error == ENOSPC || error == EDQUOT) failure.cure = Cure::retry;
  return std::unexpected(std::move(failure));
}

std::unexpected<Failure> in_use(const std::string& reason, const std::string& hint) {
  return std::unexpected(Failure{.cure = Cure::retry,
                                 .kind = FailureKind::held,
                                 .step = "lock",
                                 .reason = reason,
                                 .hint = hint});
}

std::string text_of(const EndNote& note) {
  return std::string(kImport) + std::to_string(note.import) + std::string(kBegun) +
         std::to_string(note.begun) + std::string(kComplete);
}

std::optional<EndNote> end_note_in(std::string_view text) {
  EndNote note;
  const bool is_note = pass(text, kImport) && pass_number(text, note.import) &&
                       pass(text, kBegun) && pass_number(text, note.begun) && text == kComplete;
  return is_note ? std::optional(note) : std::nullopt;
}

std::optional<EndNote> read_end_note(int part) {
  std::array<char, 128> front{};  // longer than any note, shorter than any database
  const ssize_t got = ::pread(part, front.data(), front.size(), 0);
  if (got <= 0) return std::nullopt;
  return end_note_in({front.data(), static_cast<std::size_t>(got)});
}

std::string part_name_of(const std::string& database) { return database + ".tidemill.part"; }

Result<void> write_end_note(int part, const files::Spot& spot, const EndNote& note) {
  const std::string text = text_of(note);
  const std::string path = spot.folder.path_of(spot.name);
  if (::ftruncate(part, 0) != 0) return system_failed(errno, "end", path);
  const ssize_t put = ::pwrite(part, text.data(), text.size(), 0);
  if (put < 0) return system_failed(errno, "end", path);
  if (static_cast<std::size_t>(put) != text.size()) return system_failed(ENOSPC, "end", path);
  if (::fsync(part) != 0) return system_failed(errno, "end", path);
  return spot.folder.sync();
}

bool has_name(int file, const files::Spot& spot) {
  struct stat open{};
  struct stat named{};
  return ::fstat(file, &open) == 0 &&
         ::fstatat(spot.folder.number(), spot.name.c_str(), &named, AT_SYMLINK_NOFOLLOW) == 0 &&
         named.st_ino == open.st_ino && named.st_dev == open.st_dev;
}

// The previous holder may have renamed or removed the file before we locked it: then the lock is
// worthless, and we try again with the file that has the name now.
Result<Descriptor> lock_part(const files::Spot& spot, const std::string& database) {
  constexpr int kTries = 100;
  constexpr int kFlags = O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK;
  const std::string path = spot.folder.path_of(spot.name);
  for (int i = 0; i < kTries; ++i) {
    Descriptor file(::openat(spot.folder.number(), spot.name.c_str(), kFlags, 0666));
    if (!file.is_open() && errno == ELOOP) return in_the_way(path, "a symbolic link");
    if (!file.is_open()) return system_failed(errno, "--into", path);
    struct stat seen{};
    if (::fstat(file.number(), &seen) != 0) return system_failed(errno, "--into", path);
    if (!S_ISREG(seen.st_mode)) return in_the_way(path, "not a regular file");
    if (seen.st_uid != ::geteuid()) return in_the_way(path, "owned by another user");
    if (seen.st_nlink > 1) return in_the_way(path, "a file with several hard links");
    if (::flock(file.number(), LOCK_EX | LOCK_NB) != 0) {
      if (errno != EWOULDBLOCK) return system_failed(errno, "--into", path);
      return in_use("another import is writing to " + database,
                    "wait until it is done, or stop it");
    }
    if (has_name(file.number(), spot)) return file;
  }
  return in_use("other imports are writing to " + database,
                "wait until they are done, or stop them");
}

}  // namespace tidemill::import
