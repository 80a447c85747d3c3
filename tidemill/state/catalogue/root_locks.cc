#include "tidemill/state/catalogue/root_locks.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <ctime>
#include <string_view>
#include <utility>

#include "tidemill/base/system_text.h"

namespace tidemill::catalogue {
namespace {

constexpr std::size_t kRange = 64;

std::unexpected<Failure> cannot_lock(int error, const std::string& path) {
  const bool may_pass = error == EMFILE || error == ENFILE || error == ENOLCK || error == ENOMEM;
  return fail(may_pass ? Cure::retry : Cure::give_up, "lock file",
              path + ": " + system_text(error));
}

off_t start_of(std::int64_t id) { return id * static_cast<off_t>(kRange); }

struct flock range_of(std::int64_t id, short type) {
  struct flock range{};
  range.l_type = type;
  range.l_whence = SEEK_SET;
  range.l_start = start_of(id);
  range.l_len = kRange;
  return range;
}

// For people only, so failures to write are ignored.
void write_holder(int file, std::int64_t id, WallTime now) {
  const std::time_t seconds = std::chrono::system_clock::to_time_t(now);
  std::tm parts{};
  std::array<char, kRange> when{};
  if (::gmtime_r(&seconds, &parts) != nullptr) {
    std::strftime(when.data(), when.size(), " since %Y-%m-%d %H:%M:%S UTC", &parts);
  }
  std::string text = "process " + std::to_string(::getpid()) + when.data();
  text.resize(kRange - 1, ' ');
  text += '\n';
  [[maybe_unused]] const ssize_t put = ::pwrite(file, text.data(), text.size(), start_of(id));
}

// The file may contain anything: only plain text is shown.
std::string read_holder(int file, std::int64_t id) {
  std::array<char, kRange> text{};
  const ssize_t got = ::pread(file, text.data(), text.size(), start_of(id));
  std::string_view said(text.data(), got > 0 ? static_cast<std::size_t>(got) : 0);
  said = said.substr(0, said.find_last_not_of(" \n") + 1);
  const bool is_plain = std::ranges::all_of(said, [](char c) { return c >= ' ' && c <= '~'; });
  return is_plain && said.starts_with("process ") ? std::string(said) : "another process";
}

}  // namespace

Result<RootLocks> RootLocks::open(const std::string& catalogue) {
  std::string path = catalogue + "-lock";
  Descriptor file(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600));
  if (!file.is_open()) return cannot_lock(errno, path);
  return RootLocks(std::move(file), std::move(path));
}

Result<void> RootLocks::take(std::int64_t id, const std::string& root, WallTime now) {
  struct flock range = range_of(id, F_WRLCK);
  if (::fcntl(file_.number(), F_OFD_SETLK, &range) == 0) {
    write_holder(file_.number(), id, now);
    return {};
  }
  if (errno != EAGAIN && errno != EACCES) return cannot_lock(errno, path_);
  return std::unexpected(Failure{.cure = Cure::retry,
                                 .kind = FailureKind::held,
                                 .step = "lock",
                                 .reason = read_holder(file_.number(), id) + " is scanning " + root,
                                 .hint = "wait for it or stop it; the lock file is " + path_});
}

void RootLocks::release(std::int64_t id) {
  struct flock range = range_of(id, F_UNLCK);
  (void)::fcntl(file_.number(), F_OFD_SETLK, &range);
}

}  // namespace tidemill::catalogue
