// The system calls of a sandbox. A call that is on none of these lists kills the process with
// SIGSYS.
//
// Opening and looking up files fails with EACCES instead: libraries do it in passing (iconv for an
// encoding it does not know, a time zone), and a book must not fail because of that. The calls that
// a sanitizer needs are not known; under one the most dangerous calls are denied and the others
// allowed.
#include <fcntl.h>
#include <seccomp.h>
#include <sys/mman.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdint>
#include <memory>

#include "tidemill/base/try.h"
#include "tidemill/io/sandbox/confine.h"
#include "tidemill/io/sandbox/messages.h"

namespace tidemill::sandbox {
namespace {

// Calls on open descriptors, memory, time, and the exit of the process.
constexpr std::array kAllowed = {
    SCMP_SYS(read),
    SCMP_SYS(write),
    SCMP_SYS(pread64),
    SCMP_SYS(pwrite64),
    SCMP_SYS(readv),
    SCMP_SYS(writev),
    SCMP_SYS(preadv),
    SCMP_SYS(pwritev),
    SCMP_SYS(recvmsg),
    SCMP_SYS(sendmsg),
    SCMP_SYS(close),
    SCMP_SYS(fstat),
    SCMP_SYS(lseek),
    SCMP_SYS(ftruncate),
    SCMP_SYS(fsync),
    SCMP_SYS(fdatasync),
    SCMP_SYS(fallocate),
    SCMP_SYS(fadvise64),
    SCMP_SYS(sendfile),
    SCMP_SYS(copy_file_range),
    SCMP_SYS(munmap),
    SCMP_SYS(mremap),
    SCMP_SYS(brk),
    SCMP_SYS(madvise),
    SCMP_SYS(futex),
    SCMP_SYS(getrandom),
    SCMP_SYS(clock_gettime),
    SCMP_SYS(clock_getres),
    SCMP_SYS(gettimeofday),
    SCMP_SYS(time),
    SCMP_SYS(getrusage),
    SCMP_SYS(times),
    SCMP_SYS(getpid),
    SCMP_SYS(gettid),
    SCMP_SYS(sysinfo),
    SCMP_SYS(sched_yield),
    SCMP_SYS(rt_sigaction),
    SCMP_SYS(rt_sigprocmask),
    SCMP_SYS(rt_sigreturn),
    SCMP_SYS(sigaltstack),
    SCMP_SYS(restart_syscall),
    SCMP_SYS(exit),
    SCMP_SYS(exit_group),
};

constexpr std::array kFileCalls = {
    SCMP_SYS(open),      SCMP_SYS(openat),     SCMP_SYS(openat2),  SCMP_SYS(creat),
    SCMP_SYS(stat),      SCMP_SYS(lstat),      SCMP_SYS(statx),    SCMP_SYS(access),
    SCMP_SYS(faccessat), SCMP_SYS(faccessat2), SCMP_SYS(readlink), SCMP_SYS(readlinkat),
    SCMP_SYS(unlink),    SCMP_SYS(unlinkat),   SCMP_SYS(mkdir),    SCMP_SYS(mkdirat),
    SCMP_SYS(getcwd),
};

// Denied under a sanitizer: calls that checking a book never makes and an attacker wants first.
constexpr std::array kWorst = {
    SCMP_SYS(socket),   SCMP_SYS(connect),
    SCMP_SYS(bind),     SCMP_SYS(listen),
    SCMP_SYS(accept4),  SCMP_SYS(execve),
    SCMP_SYS(execveat), SCMP_SYS(ptrace),
    SCMP_SYS(vfork),    SCMP_SYS(fork),
    SCMP_SYS(mount),    SCMP_SYS(rename),
    SCMP_SYS(bpf),      SCMP_SYS(process_vm_writev),
    SCMP_SYS(setns),    SCMP_SYS(unshare),
};

using Filter = std::unique_ptr<void, void (*)(scmp_filter_ctx)>;

// Skips calls that libseccomp does not know on this machine (negative numbers).
bool add(const Filter& filter, std::uint32_t action, int call) {
  return call < 0 || seccomp_rule_add(filter.get(), action, call, 0) == 0;
}

bool add_if(const Filter& filter, std::uint32_t action, int call, scmp_arg_cmp condition) {
  return call < 0 || seccomp_rule_add_array(filter.get(), action, call, 1, &condition) == 0;
}

scmp_arg_cmp is_zero(unsigned argument, std::uint64_t mask) {
  return {.arg = argument, .op = SCMP_CMP_MASKED_EQ, .datum_a = mask, .datum_b = 0};
}
scmp_arg_cmp is_equal(unsigned argument, std::uint64_t value) {
  return {.arg = argument, .op = SCMP_CMP_EQ, .datum_a = value, .datum_b = 0};
}

// Memory is never made executable; a process may signal only itself, which abort() needs; limits
// may be read but not set.
bool add_conditions(const Filter& filter) {
  return add_if(filter, SCMP_ACT_ALLOW, SCMP_SYS(mmap), is_zero(2, PROT_EXEC)) &&
         add_if(filter, SCMP_ACT_ALLOW, SCMP_SYS(mprotect), is_zero(2, PROT_EXEC)) &&
         add_if(filter, SCMP_ACT_ALLOW, SCMP_SYS(tgkill),
                is_equal(0, static_cast<std::uint64_t>(::getpid()))) &&
         add_if(filter, SCMP_ACT_ALLOW, SCMP_SYS(prlimit64), is_zero(2, ~std::uint64_t{0})) &&
         // glibc's fstat(). It could take a path too: that reveals a size, but no contents.
         add_if(filter, SCMP_ACT_ALLOW, SCMP_SYS(newfstatat), is_equal(3, AT_EMPTY_PATH)) &&
         add_if(filter, SCMP_ACT_ALLOW, SCMP_SYS(fcntl), is_equal(1, F_GETFL)) &&
         add_if(filter, SCMP_ACT_ALLOW, SCMP_SYS(fcntl), is_equal(1, F_GETFD)) &&
         add(filter, SCMP_ACT_ERRNO(ENOTTY), SCMP_SYS(ioctl));
}

bool fill_strict(const Filter& filter) {
  for (const int call : kAllowed) {
    if (!add(filter, SCMP_ACT_ALLOW, call)) return false;
  }
  for (const int call : kFileCalls) {
    if (!add(filter, SCMP_ACT_ERRNO(EACCES), call)) return false;
  }
  return add_conditions(filter);
}

bool fill_sanitized(const Filter& filter) {
  for (const int call : kWorst) {
    if (!add(filter, SCMP_ACT_KILL_PROCESS, call)) return false;
  }
  for (const int call : kFileCalls) {
    if (!add(filter, SCMP_ACT_ERRNO(EACCES), call)) return false;
  }
  return true;
}

}  // namespace

Result<void> close_system_calls() {
  const Filter filter(seccomp_init(kIsSanitized ? SCMP_ACT_ALLOW : SCMP_ACT_KILL_PROCESS),
                      seccomp_release);
  if (!filter) return fail(Cure::give_up, "confine", "seccomp_init failed");
  const bool is_filled = kIsSanitized ? fill_sanitized(filter) : fill_strict(filter);
  if (!is_filled) return fail(Cure::give_up, "confine", "libseccomp rejected a rule");
  // A binary tree of calls: a linear list of this length would slow down read().
  (void)seccomp_attr_set(filter.get(), SCMP_FLTATR_CTL_OPTIMIZE, 2);
  if (const int error = seccomp_load(filter.get()); error != 0) {
    return fail_with(-error, "confine", "seccomp_load");
  }
  return {};
}

}  // namespace tidemill::sandbox
