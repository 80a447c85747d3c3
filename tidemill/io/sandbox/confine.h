// confine(): takes from this process everything it does not need to serve requests: files,
// descriptors to come, processes, the network, memory without end. There is no way back.
//
// Fails when a wall that must hold cannot be raised; then the process must end. Landlock may be
// missing in the kernel: the list of system calls closes the file system too, so the Confinement
// only says so.
#pragma once

#include "tidemill/base/result.h"
#include "tidemill/io/sandbox/limits.h"

namespace tidemill::sandbox {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr bool kIsSanitized = true;
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || \
    __has_feature(memory_sanitizer)
inline constexpr bool kIsSanitized = true;
#else
inline constexpr bool kIsSanitized = false;
#endif
#else
inline constexpr bool kIsSanitized = false;
#endif

// For a process with one thread.
[[nodiscard]] Result<Confinement> confine(const CellLimits& limits);

// The part of confine() that shuts off system calls (call_list.cc).
[[nodiscard]] Result<void> close_system_calls();

}  // namespace tidemill::sandbox
