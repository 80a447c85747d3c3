// The exit codes of the program.
#pragma once

namespace tidemill::cli {

inline constexpr int kDone = 0;
inline constexpr int kFailed = 1;
inline constexpr int kUsage = 2;
inline constexpr int kSomeFailed = 3;
inline constexpr int kHeldElsewhere = 4;
inline constexpr int kInterrupted = 130;
inline constexpr int kReaderGone = 141;  // as of a program that SIGPIPE has ended
inline constexpr int kTerminated = 143;

}  // namespace tidemill::cli
