// Runner: runs one child process after another for a worker and captures their output.
//
//   run() ── pipes ── spawn ── poll {end, out, err, bell} ──► ended: read the rest, reap
//                                 │ bell: SIGTERM to the group, SIGKILL after the grace period
//                                 └ a spill file cannot be written: SIGKILL, Failure
//
// run() waits for the child itself and never for a background grandchild, even if that holds the
// pipe open. After a stop request the complete group is killed, so that no grandchild in it
// survives; for one that left the group see leftovers.h. No outcome leaves a zombie or a descriptor
// behind, and a Failure leaves no spill file. A child that fails is not a Failure: its Exit says
// so.
//
// Cost per child beyond posix_spawn() and wait4(): two pipe2(), pidfd_open(), poll(), five close().
// Rejected: one pipe for all children (a grandchild of an earlier child could write into it); files
// instead of pipes (a child that reopens /dev/stdout would truncate them).
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "tidemill/base/bytes.h"
#include "tidemill/base/clock.h"
#include "tidemill/base/descriptor.h"
#include "tidemill/base/result.h"
#include "tidemill/io/proc/child.h"
#include "tidemill/io/proc/spawner.h"
#include "tidemill/io/proc/stop_bell.h"
#include "tidemill/io/proc/stream.h"

namespace tidemill::proc {

struct Exit {
  int status = 0;          // 0 to 255
  int signal = 0;          // that killed it; 0: none
  bool was_urged = false;  // a stop request: we signalled the child, or did not start it; not a
                           // success, whatever the status
  std::chrono::microseconds wall{0};
  std::chrono::microseconds user{0};
  std::chrono::microseconds system{0};
  Bytes max_rss{};  // includes the time before exec, so never below our own size

  [[nodiscard]] bool is_success() const { return status == 0 && signal == 0 && !was_urged; }
};

struct Finished {
  Exit exit{};
  Captured out{};
  Captured err{};
};

struct RunnerOptions {
  bool is_capturing = true;    // false: the child inherits our stdout and stderr
  Bytes cap = kib(64);         // kept in memory, per stream
  std::string spill_folder{};  // created on demand; empty: the rest is counted, not kept
  Instant::duration grace = std::chrono::seconds(2);  // from SIGTERM to SIGKILL
  int stdin_fd = -1;                                  // -1: /dev/null
};

// One thread, that of its worker; other threads may use only the bell.
class Runner {
 public:
  // Fails when descriptor 0, 1 or 2 is closed or SIGCHLD is ignored: main ensures neither is.
  [[nodiscard]] static Result<std::unique_ptr<Runner>> make(RunnerOptions options);

  [[nodiscard]] StopBell& bell() { return *bell_; }

  // Does not reset the bell: if it has been rung, nothing is started. `spill_name` is a file name;
  // the spill files are <folder>/<spill_name>.out and .err, and existing files are overwritten.
  [[nodiscard]] Result<Finished> run(const Launch& launch, std::string_view spill_name);

 private:
  struct Watch;

  Runner(RunnerOptions options, std::unique_ptr<StopBell> bell, Descriptor null);

  [[nodiscard]] Result<void> open_streams(std::string_view spill_name);
  [[nodiscard]] Result<Exit> run_child(const Launch& launch, std::string_view spill_name);
  [[nodiscard]] Result<bool> watch(const Child& child);  // whether the child was signalled
  [[nodiscard]] Result<void> take_ready(bool has_out, bool has_err, bool has_ended);
  void signal_on_request(const Child& child, Watch& watch, bool has_rung);

  RunnerOptions options_;
  std::unique_ptr<StopBell> bell_;
  Descriptor null_;
  Spawner spawner_;
  Stream out_;
  Stream err_;
  std::vector<char> buffer_;
};

}  // namespace tidemill::proc
