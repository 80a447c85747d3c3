// write_all: all the bytes to a file descriptor, whatever it is: a file, a pipe, a terminal that
// somebody made non-blocking. Interrupted and partial writes go on; a full pipe is waited for.
//
// A failure is for good: nobody reads any more (kind closed; the program must ignore SIGPIPE to
// get here), the disk is full, or what the system says (kind unwritable).
#pragma once

#include <string_view>

#include "tidemill/base/result.h"

namespace tidemill::term {

// `name` is for the reason: "standard output".
[[nodiscard]] Result<void> write_all(int fd, std::string_view bytes, std::string_view name);

// What was written to a regular file is on the disk; for anything else there is nothing to do.
[[nodiscard]] Result<void> sync_file(int fd, std::string_view name);

// Whether a write would be taken now. Says yes when it cannot know.
[[nodiscard]] bool is_ready(int fd);

}  // namespace tidemill::term
