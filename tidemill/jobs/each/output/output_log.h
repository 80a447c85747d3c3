// OutputLog: the output of each task that has ended and is not printed yet, in files that outlive
// the process. A worker appends it before it notes the outcome, and the printer marks it once it is
// out; so whoever learns that the task has ended finds its output here, or it was printed.
//
//   worker 0 ── append ──► log-0-0  [printed][printed][ ]        log-0-1  [ ][ ]
//   worker 1 ── append ──► log-1-0  [printed][ ][ ]
//                              ▲
//   printer ── mark_printed ───┘ one byte; a file whose records are all marked is removed
//
// A record costs one write into the page cache. Nothing is synced: a commit that calls a task done
// comes after its output was printed or put into a file that is synced (printer.h). A record that a
// power cut has torn is recognised by its checksum and left out, and so is everything behind it.
// Between printing and marking there is a moment: a kill in it prints one output twice, and loses
// none.
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

// What has to be printed for one task.
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

  // A record in the log. One that is let go without its mark stays for the next process. One
  // thread.
  class Record {
   public:
    Record() = default;
    void mark_printed();  // the second time does nothing

   private:
    friend OutputLog;
    Record(std::shared_ptr<Segment> segment, off_t at) : segment_(std::move(segment)), at_(at) {}

    std::shared_ptr<Segment> segment_;
    off_t at_ = 0;
  };

  // The folder is made when it is needed, and removed at the end if nothing is left in it.
  [[nodiscard]] static Result<std::unique_ptr<OutputLog>> make(std::string folder,
                                                               std::size_t workers);
  OutputLog(const OutputLog&) = delete;
  OutputLog& operator=(const OutputLog&) = delete;
  ~OutputLog();

  // By that worker's thread. A stream in a spill file is named; one in memory is copied. After a
  // failure with Cure::retry it may be tried again.
  [[nodiscard]] Result<Record> append(std::size_t worker, const TaskOutput& output);

  // What the logs in this folder have and was not printed. No folder: nothing.
  [[nodiscard]] static Result<std::vector<TaskOutput>> read(const std::string& folder);
  [[nodiscard]] static bool is_log(std::string_view file_name);

 private:
  struct Writer;

  explicit OutputLog(std::string folder);

  const std::string folder_;
  std::vector<std::unique_ptr<Writer>> writers_;
};

}  // namespace tidemill::each
