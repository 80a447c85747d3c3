// Places: open folders by their sites. A folder is opened part by part from its root, so a path may
// be of any length, and a symlink below the root is refused. The folders opened last are kept until
// forget(): steps come folder by folder.
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

// A folder that was made on the way to a site, and what it is known by for ever: an inode may be
// used again, but not at the same moment. A disk may have another number after a restart.
struct MadeFolder {
  std::string path{};
  std::size_t root_bytes = 0;  // of the site
  std::uint64_t inode = 0;
  std::int64_t born_ns = 0;
  bool operator==(const MadeFolder&) const = default;
};
[[nodiscard]] bool is_folder_of(const Look& look, const MadeFolder& made);

// One thread.
class Places {
 public:
  // Where relative names begin; empty: the working directory.
  [[nodiscard]] static Result<Places> from(const std::string& directory);

  [[nodiscard]] Tried<OpenFolder> folder_of(const Site& site);
  // The same, and what is missing on the way is made for us alone, the root too. Refused: a symlink
  // on the way to the root is declined, too. Somebody else may have made it.
  enum class Links : std::uint8_t { followed, refused };
  [[nodiscard]] Tried<OpenFolder> made_folder_of(const Site& site, Links links);

  // What made_folder_of() has made since the last call, parents first. Where the file system does
  // not tell when a folder was made, it is not known again, and is not among them.
  [[nodiscard]] std::vector<MadeFolder> take_made() { return std::exchange(made_, {}); }
  // Where it is, to look at it and to remove it; or an errno.
  [[nodiscard]] std::expected<Descriptor, int> parent_of(const MadeFolder& made, Links links) const;

  void forget() { known_.clear(); }

 private:
  explicit Places(Descriptor base) : base_(std::move(base)) {}

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
