// WantedOrders: the lines of a list (scan/foreign.h) for this host, as files to hash, and what
// becomes of each. It stores the hashes in the catalogue; who reads the files does not matter:
// threads of this process (wanted_hash.h), or a fleet (fleet/hash_tasks.h).
//
//   list ──► known, of other hosts, not in the catalogue ──► counts
//        └─► orders ──► hashed(), failed(), left() ──► store(): one transaction
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tidemill/base/result.h"
#include "tidemill/jobs/dupes/scan/failures.h"
#include "tidemill/jobs/dupes/scan/foreign.h"
#include "tidemill/state/catalogue/catalogue.h"

namespace tidemill::dupes {

// Counts of the lines of the list; their sum is the number of lines.
struct WantedCounts {
  std::uint64_t hashed = 0;
  std::uint64_t known = 0;        // already had this hash
  std::uint64_t other_hosts = 0;  // for another host to hash
  std::uint64_t strangers = 0;    // not in the catalogue, or removed there
  std::uint64_t failed = 0;
  std::uint64_t left = 0;  // not hashed because of a stop

  bool operator==(const WantedCounts&) const = default;
};

// A line for this host, and the rows of its file: a file below two roots has two.
struct HashOrder {
  const WantedFile* line = nullptr;
  std::string root{};  // of `file`
  catalogue::KnownFile file{};
  std::vector<catalogue::FolderKey> folders{};
};

// One thread; orders() by any, as they never change.
class WantedOrders {
 public:
  // The list and the other two must outlive it. Fails if the catalogue cannot be read.
  [[nodiscard]] static Result<WantedOrders> of(std::span<const WantedFile> wanted,
                                               catalogue::Catalogue& catalogue, Failures& failures);

  [[nodiscard]] const std::vector<HashOrder>& orders() const { return orders_; }  // by folder
  [[nodiscard]] catalogue::KnownTotal total() const;                              // of the orders
  [[nodiscard]] const WantedCounts& counts() const { return counts_; }

  // Each order once. A hash is in the catalogue after the next store().
  void hashed(std::size_t order, std::string_view hash);
  void failed(std::size_t order, Failure failure);
  void left(std::uint64_t orders) { counts_.left += orders; }

  // A row whose stamp has changed since is not changed.
  [[nodiscard]] Result<void> store();

 private:
  struct Hashed {
    std::size_t order = 0;
    std::string hash{};
  };

  WantedOrders(catalogue::Catalogue& catalogue, Failures& failures)
      : catalogue_(&catalogue), failures_(&failures) {}
  [[nodiscard]] Result<void> take(const WantedFile& line, std::uint8_t algorithm);
  void note_failure(const WantedFile& line, Failure failure);

  catalogue::Catalogue* catalogue_;
  Failures* failures_;
  std::vector<HashOrder> orders_{};
  std::vector<Hashed> hashed_{};  // since the last store()
  WantedCounts counts_{};
};

}  // namespace tidemill::dupes
