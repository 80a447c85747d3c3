// hash_wanted: hashes what another host has asked for (the list of foreign.h), and nothing else. A
// file must be in the catalogue and as the catalogue knows it: its hash is stored there, where the
// other host will look. What was hashed is stored after every thousand files or gigabyte, and after
// a stop too, so the same list goes on where it was.
//
// One file's failure is told to the failures and the others go on. Fails as a whole when the
// catalogue does.
#pragma once

#include <cstdint>
#include <span>

#include "tidemill/base/result.h"
#include "tidemill/jobs/dupes/scan/failures.h"
#include "tidemill/jobs/dupes/scan/foreign.h"
#include "tidemill/state/catalogue/catalogue.h"
#include "tidemill/ui/command/context.h"

namespace tidemill::dupes {

// Of the lines of the list; together they are all.
struct WantedCounts {
  std::uint64_t hashed = 0;
  std::uint64_t known = 0;        // had this hash already
  std::uint64_t other_hosts = 0;  // not ours to hash
  std::uint64_t strangers = 0;    // not in the catalogue, or gone
  std::uint64_t failed = 0;
  std::uint64_t left = 0;  // it was stopped before these

  bool operator==(const WantedCounts&) const = default;
};

[[nodiscard]] Result<WantedCounts> hash_wanted(std::span<const WantedFile> wanted,
                                               catalogue::Catalogue& catalogue, Failures& failures,
                                               const command::Context& context);

}  // namespace tidemill::dupes
