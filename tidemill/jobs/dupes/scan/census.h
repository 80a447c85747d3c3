// Census: listens to a sweep, puts every file into the table, and tells the catalogue what is new
// about folders. A file that the catalogue knows with the same stamp brings its hashes with it and
// need not be read. With a spool the files go there and the table stays empty.
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
#include "tidemill/jobs/dupes/scan/spool_files.h"
#include "tidemill/state/catalogue/scan.h"

namespace tidemill::dupes {

// The key of each folder in the catalogue, by the walk's number; 0: it is not in it yet.
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
  // Says of which folder the batch is: by its key, or by parent and name when it is new.
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
class Census final : public walk::SweepListener {
 public:
  struct Parts {
    FileTable& table;
    walk::FolderTree& tree;
    Failures& failures;
    FolderKeys& keys;
    catalogue::Scan* scan = nullptr;  // nothing: nothing is recorded
    std::string recall_from{};        // without a scan: the catalogue to ask; empty: none
    SpooledFiles* spool = nullptr;    // nothing: the files go into the table
    std::size_t threads = 1;
  };

  [[nodiscard]] static Result<std::unique_ptr<Census>> make(const Parts& parts);

  bool folder(walk::SweptFolder& folder) override;
  void trouble(walk::FolderId folder, std::uint64_t tag, int error) override;

  [[nodiscard]] std::uint64_t files() const { return files_.load(std::memory_order_relaxed); }
  [[nodiscard]] std::uint64_t bytes() const { return bytes_.load(std::memory_order_relaxed); }
  // Folders in which something was left out or could not be looked at.
  [[nodiscard]] std::vector<walk::FolderId> incomplete() const { return *incomplete_.lock(); }
  // Why it ended the sweep, if it did.
  [[nodiscard]] std::optional<Failure> cause() const { return *cause_.lock(); }

 private:
  struct Lane {  // of one worker
    std::unique_ptr<catalogue::Memory> memory{};
    catalogue::Recollection known{};
    std::vector<const catalogue::FileNote*> before{};  // of each file, or nothing
    std::vector<std::uint32_t> order{};
    std::uint64_t device = ~std::uint64_t{0};  // of the last file, and its index in the table
    std::uint16_t device_index = 0;
    FilePack pack{};  // for the spool
  };

  explicit Census(const Parts& parts) : parts_(parts), lanes_(parts.threads) {}

  [[nodiscard]] Result<void> take(walk::SweptFolder& folder);
  [[nodiscard]] Result<void> recall(walk::SweptFolder& folder, Lane& lane,
                                    catalogue::FolderBatch& news);
  static void match_files(walk::SweptFolder& folder, Lane& lane, catalogue::FolderBatch& news);
  static void match_subfolders(walk::SweptFolder& folder, Lane& lane, catalogue::FolderBatch& news);
  // False: the table has no room for another device.
  [[nodiscard]] bool fill(FileRecord& record, walk::FolderId folder, const walk::SweptFile& file,
                          Lane& lane, const catalogue::FileNote* before);
  // The hash of the whole that still holds; empty: none is known.
  [[nodiscard]] std::string_view known_hash(const walk::SweptFile& file,
                                            const catalogue::FileNote* before) const;
  [[nodiscard]] bool add(const walk::SweptFolder& folder, const walk::SweptFile& file, Lane& lane,
                         const catalogue::FileNote* before);
  [[nodiscard]] Result<void> put_away(walk::FolderId folder, const walk::SweptFile& file,
                                      Lane& lane, const catalogue::FileNote* before);
  void note_failure(const walk::SweptFolder& folder, const walk::SweptFile& file,
                    const catalogue::FileNote* before, catalogue::FolderBatch& news);

  const Parts parts_;
  std::vector<Lane> lanes_;
  std::atomic<std::uint64_t> files_{0};
  std::atomic<std::uint64_t> bytes_{0};
  mutable Guarded<std::vector<walk::FolderId>> incomplete_;
  mutable Guarded<std::optional<Failure>> cause_;
};

}  // namespace tidemill::dupes
