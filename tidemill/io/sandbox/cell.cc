#include "tidemill/io/sandbox/cell.h"

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
#include "tidemill/io/sandbox/wire.h"

namespace tidemill::sandbox {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;

static_assert(Cell::kMaxDescriptors == kMostDescriptors);

constexpr milliseconds kDeath{10'000};  // from SIGKILL to the end
constexpr std::size_t kPiece = 1U << 20U;

// CPU time of another process. Zero when it is gone: its end is noticed elsewhere.
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

Answer answer_of(Answer::Kind kind, std::string text = {}) {
  return {.kind = kind, .text = std::move(text)};
}

}  // namespace

// One request on its way. CPU time never runs faster than the clock, for a cell has one thread: so
// the time it has left is also the earliest moment to look again.
struct Cell::Exchange {
  Instant deadline;
  microseconds cpu_at_start{0};
  microseconds cpu_limit{0};
  std::stop_token stop;
};

std::optional<pid_t> Cell::pid() const {
  if (child_.pid < 0) return std::nullopt;
  return child_.pid;
}

Answer Cell::ask(std::string_view request, std::span<const int> descriptors, milliseconds patience,
                 std::stop_token stop) {
  if (descriptors.size() > kMaxDescriptors) {
    return answer_of(Answer::Kind::unavailable, "too many descriptors for one request");
  }
  if (auto ready = make_ready(); !ready) {
    return answer_of(Answer::Kind::unavailable, text_of(ready.error()));
  }
  const std::stop_callback ring(stop, [&] { (void)::eventfd_write(bell_.number(), 1); });
  Exchange state{.deadline = std::chrono::steady_clock::now() + patience,
                 .cpu_at_start = cpu_of(child_.pid),
                 .cpu_limit = nursery_->limits().cpu,
                 .stop = std::move(stop)};
  Answer answer = exchange(request, descriptors, state);
  if (answer.cpu == microseconds(0)) answer.cpu = cpu_of(child_.pid);  // else of a whole life
  answer.cpu = std::max(answer.cpu - state.cpu_at_start, microseconds(0));
  if (!answer.is_answered()) (void)retire();
  return answer;
}

// A child to ask: the one at hand, unless it is worn out, ended meanwhile or speaks unasked.
Result<void> Cell::make_ready() {
  if (child_.pid >= 0) {
    std::array watched = {pollfd{.fd = child_.talk.number(), .events = POLLIN, .revents = 0},
                          pollfd{.fd = child_.status.number(), .events = POLLIN, .revents = 0}};
    const bool is_worn = served_ >= nursery_->limits().requests;
    if (is_worn || poll_again(watched, milliseconds(0)) != 0) (void)retire();
  }
  bell_ = Descriptor(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  if (!bell_.is_open()) return fail_with(errno, "start", "eventfd");
  if (child_.pid >= 0) return {};
  LET(child_, nursery_->bear());
  served_ = 0;
  ++started_;
  return {};
}

Answer Cell::exchange(std::string_view request, std::span<const int> descriptors, Exchange& state) {
  const RequestHead head{.sequence = ++sequence_, .length = request.size()};
  if (auto end = say(bytes_of(head), descriptors, state)) return *std::move(end);
  if (auto end = say(std::as_bytes(std::span(request)), {}, state)) return *std::move(end);
  AnswerHead reply;
  if (auto end = hear(writable_bytes_of(reply), state)) return *std::move(end);
  if (reply.mark != kAnswerMark || reply.sequence != head.sequence) {
    return answer_of(Answer::Kind::garbled);
  }
  if (reply.length > nursery_->limits().answer.count) return answer_of(Answer::Kind::too_much);
  Answer answer{.kind = Answer::Kind::answered};
  while (answer.text.size() < reply.length) {  // memory for what has come, not for what was claimed
    const std::size_t had = answer.text.size();
    answer.text.resize(std::min<std::size_t>(reply.length, had + kPiece));
    const auto piece = std::as_writable_bytes(std::span(answer.text)).subspan(had);
    if (auto end = hear(piece, state)) return *std::move(end);
  }
  const bool is_stale = reply.peak > nursery_->limits().stale_above.count;
  served_ = is_stale ? nursery_->limits().requests : served_ + 1;
  return answer;
}

std::optional<Answer> Cell::say(std::span<const std::byte> bytes, std::span<const int> descriptors,
                                Exchange& state) {
  while (!bytes.empty()) {
    const ssize_t sent = send_with(child_.talk.number(), bytes, descriptors, MSG_DONTWAIT);
    if (sent < 0 && errno == EAGAIN) {
      if (auto end = wait(state, POLLOUT)) return end;
      continue;
    }
    if (sent < 0 && (errno == EPIPE || errno == ECONNRESET)) return obituary();
    if (sent <= 0) {
      return answer_of(Answer::Kind::unavailable,
                       text_of(fail_with(errno, "ask", "sendmsg").error()));
    }
    descriptors = {};  // they have gone with the first byte
    bytes = bytes.subspan(static_cast<std::size_t>(sent));
  }
  return std::nullopt;
}

std::optional<Answer> Cell::hear(std::span<std::byte> bytes, Exchange& state) {
  while (!bytes.empty()) {
    if (auto end = wait(state, POLLIN)) return end;
    // recv() and not recvmsg(): descriptors that a cell attaches are dropped by the kernel.
    const ssize_t got = ::recv(child_.talk.number(), bytes.data(), bytes.size(), MSG_DONTWAIT);
    if (got < 0 && (errno == EAGAIN || errno == EINTR)) continue;
    if (got <= 0) return obituary();
    bytes = bytes.subspan(static_cast<std::size_t>(got));
  }
  return std::nullopt;
}

// Nothing: the socket is ready, or has ended. An answer that has come counts, even if the child
// ended after it.
std::optional<Answer> Cell::wait(Exchange& state, short events) {
  milliseconds cpu_left = std::chrono::ceil<milliseconds>(state.cpu_limit);
  for (;;) {
    if (state.stop.stop_requested()) return answer_of(Answer::Kind::stopped);
    const auto left =
        std::chrono::ceil<milliseconds>(state.deadline - std::chrono::steady_clock::now());
    if (left <= milliseconds(0)) return answer_of(Answer::Kind::timed_out);
    std::array watched = {pollfd{.fd = child_.talk.number(), .events = events, .revents = 0},
                          pollfd{.fd = bell_.number(), .events = POLLIN, .revents = 0}};
    const auto most = std::min({left, cpu_left, milliseconds(std::chrono::hours(1))});
    (void)poll_again(watched, most);
    if (watched[0].revents != 0) return std::nullopt;
    const microseconds used = cpu_of(child_.pid) - state.cpu_at_start;
    cpu_left = std::chrono::ceil<milliseconds>(state.cpu_limit - used);
    if (cpu_left <= milliseconds(0)) return answer_of(Answer::Kind::timed_out);
  }
}

Answer Cell::obituary() const {
  Notice notice;
  std::array watched = {pollfd{.fd = child_.status.number(), .events = POLLIN, .revents = 0}};
  const bool is_told =
      poll_again(watched, kDeath) > 0 &&
      ::recv(child_.status.number(), &notice, sizeof notice, MSG_DONTWAIT) == sizeof notice &&
      notice.kind == Notice::Kind::ended;
  // It has hung up and lives: nothing a sound cell does.
  if (!is_told) return answer_of(Answer::Kind::garbled);
  Answer answer{.kind = Answer::Kind::crashed, .cpu = notice.cpu};
  if (WIFSIGNALED(notice.value)) {
    answer.signal = WTERMSIG(notice.value);
    if (answer.signal == SIGSYS) answer.kind = Answer::Kind::refused;
  } else {
    answer.exit_status = WEXITSTATUS(notice.value);
    if (answer.exit_status == kOutOfMemoryExit) answer.kind = Answer::Kind::out_of_memory;
  }
  return answer;
}

bool Cell::retire() {
  if (child_.pid < 0) return true;
  (void)::syscall(SYS_pidfd_send_signal, child_.pidfd.number(), SIGKILL, nullptr, 0);
  std::array watched = {pollfd{.fd = child_.pidfd.number(), .events = POLLIN, .revents = 0}};
  const bool is_gone = poll_again(watched, kDeath) > 0;
  child_ = {};
  return is_gone;
}

}  // namespace tidemill::sandbox
