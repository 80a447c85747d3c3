#include "tidemill/io/sandbox/fork_server.h"

#include <poll.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "tidemill/base/try.h"
#include "tidemill/io/sandbox/messages.h"
#include "tidemill/io/sandbox/processes.h"

namespace tidemill::sandbox {
namespace {

// No untrusted byte has been sent yet: this long wait is only for an overloaded machine.
constexpr std::chrono::milliseconds kStartTimeout{60'000};

bool is_readable(const Descriptor& descriptor) {
  pollfd watched{.fd = descriptor.number(), .events = POLLIN, .revents = 0};
  int ready = -1;
  do {
    ready = ::poll(&watched, 1, static_cast<int>(kStartTimeout.count()));
  } while (ready < 0 && errno == EINTR);
  return ready > 0;
}

// Returns the process id and sets the pidfd.
Result<pid_t> receive_started(const Descriptor& status, Descriptor& pidfd) {
  Notice notice;
  std::vector<Descriptor> carried;
  if (!is_readable(status))
    return fail(Cure::retry, "start", "the sandbox launcher does not respond");
  const auto got = receive_with(status.number(), writable_bytes_of(notice), carried);
  if (got != static_cast<ssize_t>(sizeof notice)) {
    return fail(Cure::give_up, "start", "the sandbox launcher has exited");
  }
  if (notice.kind != Notice::Kind::started) return fail_with(notice.value, "start", "fork");
  if (carried.size() != 1) return fail_with(EMFILE, "start", "the descriptor of a sandbox");
  pidfd = std::move(carried[0]);
  return notice.value;
}

Result<Confinement> receive_ready(const Descriptor& talk) {
  Ready ready;
  if (!is_readable(talk) || !read_all(talk.number(), writable_bytes_of(ready)) ||
      ready.mark != kReadyMark) {
    return fail(Cure::retry, "start", "a sandbox exited before it was ready");
  }
  ready.reason.back() = '\0';
  if (!ready.is_confined) return fail(Cure::give_up, "start", ready.reason.data());
  return ready.confinement;
}

}  // namespace

ForkServer::ForkServer(Descriptor control, pid_t pid, SandboxLimits limits)
    : control_(std::move(control)), pid_(pid), limits_(limits) {}

Result<std::unique_ptr<ForkServer>> ForkServer::start(const Serve& serve, SandboxLimits limits) {
  LET(Pair control, make_pair(SOCK_SEQPACKET));
  const pid_t parent = ::getpid();
  const pid_t pid = ::fork();
  if (pid == 0) run_fork_server(std::move(control.theirs), parent, serve, limits);
  if (pid < 0) return fail_with(errno, "start", "fork");
  control.theirs.close();  // else the socket outlives the fork server and its end goes unseen
  std::unique_ptr<ForkServer> fork_server(new ForkServer(std::move(control.ours), pid, limits));
  // Try up to three times: the out-of-memory killer may have hit this one sandbox.
  auto first = fork_server->start_sandbox();
  for (int tries = 1; tries < 3 && !first && first.error().cure == Cure::retry; ++tries) {
    first = fork_server->start_sandbox();
  }
  if (!first) return std::unexpected(std::move(first).error());
  fork_server->confinement_ = first->confinement;
  return fork_server;
}

ForkServer::~ForkServer() {
  control_.close();
  while (::waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) {
  }
}

// One message and two new sockets per call: threads share nothing here, so there is no lock.
Result<ForkServer::Child> ForkServer::start_sandbox() const {
  Child child;
  LET(Pair talk, make_pair(SOCK_STREAM));
  LET(Pair status, make_pair(SOCK_SEQPACKET));
  constexpr std::byte kOrder{1};
  const std::array ends = {talk.theirs.number(), status.theirs.number()};
  if (send_with(control_.number(), bytes_of(kOrder), ends, 0) != 1) {
    return fail_with(errno, "start", "the sandbox launcher");
  }
  talk.theirs.close();  // else the stream would not end with the sandbox
  status.theirs.close();
  child.talk = std::move(talk.ours);
  child.status = std::move(status.ours);
  LET(child.pid, receive_started(child.status, child.pidfd));
  LET(child.confinement, receive_ready(child.talk));
  return child;
}

}  // namespace tidemill::sandbox
