// Files of other hosts: known from a copy of their catalogue, compared by hash, never read. They
// are added to the same table as our own, marked kForeign, so that the code that builds groups
// treats them alike.
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

// Device numbers of another machine have no meaning here. In the table the upper byte of the number
// is the catalogue's position in the list, from 1.
inline constexpr unsigned kHostShift = 56;
[[nodiscard]] constexpr std::uint64_t host_in(std::uint64_t device) { return device >> kHostShift; }
[[nodiscard]] constexpr std::uint64_t without_host(std::uint64_t device) {
  return device & ((std::uint64_t{1} << kHostShift) - 1);
}
inline constexpr std::size_t kMostCatalogues = 255;

struct ForeignContext {
  FileTable& table;
  walk::FolderTree& tree;
  std::vector<RootFacts>& roots;         // the foreign roots are appended
  const std::vector<std::string>& real;  // our own roots: not imported from our own catalogue
  std::size_t lane = 0;                  // worker number for FileTable::add()
};

// Reads the catalogues of options.with.
[[nodiscard]] Result<void> add_foreign(const DupesOptions& options, const ForeignContext& context);

// The list of files that other hosts must hash: a heading, then one line per file with the host,
// the algorithm, the size and the path, separated by tabs. Bytes of the path that are not visible
// ASCII, and '%', are written as %XX.
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
