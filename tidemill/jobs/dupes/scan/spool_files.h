// SpooledFiles: the files of a scan on their way from the sweep to the tables, outside of memory.
// They lie in buckets by a number that files to be compared have in common, so that some buckets at
// a time can be looked at, and no file has its partner elsewhere.
//
//   sweep ── add(folder) ──► a page for each bucket ── full ──► spool
//   each(first, last)  ◄── the buckets side by side, in the order in which the files came in
//
// The order is that of the sweep: files of one folder stand together, in the order of their inodes,
// as the disk likes it. Fails as the spool does.
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
#include "tidemill/jobs/dupes/scan/spool.h"

namespace tidemill::dupes {

// Files that go into the spool together. One thread.
class FilePack {
 public:
  // `record` without its places in a table; `whole` is the hash of the whole, if it is known. Files
  // with the same mark come into the same bucket.
  void add(const FileRecord& record, std::string_view name, std::string_view whole,
           std::uint64_t mark);
  [[nodiscard]] bool is_full() const { return bytes_.size() >= kFull; }

 private:
  friend class SpooledFiles;
  static constexpr std::size_t kFull = std::size_t{128} << 10U;
  std::string bytes_;
};

// Thread-safe while files are added; after close() for many readers.
class SpooledFiles {
 public:
  static constexpr std::size_t kBuckets = 256;

  explicit SpooledFiles(Spool& spool) : spool_(spool) {}

  [[nodiscard]] Result<void> add(FilePack& files);  // empties the pack
  [[nodiscard]] Result<void> close();               // nothing comes any more

  // What the files of a bucket will take in a table, all told.
  [[nodiscard]] std::uint64_t weight(std::size_t bucket) const;

  // Those of the buckets from `first` to below `last`. The views are good during the call.
  using OnFile = std::function<Result<void>(const FileRecord& record, std::string_view name,
                                            std::string_view whole)>;
  [[nodiscard]] Result<void> each(std::size_t first, std::size_t last, const OnFile& on_file) const;

 private:
  struct Bucket {
    std::string page{};
    SpoolRun run{};
    std::uint64_t weight = 0;
  };
  struct Buckets {
    std::array<Bucket, kBuckets> all{};
    std::uint64_t files = 0;
  };
  struct FullPage {
    SpoolChunk chunk{};
    std::string bytes{};
  };
  [[nodiscard]] FullPage turn(Bucket& bucket) const;

  Spool& spool_;
  mutable Guarded<Buckets> buckets_;
};

}  // namespace tidemill::dupes
