// Digester: reads the files whose contents must be known, by as many threads as the disk needs, in
// the order in which they stand in the table, and hands every file that is new to the catalogue.
//
//   first()   small files whole, of large ones both ends; every unsaved file is recorded
//   whole()   the large ones that are left, whole
//
// A file that cannot be read is marked kFailed and told to the failures.
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
#include "tidemill/jobs/dupes/scan/census.h"
#include "tidemill/jobs/dupes/scan/failures.h"
#include "tidemill/jobs/dupes/scan/file_table.h"
#include "tidemill/state/catalogue/scan.h"

namespace tidemill::dupes {

struct ReadCounts {
  std::uint64_t files = 0;  // of those to be read
  std::uint64_t read = 0;   // bytes that came from the disk or its cache
  std::uint64_t gone = 0;   // files that have vanished since the sweep
};

// One thread starts the stages; counts() may be asked by any.
class Digester {
 public:
  struct Parts {
    FileTable& table;
    const walk::FolderTree& tree;
    Failures& failures;
    FolderKeys& keys;
    catalogue::Scan* scan = nullptr;
    const Clock& clock;
    std::size_t threads = 0;  // 0: as many as the disk needs
    bool takes_all = false;   // hashes files of a size of their own too
  };

  explicit Digester(const Parts& parts) : parts_(parts) {}

  // Cure::resume: it was stopped.
  [[nodiscard]] Result<void> first(const std::stop_token& stop);
  [[nodiscard]] Result<void> whole(std::span<const FileIndex> files, const std::stop_token& stop);

  [[nodiscard]] ReadCounts counts() const;
  [[nodiscard]] std::size_t most_threads() const { return most_threads_; }

 private:
  class Desk;  // of one worker

  [[nodiscard]] bool must_look(const FileRecord& record) const;
  [[nodiscard]] bool begins_whole(const FileRecord& record) const;
  [[nodiscard]] bool wants(const FileRecord& record) const;
  void read_first(Desk& desk, FileRecord& record, const std::stop_token& stop);
  void read_whole(Desk& desk, FileRecord& record, const std::stop_token& stop);
  void note_failure(Desk& desk, FileRecord& record, Failure failure);
  template <class Work>
  [[nodiscard]] Result<void> run(std::size_t slices, const std::stop_token& stop, Work work);

  const Parts parts_;
  std::atomic<std::uint64_t> files_{0};
  std::atomic<std::uint64_t> read_{0};
  std::atomic<std::uint64_t> gone_{0};
  std::size_t most_threads_ = 0;
};

}  // namespace tidemill::dupes
