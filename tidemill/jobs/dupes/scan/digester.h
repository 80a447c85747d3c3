// Digester: hashes the files whose contents must be known, with as many threads as the disk needs
// and in the order of the table, and records every file that is new in the catalogue.
//
//   first()   small files completely, large ones at both ends; every unsaved file is recorded
//   whole()   the remaining large files, completely
//
// A file that cannot be read is marked kFailed and added to the failures; one that no longer exists
// is marked kGone as well, and only counted.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
#include <stop_token>
#include <vector>

#include "tidemill/base/clock.h"
#include "tidemill/base/result.h"
#include "tidemill/io/hash/reader.h"
#include "tidemill/io/walk/folder_tree.h"
#include "tidemill/jobs/dupes/scan/failures.h"
#include "tidemill/jobs/dupes/scan/file_table.h"
#include "tidemill/jobs/dupes/scan/scan_collector.h"
#include "tidemill/state/catalogue/scan.h"

namespace tidemill::dupes {

struct ReadCounts {
  std::uint64_t files = 0;  // files that were read; one may be read twice
  std::uint64_t read = 0;   // bytes that came from the disk or its cache
  std::uint64_t gone = 0;   // files that have vanished since the sweep
};

// One thread calls the stages; counts() is thread-safe.
class Digester {
 public:
  struct Context {
    FileTable& table;
    const walk::FolderTree& tree;
    Failures& failures;
    FolderKeys& keys;
    catalogue::Scan* scan = nullptr;
    const Clock& clock;
    std::size_t threads = 0;  // 0: as many as the disk needs
    bool takes_all = false;   // also hashes files of a unique size
  };

  explicit Digester(const Context& context) : context_(context) {}

  // Cure::resume: stopped.
  [[nodiscard]] Result<void> first(const std::stop_token& stop);
  [[nodiscard]] Result<void> whole(std::span<const FileIndex> files, const std::stop_token& stop);

  [[nodiscard]] ReadCounts counts() const;
  [[nodiscard]] std::size_t most_threads() const { return most_threads_; }

 private:
  class Worker;  // of one worker

  [[nodiscard]] bool must_look(const FileRecord& record) const;
  [[nodiscard]] bool begins_whole(const FileRecord& record) const;
  [[nodiscard]] bool wants(const FileRecord& record) const;
  void read_first(Worker& worker, FileRecord& record, const std::stop_token& stop);
  void read_whole(Worker& worker, FileRecord& record, const std::stop_token& stop);
  void note_failure(Worker& worker, FileRecord& record, Failure failure);
  template <class Work>
  [[nodiscard]] Result<void> run(std::size_t slices, const std::stop_token& stop, Work work);

  const Context context_;
  std::atomic<std::uint64_t> files_{0};
  std::atomic<std::uint64_t> read_{0};
  std::atomic<std::uint64_t> gone_{0};
  std::size_t most_threads_ = 0;
};

}  // namespace tidemill::dupes
