// Child: a running child process with its group. Whoever lets go of it before reap() kills the
// group and reaps the leader, so that no path leaves a process or a zombie behind.
#pragma once

#include <sys/resource.h>
#include <sys/types.h>

#include "tidemill/base/descriptor.h"
#include "tidemill/base/result.h"

namespace tidemill::proc {

struct Ended {
  int wait_status = 0;  // as of waitpid()
  rusage usage{};
};

// One thread.
class Child {
 public:
  // Takes over the leader of a group. A failure (no descriptor left) has ended it.
  [[nodiscard]] static Result<Child> adopt(pid_t leader);
  Child(Child&& other) noexcept;
  Child& operator=(Child&&) = delete;
  ~Child();

  // Readable when the leader has ended.
  [[nodiscard]] int descriptor() const { return pidfd_.number(); }

  // To all in the group. A leader that has moved into another group is reached too.
  void signal(int number) const;

  // Waits for the end of the leader. Fails when somebody else has reaped it.
  [[nodiscard]] Result<Ended> reap();

 private:
  explicit Child(pid_t leader) : leader_(leader) {}

  pid_t leader_ = -1;  // -1: reaped
  Descriptor pidfd_;
};

}  // namespace tidemill::proc
