// Child: a running child process and its process group. Destroying it before reap() kills the group
// and reaps the leader, so that no code path leaves a process or a zombie behind.
#pragma once

#include <sys/resource.h>
#include <sys/types.h>

#include "tidemill/base/descriptor.h"
#include "tidemill/base/result.h"

namespace tidemill::proc {

struct Ended {
  int wait_status = 0;  // as from waitpid()
  rusage usage{};
};

// One thread.
class Child {
 public:
  // Takes ownership of the leader of a group. On failure (no descriptor left) the group has been
  // killed.
  [[nodiscard]] static Result<Child> adopt(pid_t leader);
  Child(Child&& other) noexcept;
  Child& operator=(Child&&) = delete;
  ~Child();

  // Readable when the leader has ended.
  [[nodiscard]] int descriptor() const { return pidfd_.number(); }

  // Signals the group. A leader that has moved to another group always gets SIGKILL, but other
  // signals only if the group is empty.
  void signal(int number) const;

  // Waits for the end of the leader. Fails when other code has reaped it.
  [[nodiscard]] Result<Ended> reap();

 private:
  explicit Child(pid_t leader) : leader_(leader) {}

  pid_t leader_ = -1;  // -1: reaped
  Descriptor pidfd_;
};

}  // namespace tidemill::proc
