// RootLocks: at most one scanner a root. The locks are the kernel's, on ranges of one file beside
// the catalogue ("<catalogue>-lock", 64 bytes a root): they end with their holder, also after
// kill -9, so there is never a stale one to clear. What the ranges say (process, since when) is for
// the message to the one who comes second; nobody decides by it.
//
// Held elsewhere: Cure::retry, kind held. The file is left behind: removing it would let two
// processes lock two files of the same name.
#pragma once

#include <cstdint>
#include <string>

#include "tidemill/base/clock.h"
#include "tidemill/base/descriptor.h"
#include "tidemill/base/result.h"

namespace tidemill::catalogue {

// One thread. All locks are gone with the object.
class RootLocks {
 public:
  [[nodiscard]] static Result<RootLocks> open(const std::string& catalogue);

  // `root` is for the message. A lock that this object has already is no error.
  [[nodiscard]] Result<void> take(std::int64_t id, const std::string& root, WallTime now);
  void release(std::int64_t id);

 private:
  RootLocks(Descriptor file, std::string path) : file_(std::move(file)), path_(std::move(path)) {}

  Descriptor file_;
  std::string path_;
};

}  // namespace tidemill::catalogue
