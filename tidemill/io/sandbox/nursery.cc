#include "tidemill/io/sandbox/nursery.h"

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
#include "tidemill/io/sandbox/inside.h"
#include "tidemill/io/sandbox/wire.h"

namespace tidemill::sandbox {
namespace {

// Nothing hostile has been said yet, so this is only for a machine that stands still.
constexpr std::chrono::milliseconds kBirth{60'000};

bool is_readable(const Descriptor& descriptor) {
  pollfd watched{.fd = descriptor.number(), .events = POLLIN, .revents = 0};
  int ready = -1;
  do {
    ready = ::poll(&watched, 1, static_cast<int>(kBirth.count()));
  } while (ready < 0 && errno == EINTR);
  return ready > 0;
}

// The process id, with the pidfd.
Result<pid_t> hear_of_birth(const Descriptor& status, Descriptor& pidfd) {
  Notice notice;
  std::vector<Descriptor> carried;
  if (!is_readable(status))
    return fail(Cure::retry, "start", "the sandbox launcher does not respond");
  const auto got = receive_with(status.number(), writable_bytes_of(notice), carried);
  if (got != static_cast<ssize_t>(sizeof notice)) {
    return fail(Cure::give_up, "start", "the sandbox launcher has exited");
  }
  if (notice.kind != Notice::Kind::born) return fail_with(notice.value, "start", "fork");
  if (carried.size() != 1) return fail_with(EMFILE, "start", "the descriptor of a sandbox");
  pidfd = std::move(carried[0]);
  return notice.value;
}

Result<Confinement> hear_ready(const Descriptor& talk) {
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

Nursery::Nursery(Descriptor control, pid_t pid, CellLimits limits)
    : control_(std::move(control)), pid_(pid), limits_(limits) {}

Result<std::unique_ptr<Nursery>> Nursery::start(const Serve& serve, CellLimits limits) {
  LET(Pair control, make_pair(SOCK_SEQPACKET));
  const pid_t parent = ::getpid();
  const pid_t pid = ::fork();
  if (pid == 0) keep_nursery(std::move(control.theirs), parent, serve, limits);
  if (pid < 0) return fail_with(errno, "start", "fork");
  control.theirs.close();  // or what lies in it would outlive the nursery, and nobody see its end
  std::unique_ptr<Nursery> nursery(new Nursery(std::move(control.ours), pid, limits));
  // Somebody may have killed just this one (the kernel, for want of memory): so not at the first
  // try.
  auto first = nursery->bear();
  for (int tries = 1; tries < 3 && !first && first.error().cure == Cure::retry; ++tries) {
    first = nursery->bear();
  }
  if (!first) return std::unexpected(std::move(first).error());
  nursery->confinement_ = first->confinement;
  return nursery;
}

Nursery::~Nursery() {
  control_.close();
  while (::waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) {
  }
}

// One message and two sockets made for it: threads do not meet here, so there is no lock.
Result<Nursery::Born> Nursery::bear() const {
  Born born;
  LET(Pair talk, make_pair(SOCK_STREAM));
  LET(Pair status, make_pair(SOCK_SEQPACKET));
  constexpr std::byte kOrder{1};
  const std::array ends = {talk.theirs.number(), status.theirs.number()};
  if (send_with(control_.number(), bytes_of(kOrder), ends, 0) != 1) {
    return fail_with(errno, "start", "the sandbox launcher");
  }
  talk.theirs.close();  // or the end of the cell would not be the end of the stream
  status.theirs.close();
  born.talk = std::move(talk.ours);
  born.status = std::move(status.ours);
  LET(born.pid, hear_of_birth(born.status, born.pidfd));
  LET(born.confinement, hear_ready(born.talk));
  return born;
}

}  // namespace tidemill::sandbox
