// Partitions: the search with --memory. The sweep writes the files to a partition file, in buckets
// by size. Then as many buckets as fit into memory are loaded at a time, and searched as if there
// were no others: a file has its duplicates in its own bucket. The groups are written to the
// partition file as well, and merged for the report, which is the same as without --memory, byte
// for byte.
//
//   sweep ─► partition file, ─► some buckets ─► Partition ─► their groups, in the ─► report
//            by size                                ▲        partition file
//               │ a bucket that does not fit        │
//               └──► by inode: first stage ─► in buckets again, by the
//                    of hashing               hash of that stage
//
// Memory does not grow with the number of files, only with that of folders, for their names. Two
// things take as much as they need, whatever the limit: a single folder while it is listed, and the
// copies of a single file. Fails as the partition file or a Partition does.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "tidemill/base/bytes.h"
#include "tidemill/base/result.h"
#include "tidemill/jobs/dupes/report/keep.h"
#include "tidemill/jobs/dupes/scan/found_groups.h"
#include "tidemill/jobs/dupes/scan/partition.h"
#include "tidemill/jobs/dupes/scan/partition_file.h"
#include "tidemill/jobs/dupes/scan/partitioned_files.h"
#include "tidemill/jobs/dupes/scan/partitioned_groups.h"

namespace tidemill::dupes {

// The memory that is left for files, after the program itself, SQLite, buffers and the folders.
[[nodiscard]] std::uint64_t room_for_files(Bytes memory, std::size_t folders);

// One thread, except partition_file(), which is thread-safe.
class Partitions {
 public:
  struct Context {
    Partition::Context search;
    const std::vector<RootFacts>& roots;
    const KeepSelector& selector;
    const FileTable& devices;  // maps the device indexes of the partitioned files to devices
  };

  // Creates the partition file in the folder of the catalogue. The context must outlive it, except
  // the scan, which it must outlive.
  [[nodiscard]] static Result<std::unique_ptr<Partitions>> make(const Context& context);

  [[nodiscard]] PartitionedFiles& partition_file() { return files_; }  // for the sweep
  // After the sweep, with `room` bytes for the files of a table.
  [[nodiscard]] Result<void> find(std::uint64_t room);
  [[nodiscard]] PartitionedGroups& groups() { return groups_; }
  [[nodiscard]] std::size_t passes() const { return passes_; }  // tables that were filled

 private:
  Partitions(const Context& context, std::unique_ptr<PartitionFile> partition_file);

  // Consecutive buckets, and whether they fit into memory.
  struct Span {
    std::size_t first = 0;
    std::size_t last = 0;
    bool fits = true;
  };
  [[nodiscard]] Span span_from(const PartitionedFiles& files, std::size_t first) const;
  [[nodiscard]] Result<void> load(const PartitionedFiles& files, const Span& span);
  [[nodiscard]] Result<void> find_in_load();
  [[nodiscard]] Result<void> find_in_large(std::size_t bucket);
  [[nodiscard]] Result<void> part_by_contents(PartitionedFiles& into);

  const Context context_;
  std::unique_ptr<PartitionFile> partition_file_;
  PartitionedFiles files_;
  PartitionedGroups groups_;
  std::uint64_t room_ = 0;
  std::size_t passes_ = 0;
  std::unique_ptr<Partition> loaded_;
};

}  // namespace tidemill::dupes
