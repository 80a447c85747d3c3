// Bell: how any thread tells a Runner that the child it runs should end.
//
// An urge only rises: after `kill` an `end` changes nothing. It stays until the owner calls
// reset(), so a bell that rings before the child has started is not lost. The owner resets it
// between two children, when nobody can ring for the earlier one any more: with a
// std::stop_callback, after that is destroyed. Ringing cannot fail.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>

#include "tidemill/base/descriptor.h"
#include "tidemill/base/result.h"

namespace tidemill::proc {

enum class Urge : std::uint8_t {
  none,
  end,   // SIGTERM now, SIGKILL after the grace
  kill,  // SIGKILL now
};

// Thread-safe, but for reset() and silence(), which are the owner's.
class Bell {
 public:
  [[nodiscard]] static Result<std::unique_ptr<Bell>> make();

  void ring(Urge urge);
  [[nodiscard]] Urge urge() const { return urge_.load(); }

  void reset();
  void silence();  // not readable until the next ring; the urge stays

  [[nodiscard]] int descriptor() const { return event_.number(); }  // readable after a ring

 private:
  explicit Bell(Descriptor event) : event_(std::move(event)) {}

  Descriptor event_;
  std::atomic<Urge> urge_ = Urge::none;
};

}  // namespace tidemill::proc
