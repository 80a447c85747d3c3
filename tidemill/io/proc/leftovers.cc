#include "tidemill/io/proc/leftovers.h"

#include <dirent.h>
#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "tidemill/base/descriptor.h"
#include "tidemill/base/try.h"
#include "tidemill/io/proc/pidfd.h"
#include "tidemill/io/proc/system_failure.h"

namespace tidemill::proc {
namespace {

constexpr Instant::duration kKillTimeout = std::chrono::seconds(10);  // at most, after SIGKILL
constexpr std::size_t kReadSize = 65'536;

struct Marked {
  pid_t pid = -1;
  Descriptor pidfd;
};

Instant now() { return std::chrono::steady_clock::now(); }

std::optional<pid_t> pid_of(std::string_view name) {
  pid_t pid = 0;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), pid);
  if (error != std::errc() || end != name.data() + name.size()) return std::nullopt;
  return pid;
}

// Empty also when the process has ended or may not be read.
void read_environ(pid_t pid, std::string& text) {
  text.clear();
  const std::string path = "/proc/" + std::to_string(pid) + "/environ";
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file.is_open()) return;
  while (true) {
    const std::size_t size = text.size();
    text.resize(size + kReadSize);
    const ssize_t count = ::read(file.number(), text.data() + size, kReadSize);
    text.resize(size + static_cast<std::size_t>(std::max<ssize_t>(count, 0)));
    if (count <= 0) return;
  }
}

bool has_entry(std::string_view environ_text, std::string_view entry) {
  for (std::size_t at = environ_text.find(entry); at != std::string_view::npos;
       at = environ_text.find(entry, at + 1)) {
    const std::size_t end = at + entry.size();
    const bool is_start = at == 0 || environ_text[at - 1] == '\0';
    if (is_start && (end == environ_text.size() || environ_text[end] == '\0')) return true;
  }
  return false;
}

bool is_marked(pid_t pid, const std::vector<std::string>& entries, std::string& text) {
  read_environ(pid, text);
  return std::ranges::all_of(entries, [&](const auto& entry) { return has_entry(text, entry); });
}

// A pid can be reused at any time, a pidfd always refers to the same process: so the mark is
// checked again after the pidfd was opened.
Result<std::vector<Marked>> hold_marked(const std::vector<std::string>& entries) {
  LET(const std::vector<pid_t> pids, marked_processes(entries));
  std::vector<Marked> held;
  std::string text;
  for (const pid_t pid : pids) {
    Descriptor pidfd = open_pidfd(pid);
    if (!pidfd.is_open() && errno != ESRCH) return fail_with(errno, "leftovers", "pidfd");
    if (!pidfd.is_open() || !is_marked(pid, entries, text)) continue;
    held.push_back({.pid = pid, .pidfd = std::move(pidfd)});
  }
  return held;
}

void signal_all(const std::vector<Marked>& marked, int signal) {
  for (const Marked& one : marked) send_signal(one.pidfd, signal);
}

// Whether all of them end before `until`.
bool have_ended(const std::vector<Marked>& marked, Instant until) {
  for (const Marked& one : marked) {
    pollfd polled{.fd = one.pidfd.number(), .events = POLLIN, .revents = 0};
    int count = 0;
    do {
      const auto left = std::chrono::ceil<std::chrono::milliseconds>(until - now()).count();
      count = ::poll(
          &polled, 1,
          static_cast<int>(std::clamp<std::int64_t>(left, 0, std::numeric_limits<int>::max())));
    } while (count < 0 && errno == EINTR);
    if (count <= 0) return false;
  }
  return true;
}

void count_in(std::set<pid_t>& seen, const std::vector<Marked>& marked) {
  for (const Marked& one : marked) seen.insert(one.pid);
}

}  // namespace

Result<std::vector<pid_t>> marked_processes(const std::vector<std::string>& entries) {
  // An empty mark would match every environment and end every process on the machine.
  const auto is_mark = [](const std::string& entry) { return entry.find('=') + 1 > 1; };
  if (entries.empty() || !std::ranges::all_of(entries, is_mark)) {
    return fail(Cure::give_up, "leftovers", "a mark must be NAME=value");
  }
  const std::unique_ptr<DIR, int (*)(DIR*)> folder(::opendir("/proc"), &::closedir);
  if (!folder) return fail_with(errno, "leftovers", "/proc");
  std::vector<pid_t> found;
  std::string text;
  // readdir() is thread-safe when each thread has its own DIR.
  while (const dirent* entry = ::readdir(folder.get())) {  // NOLINT(concurrency-mt-unsafe)
    const auto pid = pid_of(entry->d_name);
    if (pid && *pid != ::getpid() && is_marked(*pid, entries, text)) found.push_back(*pid);
  }
  return found;
}

Result<int> end_marked(const std::vector<std::string>& entries, Instant::duration grace) {
  std::set<pid_t> seen;
  LET(auto marked, hold_marked(entries));
  count_in(seen, marked);
  signal_all(marked, SIGTERM);
  static_cast<void>(have_ended(marked, now() + grace));
  // Repeat: a process can start another one before it is killed.
  const Instant limit = now() + kKillTimeout;
  while (true) {
    LET(marked, hold_marked(entries));
    if (marked.empty()) return static_cast<int>(seen.size());
    count_in(seen, marked);
    signal_all(marked, SIGKILL);
    if (!have_ended(marked, limit)) {
      return fail(Cure::retry, "leftovers",
                  "process " + std::to_string(marked.front().pid) + " does not exit");
    }
  }
}

}  // namespace tidemill::proc
