#include "tidemill/io/sandbox/program_sandbox.h"

#include <linux/capability.h>
#include <seccomp.h>
#include <sys/prctl.h>
#include <sys/resource.h>

#include <array>
#include <cerrno>
#include <cstdint>
#include <memory>
#include <utility>

#include "tidemill/base/bytes.h"
#include "tidemill/base/try.h"
#include "tidemill/io/sandbox/landlock.h"
#include "tidemill/io/sandbox/messages.h"

namespace tidemill::sandbox {
namespace {

// These fail with EACCES. All others are allowed: the calls that a virtual machine needs are not
// known.
constexpr std::array kRefused = {
    SCMP_SYS(socket),
    SCMP_SYS(connect),
    SCMP_SYS(bind),
    SCMP_SYS(listen),
    SCMP_SYS(accept),
    SCMP_SYS(accept4),
    SCMP_SYS(io_uring_setup),
    SCMP_SYS(io_uring_enter),
    SCMP_SYS(io_uring_register),
    SCMP_SYS(ptrace),
    SCMP_SYS(process_vm_readv),
    SCMP_SYS(process_vm_writev),
    SCMP_SYS(pidfd_getfd),
    SCMP_SYS(kill),
    SCMP_SYS(tkill),
    SCMP_SYS(rt_sigqueueinfo),
    SCMP_SYS(rt_tgsigqueueinfo),
    SCMP_SYS(pidfd_send_signal),
    SCMP_SYS(prlimit64),
    SCMP_SYS(setrlimit),
    SCMP_SYS(unshare),
    SCMP_SYS(setns),
    SCMP_SYS(mount),
    SCMP_SYS(umount2),
    SCMP_SYS(pivot_root),
    SCMP_SYS(chroot),
    SCMP_SYS(open_by_handle_at),
    SCMP_SYS(bpf),
    SCMP_SYS(perf_event_open),
    SCMP_SYS(userfaultfd),
    SCMP_SYS(add_key),
    SCMP_SYS(request_key),
    SCMP_SYS(keyctl),
};

Result<void> refuse_calls() {
  const std::unique_ptr<void, void (*)(scmp_filter_ctx)> filter(seccomp_init(SCMP_ACT_ALLOW),
                                                                seccomp_release);
  if (!filter) return fail(Cure::give_up, "confine", "seccomp_init failed");
  for (const int call : kRefused) {
    if (call < 0) continue;  // does not exist on this machine
    // prlimit64() may read limits: only a call that sets one is denied.
    const scmp_arg_cmp sets{.arg = 2, .op = SCMP_CMP_NE, .datum_a = 0, .datum_b = 0};
    const unsigned conditions = call == SCMP_SYS(prlimit64) ? 1 : 0;
    if (seccomp_rule_add_array(filter.get(), SCMP_ACT_ERRNO(EACCES), call, conditions, &sets) !=
        0) {
      return fail(Cure::give_up, "confine", "libseccomp rejected a rule");
    }
  }
  // For this thread alone: SCMP_FLTATR_CTL_TSYNC is off by default.
  if (const int error = seccomp_load(filter.get()); error != 0) {
    return fail_with(-error, "confine", "seccomp_load");
  }
  return {};
}

// The capabilities of root would bypass the restrictions: CAP_PERFMON, for example, can read the
// memory and the environment of every process. A program that root starts gets the capabilities
// that are left in the thread's bounding set: here only reading the files of other users. Other
// users have no capabilities.
void drop_capabilities() {
  for (unsigned long one = 0; one <= 63; ++one) {
    if (one != CAP_DAC_READ_SEARCH) (void)::prctl(PR_CAPBSET_DROP, one, 0, 0, 0);
  }
}

}  // namespace

Result<bool> confine_thread(const ProgramSandbox& sandbox_rules) {
  if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) {
    return fail_with(errno, "confine", "PR_SET_NO_NEW_PRIVS");
  }
  drop_capabilities();
  std::vector<AllowedPath> openings = {{.path = sandbox_rules.writable, .is_writable = true},
                                       {.path = "/dev/null", .is_writable = true}};
  for (const std::string& path : sandbox_rules.readable) openings.push_back({.path = path});
  const bool has_landlock = close_files_but(openings);
  TRY(refuse_calls());
  return has_landlock;
}

void limit_program(pid_t pid) {
  const auto limit = [&](__rlimit_resource resource, std::uint64_t most) {
    const rlimit wanted{.rlim_cur = most, .rlim_max = most};
    (void)::prlimit(pid, resource, &wanted, nullptr);
  };
  limit(RLIMIT_CORE, 0);
  limit(RLIMIT_FSIZE, mib(1024).count);
  limit(RLIMIT_DATA, mib(4096).count);
}

}  // namespace tidemill::sandbox
