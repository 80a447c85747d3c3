// ScanCollector: the listener of a sweep. It adds every file to the table and records changes of
// folders in the catalogue. A file that is in the catalogue with the same stamp gets its hashes
// from there and need not be read. With a partition file, the files are written to it and the table
// stays empty.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tidemill/base/guarded.h"
#include "tidemill/base/result.h"
#include "tidemill/io/walk/sweep.h"
#include "tidemill/jobs/dupes/scan/failures.h"
#include "tidemill/jobs/dupes/scan/file_table.h"
#include "tidemill/jobs/dupes/scan/partitioned_files.h"
#include "tidemill/state/catalogue/scan.h"

namespace tidemill::dupes {

// The key of each folder in the catalogue, by its FolderId; 0: not in the catalogue yet.
// Thread-safe.
class FolderKeys {
 public:
  void set(walk::FolderId folder, catalogue::FolderKey key) {
    auto keys = keys_.lock();
    if (keys->size() <= folder) keys->resize(std::size_t{folder} + 1);
    (*keys)[folder] = key;
  }
  [[nodiscard]] catalogue::FolderKey of(walk::FolderId folder) const {
    const auto keys = keys_.lock();
    return folder < keys->size() ? (*keys)[folder] : 0;
  }
  // Sets the folder of the batch: by its key, or by parent and name if it is new.
  void address(catalogue::FolderBatch& batch, const walk::FolderTree& tree) const {
    batch.key = of(batch.folder);
    if (batch.key != 0) return;
    batch.parent = tree.parent(batch.folder);
    batch.name = tree.name(batch.folder);
  }

 private:
  mutable Guarded<std::vector<catalogue::FolderKey>> keys_;
};

// Thread-safe, as a SweepListener must be.
class ScanCollector final : public walk::SweepListener {
 public:
  struct Context {
    FileTable& table;
    walk::FolderTree& tree;
    Failures& failures;
    FolderKeys& keys;
    catalogue::Scan* scan = nullptr;  // null: nothing is recorded
    std::string recall_from{};        // without a scan: the catalogue with hashes; empty: none
    PartitionedFiles* partition_file = nullptr;  // null: the files go into the table
    std::size_t threads = 1;
  };

  [[nodiscard]] static Result<std::unique_ptr<ScanCollector>> make(const Context& context);

  bool folder(walk::SweptFolder& folder) override;
  void failure(walk::FolderId folder, std::uint64_t tag, int error) override;

  [[nodiscard]] std::uint64_t files() const { return files_.load(std::memory_order_relaxed); }
  [[nodiscard]] std::uint64_t bytes() const { return bytes_.load(std::memory_order_relaxed); }
  // Folders in which something was left out or could not be examined.
  [[nodiscard]] std::vector<walk::FolderId> incomplete() const { return *incomplete_.lock(); }
  // Why the collector ended the sweep, if it did.
  [[nodiscard]] std::optional<Failure> cause() const { return *cause_.lock(); }

 private:
  struct Lane {  // of one worker
    std::unique_ptr<catalogue::Memory> memory{};
    catalogue::Recollection known{};
    std::vector<const catalogue::FileNote*> before{};  // of each file, or null
    std::vector<std::uint32_t> order{};
    std::uint64_t device = ~std::uint64_t{0};  // of the last file, and its index in the table
    std::uint16_t device_index = 0;
    FilePack pack{};  // for the partition file
  };

  explicit ScanCollector(const Context& context) : context_(context), lanes_(context.threads) {}

  [[nodiscard]] Result<void> take(walk::SweptFolder& folder);
  [[nodiscard]] Result<void> recall(walk::SweptFolder& folder, Lane& lane,
                                    catalogue::FolderBatch& news);
  static void match_files(walk::SweptFolder& folder, Lane& lane, catalogue::FolderBatch& news);
  static void match_subfolders(walk::SweptFolder& folder, Lane& lane, catalogue::FolderBatch& news);
  // False: the table has no room for another device.
  [[nodiscard]] bool fill(FileRecord& record, walk::FolderId folder, const walk::SweptFile& file,
                          Lane& lane, const catalogue::FileNote* before);
  // The hash of the complete contents, if it is still valid; empty: none.
  [[nodiscard]] std::string_view known_hash(const walk::SweptFile& file,
                                            const catalogue::FileNote* before) const;
  [[nodiscard]] bool add(const walk::SweptFolder& folder, const walk::SweptFile& file, Lane& lane,
                         const catalogue::FileNote* before);
  [[nodiscard]] Result<void> put_away(walk::FolderId folder, const walk::SweptFile& file,
                                      Lane& lane, const catalogue::FileNote* before);
  void note_failure(const walk::SweptFolder& folder, const walk::SweptFile& file,
                    const catalogue::FileNote* before, catalogue::FolderBatch& news);

  const Context context_;
  std::vector<Lane> lanes_;
  std::atomic<std::uint64_t> files_{0};
  std::atomic<std::uint64_t> bytes_{0};
  mutable Guarded<std::vector<walk::FolderId>> incomplete_;
  mutable Guarded<std::optional<Failure>> cause_;
};

}  // namespace tidemill::dupes
