#include "tidemill/io/proc/runner.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/wait.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <limits>
#include <utility>

#include "tidemill/base/try.h"
#include "tidemill/io/proc/system_failure.h"

namespace tidemill::proc {
namespace {

using std::chrono::microseconds;

constexpr std::size_t kPipeSize = 65'536;  // one read empties a pipe

Instant now() { return std::chrono::steady_clock::now(); }

microseconds length_of(const timeval& time) {
  return std::chrono::seconds(time.tv_sec) + microseconds(time.tv_usec);
}

Exit exit_of(const Ended& ended, bool was_urged, Instant started) {
  Exit exit{.was_urged = was_urged,
            .wall = std::chrono::duration_cast<microseconds>(now() - started),
            .user = length_of(ended.usage.ru_utime),
            .system = length_of(ended.usage.ru_stime),
            .max_rss = kib(static_cast<std::uint64_t>(ended.usage.ru_maxrss))};
  if (WIFSIGNALED(ended.wait_status)) {
    exit.signal = WTERMSIG(ended.wait_status);
  } else {
    exit.status = WEXITSTATUS(ended.wait_status);
  }
  return exit;
}

Finished not_started(StopUrge urge) {
  return {.exit = {.signal = urge == StopUrge::kill ? SIGKILL : SIGTERM, .was_urged = true}};
}

}  // namespace

// The signal that one child has been sent, and when SIGKILL is due.
struct Runner::Watch {
  StopUrge sent = StopUrge::none;
  Instant kill_at{};

  [[nodiscard]] int timeout() const {
    if (sent != StopUrge::end) return -1;
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(kill_at - now()).count();
    return static_cast<int>(std::clamp<std::int64_t>(left, 0, std::numeric_limits<int>::max()));
  }
};

Runner::Runner(RunnerOptions options, std::unique_ptr<StopBell> bell, Descriptor null)
    : options_(std::move(options)),
      bell_(std::move(bell)),
      null_(std::move(null)),
      buffer_(options_.is_capturing ? kPipeSize : 0) {}

Result<std::unique_ptr<Runner>> Runner::make(RunnerOptions options) {
  for (const int standard : {0, 1, 2}) {
    if (::fcntl(standard, F_GETFD) < 0) {
      return fail(Cure::give_up, "start", "standard input, output or error is closed");
    }
  }
  struct sigaction on_child{};
  ::sigaction(SIGCHLD, nullptr, &on_child);
  if (on_child.sa_handler == SIG_IGN || (on_child.sa_flags & SA_NOCLDWAIT) != 0) {
    return fail(Cure::give_up, "start", "SIGCHLD is ignored, so exit statuses are lost");
  }
  LET(auto bell, StopBell::make());
  Descriptor null;
  if (options.stdin_fd < 0) {
    null = Descriptor(::open("/dev/null", O_RDONLY | O_CLOEXEC));
    if (!null.is_open()) return fail_to_start(errno, "/dev/null");
    options.stdin_fd = null.number();
  }
  return std::unique_ptr<Runner>(new Runner(std::move(options), std::move(bell), std::move(null)));
}

Result<Finished> Runner::run(const Launch& launch, std::string_view spill_name) {
  if (const StopUrge urge = bell_->urge(); urge != StopUrge::none) return not_started(urge);
  auto exit = run_child(launch, spill_name);
  if (!exit) {
    out_.discard();
    err_.discard();
    return std::unexpected(std::move(exit).error());
  }
  return Finished{.exit = *exit, .out = out_.finish(), .err = err_.finish()};
}

Result<void> Runner::open_streams(std::string_view spill_name) {
  if (!options_.is_capturing) return {};
  const auto path = [&](std::string_view end) {
    if (options_.spill_folder.empty()) return std::string();
    return (options_.spill_folder + '/').append(spill_name).append(end);
  };
  TRY(out_.open(options_.cap.count, path(".out")));
  return err_.open(options_.cap.count, path(".err"));
}

Result<Exit> Runner::run_child(const Launch& launch, std::string_view spill_name) {
  const Instant started = now();
  TRY(open_streams(spill_name));
  LET(const pid_t leader,
      spawner_.spawn(launch,
                     {.in = options_.stdin_fd, .out = out_.write_end(), .err = err_.write_end()}));
  LET(auto child, Child::adopt(leader));
  LET(const bool was_urged, watch(child));
  // Before the leader is reaped: until then its pid, and so the group id, cannot be reused.
  if (was_urged) child.signal(SIGKILL);
  LET(const Ended ended, child.reap());
  return exit_of(ended, was_urged, started);
}

Result<bool> Runner::watch(const Child& child) {
  // The child's end comes first: poll() checks descriptors in this order, so if the child has
  // ended, the state of the streams was seen after its last write, and a silent child needs no
  // read.
  std::array<pollfd, 4> polled{{{.fd = child.descriptor(), .events = POLLIN, .revents = 0},
                                {.fd = out_.read_end(), .events = POLLIN, .revents = 0},
                                {.fd = err_.read_end(), .events = POLLIN, .revents = 0},
                                {.fd = bell_->descriptor(), .events = POLLIN, .revents = 0}}};
  auto& [end, out, err, bell] = polled;
  Watch watch;
  while (true) {
    if (::poll(polled.data(), polled.size(), watch.timeout()) < 0) {
      if (errno == EINTR) continue;
      return fail_with(errno, "wait", "poll");
    }
    const bool has_ended = end.revents != 0;
    TRY(take_ready(out.revents != 0, err.revents != 0, has_ended));
    if (has_ended) return watch.sent != StopUrge::none;
    signal_on_request(child, watch, bell.revents != 0);
  }
}

Result<void> Runner::take_ready(bool has_out, bool has_err, bool has_ended) {
  const auto take = [&](Stream& stream) -> Result<void> {
    if (has_ended) return stream.take_rest(buffer_);
    TRY(stream.take(buffer_));
    return {};
  };
  if (has_out) TRY(take(out_));
  if (has_err) TRY(take(err_));
  return {};
}

void Runner::signal_on_request(const Child& child, Watch& watch, bool has_rung) {
  if (has_rung) bell_->silence();
  StopUrge urge = bell_->urge();
  if (watch.sent == StopUrge::end && now() >= watch.kill_at) urge = StopUrge::kill;
  if (urge <= watch.sent) return;
  child.signal(urge == StopUrge::kill ? SIGKILL : SIGTERM);
  watch.sent = urge;
  watch.kill_at = now() + options_.grace;
}

}  // namespace tidemill::proc
