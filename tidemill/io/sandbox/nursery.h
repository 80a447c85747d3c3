// Nursery: a process that does nothing but fork cells: children that work on hostile bytes and can
// do nothing else.
//
//   program ──control──► nursery ──fork──► cell    (PR_SET_PDEATHSIG on both arrows: whoever loses
//      │  ◄───status────────┘                │      its parent is killed)
//      └───────── request, answer ───────────┘
//
// It is forked before the program has a thread, so no fork ever happens in a program with threads,
// and a cell starts small. What `serve` refers to when start() is called is shared with all cells:
// build tables first. start() must be called by the main thread: the nursery dies with the thread
// that made it. The nursery never sees a byte of a request, and neither it nor a cell has a
// variable of the environment.
//
// start() fails when a process or a descriptor cannot be had, and when a cell cannot be confined.
#pragma once

#include <sys/types.h>

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "tidemill/base/descriptor.h"
#include "tidemill/base/result.h"
#include "tidemill/io/sandbox/limits.h"

namespace tidemill::sandbox {

// What a cell does with a request: the answer. The descriptors came with the request and are closed
// afterwards. It runs in the cell: it may crash, loop and eat memory, and what it changes stays
// there. An attempt to open a file fails (EACCES); every other call that is not on the list ends
// the cell.
using Serve =
    std::function<std::string(std::string_view request, std::span<const int> descriptors)>;

// Thread-safe. Outlives its cells.
class Nursery {
 public:
  [[nodiscard]] static Result<std::unique_ptr<Nursery>> start(const Serve& serve,
                                                              CellLimits limits = {});
  Nursery(const Nursery&) = delete;
  Nursery& operator=(const Nursery&) = delete;
  ~Nursery();  // ends the nursery and every cell

  // Which walls stand here; tried out by start().
  [[nodiscard]] Confinement confinement() const { return confinement_; }
  [[nodiscard]] const CellLimits& limits() const { return limits_; }

 private:
  friend class Cell;

  // A cell that waits for its first request.
  struct Born {
    Descriptor talk;    // requests and answers: what comes from there is not trusted
    Descriptor status;  // from the nursery: how it ended
    Descriptor pidfd;
    pid_t pid = -1;
    Confinement confinement{};
  };

  Nursery(Descriptor control, pid_t pid, CellLimits limits);
  [[nodiscard]] Result<Born> bear() const;

  Descriptor control_;
  pid_t pid_ = -1;
  CellLimits limits_;
  Confinement confinement_;
};

}  // namespace tidemill::sandbox
