// The exit codes of the program, and which failure has which.
#pragma once

#include "tidemill/base/result.h"

namespace tidemill::cli {

inline constexpr int kDone = 0;
inline constexpr int kFailed = 1;
inline constexpr int kUsage = 2;
inline constexpr int kSomeFailed = 3;
inline constexpr int kHeldElsewhere = 4;
inline constexpr int kInterrupted = 130;
inline constexpr int kReaderGone = 141;  // as if SIGPIPE had ended the program
inline constexpr int kTerminated = 143;

// Another process is working on this, or has taken over.
[[nodiscard]] inline bool is_held_elsewhere(const Failure& failure) {
  return failure.kind == FailureKind::held || failure.kind == FailureKind::superseded;
}

// The exit code of a command that ends with this failure.
[[nodiscard]] inline int exit_code_of(const Failure& failure) {
  if (failure.kind == FailureKind::closed) return kReaderGone;
  if (failure.kind == FailureKind::usage) return kUsage;
  return is_held_elsewhere(failure) ? kHeldElsewhere : kFailed;
}

}  // namespace tidemill::cli
