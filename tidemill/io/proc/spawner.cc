#include "tidemill/io/proc/spawner.h"

#include <cerrno>
#include <csignal>
#include <string_view>
#include <utility>

#include "tidemill/base/descriptor.h"
#include "tidemill/io/proc/system_failure.h"

namespace tidemill::proc {
namespace {

const std::string kShell = "/bin/sh";

bool has_nul(const std::vector<std::string>& texts) {
  for (const std::string& text : texts) {
    if (text.find('\0') != std::string::npos) return true;
  }
  return false;
}

std::unexpected<Failure> refuse(int error, const Launch& launch) {
  auto failure = fail_to_start(error, launch.path).error();
  if (error == E2BIG) {
    failure.hint =
        "shorten the arguments or the environment: together they exceed the system limit";
  } else if (error == ENOENT) {
    failure.hint = "if the file exists, check the interpreter in its first line";
  } else if (error == EAGAIN) {
    failure.hint = "raise the limit on processes (ulimit -u)";
  } else if (error == EMFILE) {
    failure.hint = "raise the limit on open files (ulimit -n)";
  }
  return std::unexpected(std::move(failure));
}

}  // namespace

Spawner::Spawner(std::vector<std::string> environment) : environment_(std::move(environment)) {
  ::posix_spawnattr_init(&attributes_);
  ::posix_spawn_file_actions_init(&actions_);
  sigset_t none;
  sigset_t defaults;
  ::sigemptyset(&none);
  ::sigemptyset(&defaults);
  for (const int signal :
       {SIGINT, SIGQUIT, SIGTERM, SIGPIPE, SIGUSR1, SIGUSR2, SIGALRM, SIGCHLD, SIGXFSZ, SIGWINCH}) {
    ::sigaddset(&defaults, signal);
  }
  ::posix_spawnattr_setsigmask(&attributes_, &none);
  ::posix_spawnattr_setsigdefault(&attributes_, &defaults);
  ::posix_spawnattr_setpgroup(&attributes_, 0);
  ::posix_spawnattr_setflags(
      &attributes_, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
}

Spawner::~Spawner() {
  ::posix_spawn_file_actions_destroy(&actions_);
  ::posix_spawnattr_destroy(&attributes_);
}

Result<pid_t> Spawner::spawn(const Launch& launch, const Wiring& wiring) {
  if (has_nul(launch.arguments) || has_nul(launch.additions)) {
    return fail(Cure::give_up, "start", launch.path + ": an argument contains a NUL byte");
  }
  if (wiring != wired_ || launch.folder != wired_folder_) wire(wiring, launch.folder);
  pid_t pid = -1;
  int error = try_spawn(launch, launch.path == script_, pid);
  if (error == ENOEXEC && launch.path != script_) {
    script_ = launch.path;
    error = try_spawn(launch, true, pid);
  }
  if (error != 0) return refuse(error, launch);
  return pid;
}

void Spawner::wire(const Wiring& wiring, const std::string& folder) {
  ::posix_spawn_file_actions_destroy(&actions_);
  ::posix_spawn_file_actions_init(&actions_);
  if (wiring.in >= 0) ::posix_spawn_file_actions_adddup2(&actions_, wiring.in, 0);
  if (wiring.out >= 0) ::posix_spawn_file_actions_adddup2(&actions_, wiring.out, 1);
  if (wiring.err >= 0) ::posix_spawn_file_actions_adddup2(&actions_, wiring.err, 2);
  if (!folder.empty()) ::posix_spawn_file_actions_addchdir_np(&actions_, folder.c_str());
  wired_ = wiring;
  wired_folder_ = folder;
}

int Spawner::try_spawn(const Launch& launch, bool by_shell, pid_t& pid) {
  arguments_.clear();
  if (by_shell) {
    arguments_.push_back(for_exec(kShell));
    arguments_.push_back(for_exec(launch.path));
  }
  for (std::size_t i = by_shell ? 1 : 0; i < launch.arguments.size(); ++i) {
    arguments_.push_back(for_exec(launch.arguments[i]));
  }
  arguments_.push_back(nullptr);
  return ::posix_spawn(&pid, by_shell ? kShell.c_str() : launch.path.c_str(), &actions_,
                       &attributes_, arguments_.data(), environment_.with(launch.additions));
}

}  // namespace tidemill::proc
