// write_all(): writes all bytes to a file descriptor: a file, a pipe, or a terminal that was made
// non-blocking. It continues after interrupted and partial writes, and waits for a full pipe.
//
// A failure is permanent: the reader has closed the pipe (kind closed; only if the program ignores
// SIGPIPE), the disk is full, or another system error (kind unwritable).
#pragma once

#include <string_view>

#include "tidemill/base/result.h"

namespace tidemill::term {

// `name` is used in the reason: "standard output".
[[nodiscard]] Result<void> write_all(int fd, std::string_view bytes, std::string_view name);

// Makes the data of a regular file durable; does nothing for anything else.
[[nodiscard]] Result<void> sync_file(int fd, std::string_view name);

// Whether a write would not block now. True if this cannot be determined.
[[nodiscard]] bool is_ready(int fd);

}  // namespace tidemill::term
