#include "tidemill/state/run/run_lock.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <climits>
#include <csignal>
#include <cstddef>
#include <ctime>
#include <string_view>
#include <utility>

#include "tidemill/base/system_text.h"

namespace tidemill::run {
namespace {

std::unexpected<Failure> cannot_lock(int error, const std::string& path) {
  const bool may_pass = error == EMFILE || error == ENFILE || error == ENOLCK || error == ENOMEM;
  return fail(may_pass ? Cure::retry : Cure::give_up, "lock file",
              path + ": " + system_text(error));
}

struct flock whole_file() {
  struct flock range{};
  range.l_type = F_WRLCK;
  range.l_whence = SEEK_SET;
  return range;
}

std::string host_name() {
  std::array<char, HOST_NAME_MAX + 1> name{};
  if (::gethostname(name.data(), name.size() - 1) != 0) return "unknown";
  return name.data();
}

std::string text_of(WallTime time) {
  const std::time_t seconds = std::chrono::system_clock::to_time_t(time);
  std::tm parts{};
  std::array<char, 64> text{};
  if (::gmtime_r(&seconds, &parts) == nullptr) return "";
  std::strftime(text.data(), text.size(), "%Y-%m-%d %H:%M:%S UTC", &parts);
  return text.data();
}

// Converts the UTC time in the file to local time; returns any other text unchanged.
std::string local_text(const std::string& text) {
  std::tm parts{};
  const char* const end = ::strptime(text.c_str(), "%Y-%m-%d %H:%M:%S UTC", &parts);
  if (end == nullptr || *end != '\0') return text;
  const std::time_t seconds = ::timegm(&parts);
  if (::localtime_r(&seconds, &parts) == nullptr) return text;
  std::array<char, 64> local{};
  std::strftime(local.data(), local.size(), "%Y-%m-%d %H:%M:%S", &parts);
  return local.data();
}

// Mostly for people, so failures to write are ignored.
void write_holder(int descriptor, WallTime now) {
  const std::string text = "process " + std::to_string(::getpid()) + "\nhost " + host_name() +
                           "\nsince " + text_of(now) + "\n";
  if (::ftruncate(descriptor, 0) != 0) return;
  [[maybe_unused]] const ssize_t put = ::pwrite(descriptor, text.data(), text.size(), 0);
}

// The rest of the line that begins with `key`. The file may contain anything: returns plain text
// only.
std::string field(std::string_view text, std::string_view key) {
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(text.size(), line.size() + 1));
    if (!line.starts_with(key)) continue;
    const std::string_view value = line.substr(key.size());
    const bool is_plain = std::ranges::all_of(value, [](char c) { return c >= ' ' && c <= '~'; });
    return is_plain ? std::string(value) : "";
  }
  return "";
}

LockHolder read_holder(int descriptor) {
  std::array<char, 512> text{};
  const ssize_t got = ::pread(descriptor, text.data(), text.size(), 0);
  const std::string_view said(text.data(), got > 0 ? static_cast<std::size_t>(got) : 0);
  LockHolder holder{.host = field(said, "host "), .since = local_text(field(said, "since "))};
  const std::string process = field(said, "process ");
  std::from_chars(process.data(), process.data() + process.size(), holder.process);
  return holder;
}

constexpr int kLooks = 100;
constexpr int kMillisecondsBetween = 20;

// Whether the lock may become free, or its holder known, within a moment: a forked child of a
// killed process holds the lock until it calls exec, and a new holder has not written its name yet.
bool may_pass(const LockHolder& holder) {
  if (holder.process <= 0) return true;
  const bool is_dead = ::kill(holder.process, 0) != 0 && errno == ESRCH;
  return is_dead && holder.host == host_name();
}

std::unexpected<Failure> held(int descriptor, const std::string& path) {
  const LockHolder holder = read_holder(descriptor);
  std::string who = "another process";
  if (holder.process > 0) who = "process " + std::to_string(holder.process);
  if (!holder.host.empty()) who += " on " + holder.host;
  const std::string when = holder.since.empty() ? "" : " since " + holder.since;
  return std::unexpected(Failure{.cure = Cure::retry,
                                 .kind = FailureKind::held,
                                 .step = "lock",
                                 .reason = who + " is working on this run" + when,
                                 .hint = "wait for it, or stop it; the lock file is " + path});
}

}  // namespace

Result<RunLock> RunLock::take(const std::string& path, WallTime now) {
  RunLock lock(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600));
  if (lock.descriptor_ < 0) return cannot_lock(errno, path);
  for (int look = 1;; ++look) {
    struct flock range = whole_file();
    if (::fcntl(lock.descriptor_, F_OFD_SETLK, &range) == 0) break;
    if (errno != EAGAIN && errno != EACCES) return cannot_lock(errno, path);
    if (look == kLooks || !may_pass(read_holder(lock.descriptor_))) {
      return held(lock.descriptor_, path);
    }
    ::poll(nullptr, 0, kMillisecondsBetween);
  }
  struct stat locked{};
  struct stat named{};
  if (::fstat(lock.descriptor_, &locked) != 0 || ::stat(path.c_str(), &named) != 0 ||
      locked.st_ino != named.st_ino || locked.st_dev != named.st_dev) {
    return fail(Cure::give_up, FailureKind::held, "lock", path + ": the run was removed");
  }
  write_holder(lock.descriptor_, now);
  return lock;
}

RunLock::RunLock(RunLock&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}

RunLock& RunLock::operator=(RunLock&& other) noexcept {
  std::swap(descriptor_, other.descriptor_);
  return *this;
}

RunLock::~RunLock() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

Result<std::optional<LockHolder>> is_held(const std::string& path) {
  // Querying a write lock needs a descriptor that is open for writing.
  const int descriptor = ::open(path.c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW);
  if (descriptor < 0 && errno == ENOENT) return std::nullopt;
  if (descriptor < 0) return cannot_lock(errno, path);
  struct flock range = whole_file();
  const int error = ::fcntl(descriptor, F_OFD_GETLK, &range) == 0 ? 0 : errno;
  std::optional<LockHolder> holder;
  if (error == 0 && range.l_type != F_UNLCK) holder = read_holder(descriptor);
  ::close(descriptor);
  if (error != 0) return cannot_lock(error, path);
  return holder;
}

}  // namespace tidemill::run
