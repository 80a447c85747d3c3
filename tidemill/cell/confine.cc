#include "tidemill/cell/confine.h"

#include <linux/landlock.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>

#include "tidemill/base/descriptor.h"
#include "tidemill/base/try.h"
#include "tidemill/cell/wire.h"

namespace tidemill::cell {
namespace {

Result<void> limit(int resource, std::uint64_t amount, const char* name) {
  rlimit now{};
  // NOLINTNEXTLINE(bugprone-misplaced-widening-cast): the type of the first argument is glibc's own
  const auto which = static_cast<__rlimit_resource>(resource);
  if (::getrlimit(which, &now) != 0) return fail_with(errno, "confine", name);
  const rlim_t wanted = std::min<rlim_t>(amount, now.rlim_max);  // never above what we were given
  const rlimit next{.rlim_cur = wanted, .rlim_max = wanted};
  if (::setrlimit(which, &next) != 0) return fail_with(errno, "confine", name);
  return {};
}

Result<void> limit_resources(const CellLimits& limits) {
  TRY(limit(RLIMIT_CORE, 0, "RLIMIT_CORE"));
  TRY(limit(RLIMIT_FSIZE, limits.file.count, "RLIMIT_FSIZE"));
  if (!kIsSanitized) TRY(limit(RLIMIT_DATA, limits.memory.count, "RLIMIT_DATA"));
  return {};
}

// Every right a kernel knows, none of them granted. By number: the headers may be older than the
// kernel. Rights of a file are fixed when it is opened, so descriptors we are handed stay good.
bool close_file_system() {
  const auto version =
      ::syscall(SYS_landlock_create_ruleset, nullptr, 0, LANDLOCK_CREATE_RULESET_VERSION);
  if (version < 1) return false;
  std::uint64_t rights = (1U << 13U) - 1;
  if (version >= 2) rights |= 1U << 13U;  // moving between folders
  if (version >= 3) rights |= 1U << 14U;  // truncating
  if (version >= 5) rights |= 1U << 15U;  // ioctl() on devices
  landlock_ruleset_attr rules{};
  rules.handled_access_fs = rights;
  const Descriptor ruleset(
      static_cast<int>(::syscall(SYS_landlock_create_ruleset, &rules, sizeof rules, 0)));
  if (!ruleset.is_open()) return false;
  return ::syscall(SYS_landlock_restrict_self, ruleset.number(), 0) == 0;
}

}  // namespace

Result<Confinement> confine(const CellLimits& limits) {
  TRY(limit_resources(limits));
  (void)::setpriority(PRIO_PROCESS, 0, limits.nice);  // a kindness to others, not a wall
  if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) {
    return fail_with(errno, "confine", "PR_SET_NO_NEW_PRIVS");
  }
  Confinement confinement{.has_call_list = !kIsSanitized, .has_memory_limit = !kIsSanitized};
  confinement.has_landlock = close_file_system();
  TRY(close_system_calls());
  return confinement;
}

}  // namespace tidemill::cell
