#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <span>
#include <utility>
#include <vector>

#include "tidemill/io/sandbox/confine.h"
#include "tidemill/io/sandbox/messages.h"
#include "tidemill/io/sandbox/processes.h"

namespace tidemill::sandbox {
namespace {

struct ForkedSandbox {
  pid_t pid = -1;
  Descriptor pidfd;
  Descriptor status;
};

// A process group of its own, because the program handles the terminal's signals. Fault signals
// keep their handlers: a sanitizer uses them.
void reset_signals() {
  (void)::setpgid(0, 0);
  for (const int number :
       {SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2, SIGCHLD, SIGALRM, SIGTSTP, SIGWINCH}) {
    (void)std::signal(number, SIG_DFL);
  }
  (void)std::signal(SIGPIPE, SIG_IGN);
  (void)std::signal(SIGXFSZ, SIG_IGN);  // so that a file above the limit fails with EFBIG
  sigset_t none{};
  ::sigemptyset(&none);
  (void)::pthread_sigmask(SIG_SETMASK, &none, nullptr);
}

// Variables may hold keys and passwords, which a sandbox does not need. The bytes are overwritten
// too, because a process can read all of its memory and /proc/PID/environ shows the original place.
void forget_environment() {
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
    ::explicit_bzero(*entry, std::strlen(*entry));
  }
  (void)::clearenv();  // NOLINT(concurrency-mt-unsafe): this process has one thread
}

// Messages of libraries must not reach the terminal. Reports of a sanitizer may.
void silence() {
  const int null = ::open("/dev/null", O_RDWR | O_CLOEXEC);
  if (null < 0) ::_exit(EXIT_FAILURE);
  for (const int number : {0, 1, 2}) {
    if (number == 2 && kIsSanitized) continue;
    (void)::dup2(null, number);
  }
  if (null > 2) ::close(null);
}

// When the machine runs out of memory, the kernel kills a sandbox first.
void prefer_for_oom_kill() {
  const Descriptor score(::open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC));
  if (score.is_open()) (void)!::write(score.number(), "1000", 4);
}

void notify(const Descriptor& status, Notice notice, std::span<const int> descriptors = {}) {
  (void)send_with(status.number(), bytes_of(notice), descriptors, MSG_DONTWAIT);
}

void fork_child(Descriptor talk, Descriptor status, std::vector<ForkedSandbox>& children,
                const Serve& serve, const SandboxLimits& limits) {
  const pid_t fork_server = ::getpid();
  const pid_t pid = ::fork();
  if (pid == 0) run_sandbox(std::move(talk), fork_server, serve, limits);
  if (pid < 0) return notify(status, {.kind = Notice::Kind::not_started, .value = errno});
  talk.close();  // before the program hears of the child: its end must be seen at once
  Descriptor pidfd(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0)));
  if (!pidfd.is_open()) {
    const int error = errno;
    (void)::kill(pid, SIGKILL);
    (void)::waitpid(pid, nullptr, 0);
    return notify(status, {.kind = Notice::Kind::not_started, .value = error});
  }
  notify(status, {.kind = Notice::Kind::started, .value = pid}, std::array{pidfd.number()});
  children.push_back({.pid = pid, .pidfd = std::move(pidfd), .status = std::move(status)});
}

// False: the program has ended.
bool handle_order(const Descriptor& control, std::vector<ForkedSandbox>& children,
                  const Serve& serve, const SandboxLimits& limits) {
  std::byte order{};
  std::vector<Descriptor> ends;
  if (receive_with(control.number(), std::span(&order, 1), ends) <= 0) return false;
  if (ends.size() != 2) return true;  // no descriptor left here: the program sees the socket close
  fork_child(std::move(ends[0]), std::move(ends[1]), children, serve, limits);
  return true;
}

std::chrono::microseconds time_of(const timeval& time) {
  return std::chrono::seconds(time.tv_sec) + std::chrono::microseconds(time.tv_usec);
}

void reap(ForkedSandbox& child) {
  int status = 0;
  rusage usage{};
  while (::wait4(child.pid, &status, 0, &usage) < 0 && errno == EINTR) {
  }
  notify(child.status, {.kind = Notice::Kind::ended,
                        .value = status,
                        .cpu = time_of(usage.ru_utime) + time_of(usage.ru_stime)});
}

void end_all(std::vector<ForkedSandbox>& children) {
  for (const ForkedSandbox& child : children) (void)::kill(child.pid, SIGKILL);  // not reaped yet
  for (ForkedSandbox& child : children) reap(child);
}

}  // namespace

void end_with(pid_t parent) {
  (void)::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) ::_exit(EXIT_FAILURE);  // it ended before the prctl()
}

void close_all_but(int kept) {
  if (kept > 3) (void)::close_range(3, static_cast<unsigned>(kept) - 1, 0);
  (void)::close_range(static_cast<unsigned>(kept) + 1, ~0U, 0);
}

// NOLINTNEXTLINE(bugprone-exception-escape): it ends here, see processes.h
void run_fork_server(Descriptor control, pid_t parent, const Serve& serve,
                     const SandboxLimits& limits) noexcept {
  end_with(parent);
  (void)::prctl(PR_SET_NAME, "tidemill-fork");
  reset_signals();
  forget_environment();
  silence();
  close_all_but(control.number());
  prefer_for_oom_kill();
  std::vector<ForkedSandbox> children;
  std::vector<pollfd> watched;
  for (;;) {
    watched.assign(1, {.fd = control.number(), .events = POLLIN, .revents = 0});
    for (const ForkedSandbox& child : children) {
      watched.push_back({.fd = child.pidfd.number(), .events = POLLIN, .revents = 0});
    }
    if (::poll(watched.data(), watched.size(), -1) < 0) continue;  // EINTR
    for (std::size_t at = children.size(); at-- > 0;) {
      if (watched[at + 1].revents == 0) continue;
      reap(children[at]);
      children.erase(children.begin() + static_cast<std::ptrdiff_t>(at));
    }
    if (watched[0].revents != 0 && !handle_order(control, children, serve, limits)) break;
  }
  end_all(children);
  ::_exit(EXIT_SUCCESS);
}

}  // namespace tidemill::sandbox
