#include "tidemill/io/proc/bell.h"
#include "tidemill/io/proc/system_failure.h"

#include <sys/eventfd.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <utility>

namespace tidemill::proc {

Result<std::unique_ptr<Bell>> Bell::make() {
  Descriptor event(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  if (!event.is_open()) return fail_to_start(errno, "eventfd");
  return std::unique_ptr<Bell>(new Bell(std::move(event)));
}

void Bell::ring(Urge urge) {
  Urge seen = urge_.load();
  while (seen < urge) {
    if (!urge_.compare_exchange_weak(seen, urge)) continue;
    const std::uint64_t one = 1;
    // It could only fail when the counter is full, and then the bell is readable already.
    [[maybe_unused]] const auto written = ::write(event_.number(), &one, sizeof one);
    return;
  }
}

void Bell::reset() {
  if (urge_.exchange(Urge::none) != Urge::none) silence();
}

void Bell::silence() {
  std::uint64_t count = 0;
  [[maybe_unused]] const auto read = ::read(event_.number(), &count, sizeof count);
}

}  // namespace tidemill::proc
