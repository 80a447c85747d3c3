#include "tidemill/state/catalogue/folder_paths.h"

#include <cstdint>
#include <optional>
#include <ranges>
#include <tuple>

#include "tidemill/base/try.h"

namespace tidemill::catalogue {
namespace {

constexpr std::size_t kMostBytes = 4U << 20U;
constexpr std::size_t kOverhead = 80;
constexpr std::size_t kMostDepth = 100'000;  // more is a cycle

}  // namespace

Result<FolderPaths> FolderPaths::of(store::Db& db) {
  LET(auto find, db.prepare("select parent, name from folders where id = ?"));
  return FolderPaths(std::move(find));
}

Result<std::string_view> FolderPaths::path(FolderKey folder) {
  if (const auto found = kept_.find(folder); found != kept_.end()) {
    return std::string_view(found->second);
  }
  if (kept_bytes_ > kMostBytes) clear();
  Missing missing;
  std::string path;
  for (FolderKey at = folder; at != 0;) {
    if (const auto known = kept_.find(at); known != kept_.end()) {
      path = known->second + "/";
      break;
    }
    using Row = std::tuple<FolderKey, std::string>;
    LET(std::optional<Row> row, (find_.first<FolderKey, std::string>(at)));
    if (!row || missing.size() > kMostDepth) {
      return fail(Cure::give_up, FailureKind::database, "catalogue",
                  "folder " + std::to_string(folder) + " has no path");
    }
    missing.emplace_back(at, std::move(std::get<1>(*row)));
    at = std::get<0>(*row);
  }
  return keep(std::move(path), missing);
}

// Caches the parents too: the next folder is likely to be a sibling.
Result<std::string_view> FolderPaths::keep(std::string path, const Missing& missing) {
  if (missing.empty()) {
    return fail(Cure::give_up, FailureKind::database, "catalogue", "folder 0 has no path");
  }
  for (const auto& [folder, name] : missing | std::views::reverse) {
    path += name;
    kept_bytes_ += path.size() + kOverhead;
    kept_[folder] = path;
    path += '/';
  }
  return std::string_view(kept_[missing.front().first]);
}

}  // namespace tidemill::catalogue
