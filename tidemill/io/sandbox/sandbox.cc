#include "tidemill/io/sandbox/sandbox.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstddef>
#include <ctime>
#include <utility>

#include "tidemill/base/try.h"
#include "tidemill/io/sandbox/messages.h"

namespace tidemill::sandbox {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;

static_assert(Sandbox::kMaxDescriptors == kMostDescriptors);

constexpr milliseconds kKillTimeout{10'000};  // from SIGKILL to the end of the process
constexpr std::size_t kPiece = 1U << 20U;

// CPU time of another process. Zero when it has ended, which is detected elsewhere.
microseconds cpu_of(pid_t pid) {
  clockid_t clock{};
  timespec time{};
  if (::clock_getcpuclockid(pid, &clock) != 0 || ::clock_gettime(clock, &time) != 0) return {};
  return std::chrono::duration_cast<microseconds>(std::chrono::seconds(time.tv_sec) +
                                                  std::chrono::nanoseconds(time.tv_nsec));
}

int poll_again(std::span<pollfd> watched, milliseconds most) {
  int ready = -1;
  do {
    ready = ::poll(watched.data(), watched.size(), static_cast<int>(most.count()));
  } while (ready < 0 && errno == EINTR);
  return ready;
}

SandboxAnswer answer_of(SandboxAnswer::Kind kind, std::string text = {}) {
  return {.kind = kind, .text = std::move(text)};
}

}  // namespace

// One request in progress. A sandbox has one thread, so its CPU time never advances faster than the
// clock: the CPU time left is also the earliest moment at which the limit can be reached.
struct Sandbox::Exchange {
  Instant deadline;
  microseconds cpu_at_start{0};
  microseconds cpu_limit{0};
  std::stop_token stop;
};

std::optional<pid_t> Sandbox::pid() const {
  if (child_.pid < 0) return std::nullopt;
  return child_.pid;
}

SandboxAnswer Sandbox::ask(std::string_view request, std::span<const int> descriptors,
                           milliseconds timeout, std::stop_token stop) {
  if (descriptors.size() > kMaxDescriptors) {
    return answer_of(SandboxAnswer::Kind::unavailable, "too many descriptors for one request");
  }
  if (auto ready = make_ready(); !ready) {
    return answer_of(SandboxAnswer::Kind::unavailable, text_of(ready.error()));
  }
  const std::stop_callback ring(stop, [&] { (void)::eventfd_write(bell_.number(), 1); });
  Exchange state{.deadline = std::chrono::steady_clock::now() + timeout,
                 .cpu_at_start = cpu_of(child_.pid),
                 .cpu_limit = fork_server_->limits().cpu,
                 .stop = std::move(stop)};
  SandboxAnswer answer = exchange(request, descriptors, state);
  if (answer.cpu == microseconds(0)) answer.cpu = cpu_of(child_.pid);  // else: total of the child
  answer.cpu = std::max(answer.cpu - state.cpu_at_start, microseconds(0));
  if (!answer.is_answered()) (void)retire();
  return answer;
}

// Keeps the current child unless it has served its limit of requests, has ended, or has sent
// unsolicited bytes; then starts a new one.
Result<void> Sandbox::make_ready() {
  if (child_.pid >= 0) {
    std::array watched = {pollfd{.fd = child_.talk.number(), .events = POLLIN, .revents = 0},
                          pollfd{.fd = child_.status.number(), .events = POLLIN, .revents = 0}};
    const bool is_used_up = served_ >= fork_server_->limits().requests;
    if (is_used_up || poll_again(watched, milliseconds(0)) != 0) (void)retire();
  }
  bell_ = Descriptor(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  if (!bell_.is_open()) return fail_with(errno, "start", "eventfd");
  if (child_.pid >= 0) return {};
  LET(child_, fork_server_->start_sandbox());
  served_ = 0;
  ++started_;
  return {};
}

SandboxAnswer Sandbox::exchange(std::string_view request, std::span<const int> descriptors,
                                Exchange& state) {
  const RequestHead head{.sequence = ++sequence_, .length = request.size()};
  if (auto end = send(bytes_of(head), descriptors, state)) return *std::move(end);
  if (auto end = send(std::as_bytes(std::span(request)), {}, state)) return *std::move(end);
  AnswerHead reply;
  if (auto end = receive(writable_bytes_of(reply), state)) return *std::move(end);
  if (reply.mark != kAnswerMark || reply.sequence != head.sequence) {
    return answer_of(SandboxAnswer::Kind::garbled);
  }
  if (reply.length > fork_server_->limits().answer.count)
    return answer_of(SandboxAnswer::Kind::too_much);
  SandboxAnswer answer{.kind = SandboxAnswer::Kind::answered};
  while (answer.text.size() < reply.length) {  // grows with the bytes received, not by the claim
    const std::size_t had = answer.text.size();
    answer.text.resize(std::min<std::size_t>(reply.length, had + kPiece));
    const auto piece = std::as_writable_bytes(std::span(answer.text)).subspan(had);
    if (auto end = receive(piece, state)) return *std::move(end);
  }
  const bool is_stale = reply.peak > fork_server_->limits().stale_above.count;
  served_ = is_stale ? fork_server_->limits().requests : served_ + 1;
  return answer;
}

std::optional<SandboxAnswer> Sandbox::send(std::span<const std::byte> bytes,
                                           std::span<const int> descriptors, Exchange& state) {
  while (!bytes.empty()) {
    const ssize_t sent = send_with(child_.talk.number(), bytes, descriptors, MSG_DONTWAIT);
    if (sent < 0 && errno == EAGAIN) {
      if (auto end = wait(state, POLLOUT)) return end;
      continue;
    }
    if (sent < 0 && (errno == EPIPE || errno == ECONNRESET)) return answer_of_ended_child();
    if (sent <= 0) {
      return answer_of(SandboxAnswer::Kind::unavailable,
                       text_of(fail_with(errno, "ask", "sendmsg").error()));
    }
    descriptors = {};  // sent with the first byte
    bytes = bytes.subspan(static_cast<std::size_t>(sent));
  }
  return std::nullopt;
}

std::optional<SandboxAnswer> Sandbox::receive(std::span<std::byte> bytes, Exchange& state) {
  while (!bytes.empty()) {
    if (auto end = wait(state, POLLIN)) return end;
    // recv() and not recvmsg(): the kernel drops any descriptors that a sandbox attaches.
    const ssize_t got = ::recv(child_.talk.number(), bytes.data(), bytes.size(), MSG_DONTWAIT);
    if (got < 0 && (errno == EAGAIN || errno == EINTR)) continue;
    if (got <= 0) return answer_of_ended_child();
    bytes = bytes.subspan(static_cast<std::size_t>(got));
  }
  return std::nullopt;
}

// Returns nothing when the socket is ready or closed. An answer that has arrived counts, even if
// the child ended after it.
std::optional<SandboxAnswer> Sandbox::wait(Exchange& state, short events) {
  milliseconds cpu_left = std::chrono::ceil<milliseconds>(state.cpu_limit);
  for (;;) {
    if (state.stop.stop_requested()) return answer_of(SandboxAnswer::Kind::stopped);
    const auto left =
        std::chrono::ceil<milliseconds>(state.deadline - std::chrono::steady_clock::now());
    if (left <= milliseconds(0)) return answer_of(SandboxAnswer::Kind::timed_out);
    std::array watched = {pollfd{.fd = child_.talk.number(), .events = events, .revents = 0},
                          pollfd{.fd = bell_.number(), .events = POLLIN, .revents = 0}};
    const auto most = std::min({left, cpu_left, milliseconds(std::chrono::hours(1))});
    (void)poll_again(watched, most);
    if (watched[0].revents != 0) return std::nullopt;
    const microseconds used = cpu_of(child_.pid) - state.cpu_at_start;
    cpu_left = std::chrono::ceil<milliseconds>(state.cpu_limit - used);
    if (cpu_left <= milliseconds(0)) return answer_of(SandboxAnswer::Kind::timed_out);
  }
}

SandboxAnswer Sandbox::answer_of_ended_child() const {
  Notice notice;
  std::array watched = {pollfd{.fd = child_.status.number(), .events = POLLIN, .revents = 0}};
  const bool has_ended =
      poll_again(watched, kKillTimeout) > 0 &&
      ::recv(child_.status.number(), &notice, sizeof notice, MSG_DONTWAIT) == sizeof notice &&
      notice.kind == Notice::Kind::ended;
  // The child closed its socket and still runs: a working sandbox never does that.
  if (!has_ended) return answer_of(SandboxAnswer::Kind::garbled);
  SandboxAnswer answer{.kind = SandboxAnswer::Kind::crashed, .cpu = notice.cpu};
  if (WIFSIGNALED(notice.value)) {
    answer.signal = WTERMSIG(notice.value);
    if (answer.signal == SIGSYS) answer.kind = SandboxAnswer::Kind::refused;
  } else {
    answer.exit_status = WEXITSTATUS(notice.value);
    if (answer.exit_status == kOutOfMemoryExit) answer.kind = SandboxAnswer::Kind::out_of_memory;
  }
  return answer;
}

bool Sandbox::retire() {
  if (child_.pid < 0) return true;
  (void)::syscall(SYS_pidfd_send_signal, child_.pidfd.number(), SIGKILL, nullptr, 0);
  std::array watched = {pollfd{.fd = child_.pidfd.number(), .events = POLLIN, .revents = 0}};
  const bool is_gone = poll_again(watched, kKillTimeout) > 0;
  child_ = {};
  return is_gone;
}

}  // namespace tidemill::sandbox
