// failure_of: an errno as a Failure. Transient errors (out of descriptors or memory, an I/O error,
// a stale handle) are Cure::retry; all others are Cure::give_up.
#pragma once

#include <cerrno>
#include <string>
#include <string_view>

#include "tidemill/base/result.h"
#include "tidemill/base/system_text.h"

namespace tidemill::walk {

[[nodiscard]] inline Cure cure_of(int error) {
  switch (error) {
    case EMFILE:
    case ENFILE:
    case ENOMEM:
    case EAGAIN:
    case EINTR:
    case EIO:
    case ESTALE:
    case ETIMEDOUT:
      return Cure::retry;
    default:
      return Cure::give_up;
  }
}

// "open: /data/x: Permission denied".
[[nodiscard]] inline Failure failure_of(int error, std::string_view step, std::string_view path) {
  return {.cure = cure_of(error),
          .step = std::string(step),
          .reason = std::string(path) + ": " + system_text(error)};
}

}  // namespace tidemill::walk
