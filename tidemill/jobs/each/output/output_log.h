// OutputLog: the output of tasks that have ended and are not printed yet, in files that outlive the
// process. A worker appends the output before it notes the outcome, and the printer marks it as
// printed. So the output of every task that is known to have ended is either in the log or printed.
//
//   worker 0 ── append ──► log-0-0  [printed][printed][ ]        log-0-1  [ ][ ]
//   worker 1 ── append ──► log-1-0  [printed][ ][ ]
//                              ▲
//   printer ── mark_printed ───┘ one byte; a file whose records are all marked is removed
//
// A record costs one write into the page cache. Nothing is synced: a task is committed as done only
// after its output was printed or put into a file that is synced (printer.h). A record torn by a
// power cut is detected by its checksum and skipped, with everything after it in that file. A kill
// between printing and marking prints one output twice; no output is lost.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tidemill/base/result.h"
#include "tidemill/engine/task.h"
#include "tidemill/io/proc/stream.h"

namespace tidemill::each {

// The output to print for one task.
struct TaskOutput {
  engine::TaskId id = 0;
  std::string name{};     // of the task, for tags; not in the log
  bool is_event = false;  // `out` is a line of --jsonl
  proc::Captured out{};
  proc::Captured err{};
};

// Thread-safe: each worker uses its own number.
class OutputLog {
  struct Segment;

 public:
  static constexpr std::uint64_t kSegmentBytes = std::uint64_t{1} << 20U;

  // A record in the log. If it is destroyed without being marked, its output is left for the next
  // process. One thread.
  class Record {
   public:
    Record() = default;
    void mark_printed();  // a second call does nothing

   private:
    friend OutputLog;
    Record(std::shared_ptr<Segment> segment, off_t at) : segment_(std::move(segment)), at_(at) {}

    std::shared_ptr<Segment> segment_;
    off_t at_ = 0;
  };

  // The folder is created when it is needed; the destructor removes it if it is empty.
  [[nodiscard]] static Result<std::unique_ptr<OutputLog>> make(std::string folder,
                                                               std::size_t workers);
  OutputLog(const OutputLog&) = delete;
  OutputLog& operator=(const OutputLog&) = delete;
  ~OutputLog();

  // Called by that worker's thread. Of a stream in a spill file only the name is stored; one in
  // memory is copied. After a failure with Cure::retry the call may be repeated.
  [[nodiscard]] Result<Record> append(std::size_t worker, const TaskOutput& output);

  // The unprinted outputs in the logs of this folder; empty if the folder does not exist.
  [[nodiscard]] static Result<std::vector<TaskOutput>> read(const std::string& folder);
  [[nodiscard]] static bool is_log(std::string_view file_name);

 private:
  struct Writer;

  explicit OutputLog(std::string folder);

  const std::string folder_;
  std::vector<std::unique_ptr<Writer>> writers_;
};

}  // namespace tidemill::each
