// PairPlaces: opens the folders of sites. A folder is opened component by component from its root,
// so a path may have any length, and a symlink below the root is refused. Steps come folder by
// folder, so recently opened folders are cached until forget().
#pragma once

#include <cstddef>
#include <cstdint>
#include <expected>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "tidemill/base/descriptor.h"
#include "tidemill/base/result.h"
#include "tidemill/jobs/dupes/act/pair/file.h"
#include "tidemill/jobs/dupes/act/pair/refusal.h"
#include "tidemill/jobs/dupes/act/plan_step.h"

namespace tidemill::dupes {

using OpenFolder = std::shared_ptr<const Descriptor>;

// A folder that was created on the path to a site. Inode and birth time identify it for good: an
// inode may be reused, but not with the same birth time. The device number is not stored, because
// it may change with a reboot.
struct MadeFolder {
  std::string path{};
  std::size_t root_bytes = 0;  // length of the site's root
  std::uint64_t inode = 0;
  std::int64_t born_ns = 0;
  bool operator==(const MadeFolder&) const = default;
};
[[nodiscard]] bool is_folder_of(const FileFacts& look, const MadeFolder& made);

// One thread.
class PairPlaces {
 public:
  // Relative names are resolved against `directory`; empty: the working directory.
  [[nodiscard]] static Result<PairPlaces> from(const std::string& directory);

  [[nodiscard]] Tried<OpenFolder> folder_of(const Site& site);
  // The same, but creates missing folders, the root included, with mode 0700. `links` applies to
  // symlinks on the path to the root: another user may have created them, so root refuses them.
  enum class Links : std::uint8_t { followed, refused };
  [[nodiscard]] Tried<OpenFolder> made_folder_of(const Site& site, Links links);

  // The folders that made_folder_of() has created since the last call, parents first. Without those
  // on file systems that have no birth time: they could not be identified later.
  [[nodiscard]] std::vector<MadeFolder> take_made() { return std::exchange(made_, {}); }
  // The parent of such a folder, to check and remove it; or an errno.
  [[nodiscard]] std::expected<Descriptor, int> parent_of(const MadeFolder& made, Links links) const;

  void forget() { known_.clear(); }

 private:
  explicit PairPlaces(Descriptor base) : base_(std::move(base)) {}

  [[nodiscard]] int base() const;
  [[nodiscard]] Tried<Descriptor> open(const Site& site) const;
  [[nodiscard]] Tried<OpenFolder> make(const Site& site, Links links);
  [[nodiscard]] Descriptor start(std::string_view path) const;
  [[nodiscard]] Descriptor make_way(Descriptor folder, std::string_view way, const Site& site,
                                    int follow);
  void note_made(const Descriptor& folder, const Site& site, std::size_t bytes);

  static constexpr std::size_t kMost = 64;

  Descriptor base_;
  std::unordered_map<std::string, OpenFolder> known_;
  std::vector<MadeFolder> made_;
};

}  // namespace tidemill::dupes
