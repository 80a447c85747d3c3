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
#include "tidemill/io/sandbox/inside.h"
#include "tidemill/io/sandbox/wire.h"

namespace tidemill::sandbox {
namespace {

struct Ward {
  pid_t pid = -1;
  Descriptor pidfd;
  Descriptor status;
};

// A terminal's signals are the program's business; the fault signals stay as they are, for a
// sanitizer catches them.
void settle_signals() {
  (void)::setpgid(0, 0);
  for (const int number :
       {SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2, SIGCHLD, SIGALRM, SIGTSTP, SIGWINCH}) {
    (void)std::signal(number, SIG_DFL);
  }
  (void)std::signal(SIGPIPE, SIG_IGN);
  (void)std::signal(SIGXFSZ, SIG_IGN);  // a file beyond the limit: EFBIG
  sigset_t none{};
  ::sigemptyset(&none);
  (void)::pthread_sigmask(SIG_SETMASK, &none, nullptr);
}

// Variables may hold keys and passwords, and a cell is to know nothing it does not need. The bytes
// go too: a process can read all of its memory, and /proc/PID/environ shows where they were.
void forget_environment() {
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
    ::explicit_bzero(*entry, std::strlen(*entry));
  }
  (void)::clearenv();  // NOLINT(concurrency-mt-unsafe): this process has one thread
}

// No library's message may reach the terminal. A sanitizer's report may.
void silence() {
  const int null = ::open("/dev/null", O_RDWR | O_CLOEXEC);
  if (null < 0) ::_exit(EXIT_FAILURE);
  for (const int number : {0, 1, 2}) {
    if (number == 2 && kIsSanitized) continue;
    (void)::dup2(null, number);
  }
  if (null > 2) ::close(null);
}

// When memory runs out on the machine, a cell goes first.
void volunteer() {
  const Descriptor score(::open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC));
  if (score.is_open()) (void)!::write(score.number(), "1000", 4);
}

void tell(const Descriptor& status, Notice notice, std::span<const int> descriptors = {}) {
  (void)send_with(status.number(), bytes_of(notice), descriptors, MSG_DONTWAIT);
}

void bear(Descriptor talk, Descriptor status, std::vector<Ward>& wards, const Serve& serve,
          const CellLimits& limits) {
  const pid_t nursery = ::getpid();
  const pid_t pid = ::fork();
  if (pid == 0) live_in_cell(std::move(talk), nursery, serve, limits);
  if (pid < 0) return tell(status, {.kind = Notice::Kind::not_born, .value = errno});
  Descriptor pidfd(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0)));
  if (!pidfd.is_open()) {
    const int error = errno;
    (void)::kill(pid, SIGKILL);
    (void)::waitpid(pid, nullptr, 0);
    return tell(status, {.kind = Notice::Kind::not_born, .value = error});
  }
  tell(status, {.kind = Notice::Kind::born, .value = pid}, std::array{pidfd.number()});
  wards.push_back({.pid = pid, .pidfd = std::move(pidfd), .status = std::move(status)});
}

// False: the program is gone.
bool take_order(const Descriptor& control, std::vector<Ward>& wards, const Serve& serve,
                const CellLimits& limits) {
  std::byte order{};
  std::vector<Descriptor> ends;
  if (receive_with(control.number(), std::span(&order, 1), ends) <= 0) return false;
  if (ends.size() != 2) return true;  // we had no descriptor left: the other side sees the end
  bear(std::move(ends[0]), std::move(ends[1]), wards, serve, limits);
  return true;
}

std::chrono::microseconds time_of(const timeval& time) {
  return std::chrono::seconds(time.tv_sec) + std::chrono::microseconds(time.tv_usec);
}

void bury(Ward& ward) {
  int status = 0;
  rusage usage{};
  while (::wait4(ward.pid, &status, 0, &usage) < 0 && errno == EINTR) {
  }
  tell(ward.status, {.kind = Notice::Kind::ended,
                     .value = status,
                     .cpu = time_of(usage.ru_utime) + time_of(usage.ru_stime)});
}

void end_all(std::vector<Ward>& wards) {
  for (const Ward& ward : wards) (void)::kill(ward.pid, SIGKILL);  // ours, not reaped yet
  for (Ward& ward : wards) bury(ward);
}

}  // namespace

void end_with(pid_t parent) {
  (void)::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) ::_exit(EXIT_FAILURE);  // it ended before we asked
}

void close_all_but(int kept) {
  if (kept > 3) (void)::close_range(3, static_cast<unsigned>(kept) - 1, 0);
  (void)::close_range(static_cast<unsigned>(kept) + 1, ~0U, 0);
}

// NOLINTNEXTLINE(bugprone-exception-escape): it ends here, see inside.h
void keep_nursery(Descriptor control, pid_t parent, const Serve& serve,
                  const CellLimits& limits) noexcept {
  end_with(parent);
  (void)::prctl(PR_SET_NAME, "tidemill-nursery");
  settle_signals();
  forget_environment();
  silence();
  close_all_but(control.number());
  volunteer();
  std::vector<Ward> wards;
  std::vector<pollfd> watched;
  for (;;) {
    watched.assign(1, {.fd = control.number(), .events = POLLIN, .revents = 0});
    for (const Ward& ward : wards) {
      watched.push_back({.fd = ward.pidfd.number(), .events = POLLIN, .revents = 0});
    }
    if (::poll(watched.data(), watched.size(), -1) < 0) continue;  // EINTR
    for (std::size_t at = wards.size(); at-- > 0;) {
      if (watched[at + 1].revents == 0) continue;
      bury(wards[at]);
      wards.erase(wards.begin() + static_cast<std::ptrdiff_t>(at));
    }
    if (watched[0].revents != 0 && !take_order(control, wards, serve, limits)) break;
  }
  end_all(wards);
  ::_exit(EXIT_SUCCESS);
}

}  // namespace tidemill::sandbox
