// FolderPaths: the full paths of the folders in a catalogue. It caches the paths of parents, so
// that a sibling costs one query; the cache is bounded regardless of the size of the catalogue.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "tidemill/base/result.h"
#include "tidemill/io/store/db.h"
#include "tidemill/state/catalogue/scan.h"

namespace tidemill::catalogue {

// One thread, that of its Db.
class FolderPaths {
 public:
  [[nodiscard]] static Result<FolderPaths> of(store::Db& db);

  // Without a trailing slash; the path of "/" is empty. Valid until the next call. A folder that
  // does not exist, or whose parents do not lead to a root, is a failure: the file is damaged.
  [[nodiscard]] Result<std::string_view> path(FolderKey folder);

  void clear() {
    kept_.clear();
    kept_bytes_ = 0;
  }

 private:
  explicit FolderPaths(store::Statement find) : find_(std::move(find)) {}

  using Missing = std::vector<std::pair<FolderKey, std::string>>;  // deepest first
  [[nodiscard]] Result<std::string_view> keep(std::string path, const Missing& missing);

  store::Statement find_;
  std::unordered_map<FolderKey, std::string> kept_{};
  std::size_t kept_bytes_ = 0;
};

}  // namespace tidemill::catalogue
