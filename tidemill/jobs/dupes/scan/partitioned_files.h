// PartitionedFiles: the files of a scan between the sweep and the tables, on disk. They are
// divided into buckets by a mark that is equal for files that must be compared, so that a few
// buckets can be processed at a time and no file has a duplicate in another bucket.
//
//   sweep ── add(pack) ──► a page for each bucket ── full ──► partition file
//   each(first, last)  ◄── the buckets merged, in the order in which the files were added
//
// That is the order of the sweep: files of one folder are adjacent and ordered by inode, which is
// fast to read from a disk. Fails as the partition file does.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "tidemill/base/guarded.h"
#include "tidemill/base/result.h"
#include "tidemill/jobs/dupes/scan/file_table.h"
#include "tidemill/jobs/dupes/scan/partition_file.h"

namespace tidemill::dupes {

// Files that are added together. One thread.
class FilePack {
 public:
  // The positions in `record` that refer to a table are ignored. `whole` is the hash of the
  // complete contents, if it is known. Files with the same mark go into the same bucket.
  void add(const FileRecord& record, std::string_view name, std::string_view whole,
           std::uint64_t mark);
  [[nodiscard]] bool is_full() const { return bytes_.size() >= kFull; }

 private:
  friend class PartitionedFiles;
  static constexpr std::size_t kFull = std::size_t{128} << 10U;
  std::string bytes_;
};

// Thread-safe: add() until close(), each() after it.
class PartitionedFiles {
 public:
  static constexpr std::size_t kBuckets = 256;

  explicit PartitionedFiles(PartitionFile& partition_file) : partition_file_(partition_file) {}

  [[nodiscard]] Result<void> add(FilePack& files);  // empties the pack
  [[nodiscard]] Result<void> close();               // after the last add()

  // The memory that the files of a bucket will take in a table, in bytes.
  [[nodiscard]] std::uint64_t weight(std::size_t bucket) const;

  // The files of the buckets from `first` to below `last`. The views are valid during the call.
  using OnFile = std::function<Result<void>(const FileRecord& record, std::string_view name,
                                            std::string_view whole)>;
  [[nodiscard]] Result<void> each(std::size_t first, std::size_t last, const OnFile& on_file) const;

 private:
  struct Bucket {
    std::string page{};
    PartitionChunks run{};
    std::uint64_t weight = 0;
  };
  struct Buckets {
    std::array<Bucket, kBuckets> all{};
    std::uint64_t files = 0;
  };
  struct FullPage {
    PartitionChunk chunk{};
    std::string bytes{};
  };
  [[nodiscard]] FullPage turn(Bucket& bucket) const;

  PartitionFile& partition_file_;
  mutable Guarded<Buckets> buckets_;
};

}  // namespace tidemill::dupes
