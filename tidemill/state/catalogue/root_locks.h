// RootLocks: at most one scanner per root. They are kernel locks on ranges of one file beside the
// catalogue ("<catalogue>-lock", 64 bytes per root), so they end with their holder, even after
// kill -9, and never become stale. The text in a range (process, start time) is only for the error
// message of a second process.
//
// Held elsewhere: Cure::retry, kind held. The file is never removed: otherwise two processes could
// lock two files of the same name.
#pragma once

#include <cstdint>
#include <string>

#include "tidemill/base/clock.h"
#include "tidemill/base/descriptor.h"
#include "tidemill/base/result.h"

namespace tidemill::catalogue {

// One thread. The destructor releases all locks.
class RootLocks {
 public:
  [[nodiscard]] static Result<RootLocks> open(const std::string& catalogue);

  // `root` is for the message. Taking a lock that this object already holds is not an error.
  [[nodiscard]] Result<void> take(std::int64_t id, const std::string& root, WallTime now);
  void release(std::int64_t id);

 private:
  RootLocks(Descriptor file, std::string path) : file_(std::move(file)), path_(std::move(path)) {}

  Descriptor file_;
  std::string path_;
};

}  // namespace tidemill::catalogue
