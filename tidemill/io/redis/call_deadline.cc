#include "tidemill/io/redis/call_deadline.h"

#include <poll.h>
#include <sys/eventfd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <string>

#include "tidemill/base/system_text.h"
#include "tidemill/base/try.h"

namespace tidemill::redis {
namespace {

constexpr std::chrono::milliseconds kClockCheck{50};

}  // namespace

std::unexpected<Failure> fail_errno(std::string_view what, int error) {
  const bool is_forbidden = error == EACCES || error == EINVAL;
  return fail(is_forbidden ? Cure::give_up : Cure::retry,
              std::string(what) + ": " + system_text(error));
}

CallDeadline::CallDeadline(const Clock& clock, std::chrono::milliseconds timeout,
                           const std::stop_token& stop, int bell)
    : clock_(clock), timeout_(timeout), until_(clock.now() + timeout), stop_(stop), bell_(bell) {
  if (bell_ < 0 || !stop_.stop_possible()) return;
  ringer_.emplace(stop_, [bell] { (void)::eventfd_write(bell, 1); });
}

CallDeadline::Share::Share(CallDeadline& owner, std::size_t parts)
    : owner_(owner), whole_(owner.until_) {
  const Instant now = owner.clock_.now();
  const auto left = std::max(whole_ - now, Instant::duration::zero());
  owner.until_ = now + left / static_cast<Instant::rep>(std::max<std::size_t>(parts, 1));
}

Result<void> CallDeadline::check() const {
  if (stop_.stop_requested()) return fail_stopped();
  if (clock_.now() < until_) return {};
  return fail(Cure::retry, FailureKind::timed_out,
              "no answer in " + std::to_string(timeout_.count()) + " ms");
}

Result<short> CallDeadline::wait(int descriptor, short events) const {
  std::array<pollfd, 2> waiting{{{.fd = descriptor, .events = events, .revents = 0},
                                 {.fd = bell_, .events = POLLIN, .revents = 0}}};
  while (true) {
    TRY(check());
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(until_ - clock_.now());
    const auto pause = std::clamp(left, std::chrono::milliseconds(0), kClockCheck);
    const int ready = ::poll(waiting.data(), ringer_ ? 2 : 1, static_cast<int>(pause.count()));
    if (ready < 0 && errno != EINTR) return fail_errno("poll", errno);
    if (ready > 0 && waiting[0].revents != 0) return waiting[0].revents;
    if (ready > 0 && !stop_.stop_requested()) {  // still signalled from an earlier call
      eventfd_t count = 0;
      (void)::eventfd_read(bell_, &count);
    }
  }
}

}  // namespace tidemill::redis
