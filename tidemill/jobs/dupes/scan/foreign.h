// Files of other hosts: known from a copy of their catalogue, compared by hash, never read. They go
// into the same table as our own, marked kForeign, so that everything that makes groups treats them
// alike.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tidemill/base/result.h"
#include "tidemill/io/walk/folder_tree.h"
#include "tidemill/jobs/dupes/options.h"
#include "tidemill/jobs/dupes/scan/file_table.h"
#include "tidemill/jobs/dupes/scan/found_groups.h"

namespace tidemill::dupes {

// Device numbers mean nothing on another machine: the catalogue's place in the list, from 1, is in
// the upper byte of the number that the table knows.
inline constexpr unsigned kHostShift = 56;
[[nodiscard]] constexpr std::uint64_t host_in(std::uint64_t device) { return device >> kHostShift; }
[[nodiscard]] constexpr std::uint64_t without_host(std::uint64_t device) {
  return device & ((std::uint64_t{1} << kHostShift) - 1);
}
inline constexpr std::size_t kMostCatalogues = 255;

struct ForeignParts {
  FileTable& table;
  walk::FolderTree& tree;
  std::vector<RootFacts>& roots;         // theirs are added
  const std::vector<std::string>& real;  // paths of our own roots: not compared with themselves
  std::size_t lane = 0;                  // of the table
};

// Reads the catalogues of options.with.
[[nodiscard]] Result<void> add_foreign(const Options& options, const ForeignParts& parts);

// The list of what other hosts must hash: after a heading one line a file, with the host, the
// algorithm, the size and the path, separated by tabs. Bytes of the path that are no visible ASCII,
// and '%', are written as %XX.
inline constexpr std::string_view kWantedHeading = "tidemill wanted 1\n";
struct WantedFile {
  std::string host{};
  std::string algorithm{};
  std::uint64_t size = 0;
  std::string path{};
  bool operator==(const WantedFile&) const = default;
};
[[nodiscard]] std::string wanted_line(const WantedFile& file);
// Fails with step "wanted" and the number of the invalid line.
[[nodiscard]] Result<std::vector<WantedFile>> wanted_files(std::string_view text);

}  // namespace tidemill::dupes
