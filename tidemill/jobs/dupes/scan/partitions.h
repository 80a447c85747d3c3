// Partitions: the way of --memory. What the sweep finds goes to a spool, in buckets by size. Then
// so many buckets at a time as fit into memory are loaded, and searched as if there were no others:
// a file has its partners in its own bucket. The groups go to the spool as well, and the report
// merges them. It is the same report, to the byte.
//
//   sweep ─► spool, by size ─► some buckets ─► Partition ─► groups of these ─► spool ─► report
//                 │ one that does not fit                    ▲
//                 └──► by inode: the first look ─► by what it saw, in buckets again
//
// What stays in memory with the number of files: nothing; of folders: their names. Two things do
// not fit nevertheless, and take what they need: a single folder while it is listed, and the copies
// of a single file. Fails as the spool does, and otherwise as a Partition.
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
#include "tidemill/jobs/dupes/scan/spool.h"
#include "tidemill/jobs/dupes/scan/spool_files.h"
#include "tidemill/jobs/dupes/scan/spool_groups.h"

namespace tidemill::dupes {

// What is left of the memory for files, after the program itself, SQLite, buffers and the folders.
[[nodiscard]] std::uint64_t room_for_files(Bytes memory, std::size_t folders);

// One thread, but for what the spool takes.
class Partitions {
 public:
  struct Parts {
    Partition::Parts search;
    const std::vector<RootFacts>& roots;
    const Keeper& keeper;
    const FileTable& devices;  // knows the devices by the numbers that the spooled files have
  };

  // The spool is made beside the catalogue. All of the parts must outlive it, and it the scan.
  [[nodiscard]] static Result<std::unique_ptr<Partitions>> make(const Parts& parts);

  [[nodiscard]] SpooledFiles& spool() { return files_; }  // for the sweep
  // After it, in so much memory.
  [[nodiscard]] Result<void> find(std::uint64_t room);
  [[nodiscard]] SpooledGroups& groups() { return groups_; }
  [[nodiscard]] std::size_t passes() const { return passes_; }  // tables that were filled

 private:
  Partitions(const Parts& parts, std::unique_ptr<Spool> spool);

  // Some buckets, and whether all of them fit.
  struct Span {
    std::size_t first = 0;
    std::size_t last = 0;
    bool fits = true;
  };
  [[nodiscard]] Span span_from(const SpooledFiles& files, std::size_t first) const;
  [[nodiscard]] Result<void> load(const SpooledFiles& files, const Span& span);
  [[nodiscard]] Result<void> find_in_load();
  [[nodiscard]] Result<void> find_in_large(std::size_t bucket);
  [[nodiscard]] Result<void> part_by_contents(SpooledFiles& into);

  const Parts parts_;
  std::unique_ptr<Spool> spool_;
  SpooledFiles files_;
  SpooledGroups groups_;
  std::uint64_t room_ = 0;
  std::size_t passes_ = 0;
  std::unique_ptr<Partition> loaded_;
};

}  // namespace tidemill::dupes
