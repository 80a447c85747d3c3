// Spawner: starts child processes with posix_spawn() and reuses the settings between them.
//
// A child is the leader of its own process group, has an empty signal mask and the default action
// for the signals that this program handles or ignores (SIGHUP is left alone, so that nohup works).
// It inherits no descriptor but 0, 1 and 2. A file without #! that the system cannot execute is run
// by /bin/sh, as execvp() does.
//
// Rejected: fork(), which copies the page tables of a large program for every child.
#pragma once

#include <spawn.h>
#include <sys/types.h>

#include <memory>
#include <string>
#include <vector>

#include "tidemill/base/result.h"
#include "tidemill/io/proc/environment.h"

namespace tidemill::proc {

struct Launch {
  std::string path;                      // must contain a slash: see resolve_program()
  std::vector<std::string> arguments{};  // including argv[0]
  std::vector<std::string> additions{};  // "NAME=value", added to the environment of this program
  std::string folder{};                  // where it starts; empty: in the current folder
};

// The descriptors that become 0, 1 and 2 in the child; -1: inherited from this process.
struct Wiring {
  int in = -1;
  int out = -1;
  int err = -1;

  bool operator==(const Wiring&) const = default;
};

// execve() takes char* for historical reasons; it does not write to it.
[[nodiscard]] inline char* for_exec(const std::string& text) {
  return const_cast<char*>(text.c_str());  // NOLINT(cppcoreguidelines-pro-type-const-cast)
}

// One thread.
class Spawner {
 public:
  Spawner() : Spawner(Environment::of_this_program()) {}
  // The environment of the children has only these entries and their additions.
  explicit Spawner(std::vector<std::string> environment);
  Spawner(const Spawner&) = delete;
  Spawner& operator=(const Spawner&) = delete;
  ~Spawner();

  // Returns when the child has executed the program. A Failure has the step "start", the kind
  // shortage when the machine is out of a resource, and leaves no process behind.
  [[nodiscard]] Result<pid_t> spawn(const Launch& launch, const Wiring& wiring);

 private:
  void wire(const Wiring& wiring, const std::string& folder);
  [[nodiscard]] int try_spawn(const Launch& launch, bool by_shell, pid_t& pid);

  posix_spawnattr_t attributes_{};
  posix_spawn_file_actions_t actions_{};
  Wiring wired_;  // what is in actions_
  std::string wired_folder_;
  Environment environment_;
  std::vector<char*> arguments_;
  std::string script_;  // the last path that needed the shell; not tried without it again
};

}  // namespace tidemill::proc
