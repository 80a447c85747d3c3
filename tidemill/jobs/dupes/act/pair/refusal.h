// Refusal: why a step was not done. Declined is the normal case: the files do not meet the
// conditions, and stay unchanged. A Tried<T> works with TRY and LET like a Result.
#pragma once

#include <cerrno>
#include <cstdint>
#include <expected>
#include <string>
#include <string_view>
#include <utility>

#include "tidemill/base/system_text.h"

namespace tidemill::dupes {

struct Refusal {
  enum class Kind : std::uint8_t {
    declined,  // a condition is not met; nothing was changed
    failed,    // a system call failed, or something is left behind that needs attention
    stopped,   // a stop was requested; nothing was changed, and the step can be started again
  };
  Kind kind = Kind::declined;
  std::string reason{};
  int error = 0;  // the errno, if a single system call is the reason
  bool operator==(const Refusal&) const = default;
};

template <class T>
using Tried = std::expected<T, Refusal>;

[[nodiscard]] inline std::unexpected<Refusal> declined(std::string reason) {
  return std::unexpected(Refusal{.kind = Refusal::Kind::declined, .reason = std::move(reason)});
}
[[nodiscard]] inline std::unexpected<Refusal> failed(std::string reason) {
  return std::unexpected(Refusal{.kind = Refusal::Kind::failed, .reason = std::move(reason)});
}
[[nodiscard]] inline std::unexpected<Refusal> stopped() {
  return std::unexpected(Refusal{.kind = Refusal::Kind::stopped, .reason = "stopped"});
}
// "link: No space left on device".
[[nodiscard]] inline std::unexpected<Refusal> failed(std::string_view what, int error) {
  return std::unexpected(Refusal{.kind = Refusal::Kind::failed,
                                 .reason = std::string(what) + ": " + system_text(error),
                                 .error = error});
}

// The process or the machine has no descriptors left: the caller can close those of other steps and
// try again.
[[nodiscard]] inline bool is_out_of_files(const Refusal& refusal) {
  return refusal.error == EMFILE || refusal.error == ENFILE;
}

}  // namespace tidemill::dupes
