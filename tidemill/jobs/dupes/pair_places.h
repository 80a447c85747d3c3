// Places: open folders by their sites. A folder is opened part by part from its root, so a path may
// be of any length, and a symlink below the root is refused. The folders opened last are kept until
// forget(): steps come folder by folder.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>

#include "tidemill/base/descriptor.h"
#include "tidemill/base/result.h"
#include "tidemill/jobs/dupes/pair_refusal.h"
#include "tidemill/jobs/dupes/plan_step.h"

namespace tidemill::dupes {

using OpenFolder = std::shared_ptr<const Descriptor>;

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

  void forget() { known_.clear(); }

 private:
  explicit Places(Descriptor base) : base_(std::move(base)) {}

  [[nodiscard]] int base() const;
  [[nodiscard]] Tried<Descriptor> open(const Site& site) const;
  [[nodiscard]] Tried<OpenFolder> make(const Site& site, Links links) const;

  static constexpr std::size_t kMost = 64;

  Descriptor base_;
  std::unordered_map<std::string, OpenFolder> known_;
};

}  // namespace tidemill::dupes
