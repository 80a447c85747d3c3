// Refusal: why a step was not done. Declined is the normal case: the files are not what they have
// to be, and stay as they are. A Tried<T> works with TRY and LET like a Result.
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
    declined,  // nothing was changed, for a good reason
    failed,    // the system said no, or something is left that a person must look at
    stopped,   // the token said so; nothing was changed and it can be begun again
  };
  Kind kind = Kind::declined;
  std::string reason{};
  int error = 0;  // of the system, when that is all there is to it
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

// The process or the machine has no descriptors left: those of other steps may be given back first.
[[nodiscard]] inline bool is_out_of_files(const Refusal& refusal) {
  return refusal.error == EMFILE || refusal.error == ENFILE;
}

}  // namespace tidemill::dupes
