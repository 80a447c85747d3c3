#include "tidemill/io/proc/stop_bell.h"
#include "tidemill/io/proc/system_failure.h"

#include <sys/eventfd.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <utility>

namespace tidemill::proc {

Result<std::unique_ptr<StopBell>> StopBell::make() {
  Descriptor event(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  if (!event.is_open()) return fail_to_start(errno, "eventfd");
  return std::unique_ptr<StopBell>(new StopBell(std::move(event)));
}

void StopBell::ring(StopUrge urge) {
  StopUrge seen = urge_.load();
  while (seen < urge) {
    if (!urge_.compare_exchange_weak(seen, urge)) continue;
    const std::uint64_t one = 1;
    // Fails only when the counter is full, and then the bell is readable already.
    [[maybe_unused]] const auto written = ::write(event_.number(), &one, sizeof one);
    return;
  }
}

void StopBell::reset() {
  if (urge_.exchange(StopUrge::none) != StopUrge::none) silence();
}

void StopBell::silence() {
  std::uint64_t count = 0;
  [[maybe_unused]] const auto read = ::read(event_.number(), &count, sizeof count);
}

}  // namespace tidemill::proc
