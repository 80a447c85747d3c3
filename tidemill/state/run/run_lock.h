// RunLock: at most one process works on a run.
//
// The lock is the kernel's, on an open file: it ends with its holder, also after kill -9, so there
// is never a stale one to clear. What is written in the file (process, host, since when) is for
// people and for the message to the one who comes second; nobody decides by it. It is a lock of the
// open file description (F_OFD_SETLK) and not flock(): of that one can ask who holds it without
// taking it for a moment, and so a listing never makes a run fail to start. Programs that are
// started do not inherit it; a fork() without exec does, and holds it too.
//
// Held elsewhere: Cure::retry, kind held. The file is left behind: removing it would let two
// processes lock two files of the same name.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>

#include "tidemill/base/clock.h"
#include "tidemill/base/result.h"

namespace tidemill::run {

// What the file says; fields are empty or 0 when it says nothing sensible.
struct LockHolder {
  pid_t process = 0;
  std::string host{};
  std::string since{};  // "2026-11-15 05:31:07", local time; in the file it is UTC

  bool operator==(const LockHolder&) const = default;
};

// One thread. Gone with the object.
class RunLock {
 public:
  // Makes the file if there is none. A file that was removed while it was being locked (the run was
  // forgotten) is a Failure with Cure::give_up.
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

// Who holds it, or nothing. No file, no holder. It does not disturb anybody.
[[nodiscard]] Result<std::optional<LockHolder>> is_held(const std::string& path);

}  // namespace tidemill::run
