// RunLock: at most one process works on a run.
//
// It is a kernel lock on an open file, so it ends with its holder, even after kill -9, and never
// becomes stale. The text in the file (process, host, start time) is for people and for the message
// to a second process; it decides only whether take() waits a moment for the lock. The lock belongs
// to the open file description (F_OFD_SETLK): unlike flock(), it can be queried without being taken
// briefly, so a listing never makes a run fail to start. Executed programs do not inherit the lock;
// a fork() without exec does, and holds it too.
//
// Held elsewhere: Cure::retry, kind held. The lock file is never removed on its own: otherwise two
// processes could lock two files of the same name.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>

#include "tidemill/base/clock.h"
#include "tidemill/base/result.h"

namespace tidemill::run {

// The text in the lock file; fields are empty or 0 if it is invalid.
struct LockHolder {
  pid_t process = 0;
  std::string host{};
  std::string since{};  // "2026-11-15 05:31:07", local time; in the file it is UTC

  bool operator==(const LockHolder&) const = default;
};

// One thread. The destructor releases the lock.
class RunLock {
 public:
  // Creates the file if it does not exist. A file that was removed while it was being locked (the
  // run was forgotten) is a Failure with Cure::give_up.
  [[nodiscard]] static Result<RunLock> take(const std::string& path, WallTime now);

  RunLock(RunLock&& other) noexcept;
  RunLock& operator=(RunLock&& other) noexcept;
  RunLock(const RunLock&) = delete;
  RunLock& operator=(const RunLock&) = delete;
  ~RunLock();

 private:
  explicit RunLock(int descriptor) : descriptor_(descriptor) {}
  int descriptor_;
};

// The holder, or nullopt if the lock is free or the file does not exist. Does not take the lock.
[[nodiscard]] Result<std::optional<LockHolder>> is_held(const std::string& path);

}  // namespace tidemill::run
