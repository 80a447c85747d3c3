#include "tidemill/io/sandbox/confine.h"

#include <sys/prctl.h>
#include <sys/resource.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>

#include "tidemill/base/try.h"
#include "tidemill/io/sandbox/landlock.h"
#include "tidemill/io/sandbox/messages.h"

namespace tidemill::sandbox {
namespace {

Result<void> limit(int resource, std::uint64_t amount, const char* name) {
  rlimit now{};
  // NOLINTNEXTLINE(bugprone-misplaced-widening-cast): the type of the first argument is glibc's own
  const auto which = static_cast<__rlimit_resource>(resource);
  if (::getrlimit(which, &now) != 0) return fail_with(errno, "confine", name);
  const rlim_t wanted = std::min<rlim_t>(amount, now.rlim_max);  // never above the hard limit
  const rlimit next{.rlim_cur = wanted, .rlim_max = wanted};
  if (::setrlimit(which, &next) != 0) return fail_with(errno, "confine", name);
  return {};
}

Result<void> limit_resources(const SandboxLimits& limits) {
  TRY(limit(RLIMIT_CORE, 0, "RLIMIT_CORE"));
  TRY(limit(RLIMIT_FSIZE, limits.file.count, "RLIMIT_FSIZE"));
  if (!kIsSanitized) TRY(limit(RLIMIT_DATA, limits.memory.count, "RLIMIT_DATA"));
  return {};
}

}  // namespace

Result<Confinement> confine(const SandboxLimits& limits) {
  TRY(limit_resources(limits));
  (void)::setpriority(PRIO_PROCESS, 0, limits.nice);  // for the other processes, not for security
  if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) {
    return fail_with(errno, "confine", "PR_SET_NO_NEW_PRIVS");
  }
  Confinement confinement{.has_call_list = !kIsSanitized, .has_memory_limit = !kIsSanitized};
  confinement.has_landlock = close_files_but({});
  TRY(close_system_calls());
  return confinement;
}

}  // namespace tidemill::sandbox
