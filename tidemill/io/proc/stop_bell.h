// StopBell: lets any thread request that a Runner end its current child.
//
// A request only escalates: after `kill`, `end` changes nothing. It stays until the owner calls
// reset(), so a request before the child has started is not lost. The owner resets it between two
// children, when no thread can ring for the earlier one any more: with a std::stop_callback, after
// the callback is destroyed. Ringing cannot fail.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>

#include "tidemill/base/descriptor.h"
#include "tidemill/base/result.h"

namespace tidemill::proc {

enum class StopUrge : std::uint8_t {
  none,
  end,   // SIGTERM now, SIGKILL after the grace period
  kill,  // SIGKILL now
};

// Thread-safe, except reset() and silence(), which only the owner calls.
class StopBell {
 public:
  [[nodiscard]] static Result<std::unique_ptr<StopBell>> make();

  void ring(StopUrge urge);
  [[nodiscard]] StopUrge urge() const { return urge_.load(); }

  void reset();
  void silence();  // not readable until the next ring; the request stays

  [[nodiscard]] int descriptor() const { return event_.number(); }  // readable after a ring

 private:
  explicit StopBell(Descriptor event) : event_(std::move(event)) {}

  Descriptor event_;
  std::atomic<StopUrge> urge_ = StopUrge::none;
};

}  // namespace tidemill::proc
