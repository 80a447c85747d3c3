// confine(): takes away everything that this process does not need to serve requests: files, new
// descriptors, processes, the network, unlimited memory. It cannot be undone.
//
// Fails when a mandatory restriction cannot be applied; the process must then exit. Landlock is
// optional, because the system call filter blocks the file system too; Confinement reports whether
// the kernel has it.
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

// The calling process must have one thread.
[[nodiscard]] Result<Confinement> confine(const SandboxLimits& limits);

// The part of confine() that installs the system call filter (call_list.cc).
[[nodiscard]] Result<void> close_system_calls();

}  // namespace tidemill::sandbox
