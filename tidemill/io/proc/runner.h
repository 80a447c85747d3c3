// Runner: runs one child after another for a worker and keeps what they write.
//
//   run() ── pipes ── spawn ── poll {end, out, err, bell} ──► ended: what is in the pipes, reap
//                                 │ bell: SIGTERM to the group, after the grace SIGKILL
//                                 └ a spill that cannot be written: SIGKILL, Failure
//
// run() waits for the child itself and never for a grandchild in the background, even if that holds
// the pipe. After an urge the whole group is killed, so that no grandchild in it lives on; one that
// left the group is a matter for leftovers.h. No way out leaves a zombie, a descriptor or, with a
// Failure, a spill file. A child that fails is no Failure: its Exit says so.
//
// What a child costs beyond posix_spawn() and wait4(): two pipe2(), pidfd_open(), poll(), five
// close(). What was refused: one pipe for all children (a grandchild of an earlier one could write
// into it), files instead of pipes (a child that reopens /dev/stdout would truncate them).
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
#include "tidemill/io/proc/bell.h"
#include "tidemill/io/proc/child.h"
#include "tidemill/io/proc/spawner.h"
#include "tidemill/io/proc/stream.h"

namespace tidemill::proc {

struct Exit {
  int status = 0;          // 0 to 255
  int signal = 0;          // that ended it; 0: none
  bool was_urged = false;  // we sent it a signal, or did not start it, because the bell had rung:
                           // not a success, whatever the status
  std::chrono::microseconds wall{0};
  std::chrono::microseconds user{0};
  std::chrono::microseconds system{0};
  Bytes max_rss{};  // the system counts the moment before exec too: never below our own size

  [[nodiscard]] bool is_success() const { return status == 0 && signal == 0 && !was_urged; }
};

struct Finished {
  Exit exit{};
  Captured out{};
  Captured err{};
};

struct RunnerOptions {
  bool is_capturing = true;    // false: the child writes where we write
  Bytes cap = kib(64);         // of each stream, kept in memory
  std::string spill_folder{};  // made when it is needed; empty: the rest is counted, not kept
  Instant::duration grace = std::chrono::seconds(2);  // from SIGTERM to SIGKILL
  int stdin_fd = -1;                                  // -1: /dev/null
};

// One thread: its worker's. Only bell() is for others.
class Runner {
 public:
  // Refuses when descriptor 0, 1 or 2 is closed or SIGCHLD is ignored: main sees to both.
  [[nodiscard]] static Result<std::unique_ptr<Runner>> make(RunnerOptions options);

  [[nodiscard]] Bell& bell() { return *bell_; }

  // Does not reset the bell: if it has rung, nothing is started. `spill_name` is a file name; the
  // spilled streams are <folder>/<spill_name>.out and .err, over what is there.
  [[nodiscard]] Result<Finished> run(const Launch& launch, std::string_view spill_name);

 private:
  struct Watch;

  Runner(RunnerOptions options, std::unique_ptr<Bell> bell, Descriptor null);

  [[nodiscard]] Result<void> open_streams(std::string_view spill_name);
  [[nodiscard]] Result<Exit> run_child(const Launch& launch, std::string_view spill_name);
  [[nodiscard]] Result<bool> watch(const Child& child);  // whether the child was urged
  [[nodiscard]] Result<void> take_ready(bool has_out, bool has_err, bool has_ended);
  void heed(const Child& child, Watch& watch, bool has_rung);

  RunnerOptions options_;
  std::unique_ptr<Bell> bell_;
  Descriptor null_;
  Spawner spawner_;
  Stream out_;
  Stream err_;
  std::vector<char> buffer_;
};

}  // namespace tidemill::proc
