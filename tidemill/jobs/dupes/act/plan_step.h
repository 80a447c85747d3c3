// Step: one thing to be done to one duplicate, with all that is needed to do it, to look how far it
// came after a crash, and to undo it. A value; packed() is how the journal keeps it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "tidemill/base/file_stamp.h"
#include "tidemill/io/hash/algorithm.h"
#include "tidemill/jobs/dupes/act/metadata.h"
#include "tidemill/jobs/dupes/options.h"

namespace tidemill::dupes {

// A name: a root as it was given, which may be a symlink, and the way below it, on which nothing
// may be one.
struct Site {
  std::string path{};          // root, '/', way: bytes
  std::size_t root_bytes = 0;  // of the path, without the '/'; 0: the folder where names begin

  [[nodiscard]] std::string root() const { return path.substr(0, root_bytes); }
  [[nodiscard]] std::string_view folder() const;  // below the root; empty: the root itself
  [[nodiscard]] std::string name() const;         // the last part
  bool operator==(const Site&) const = default;
};

// Of a path found below `root`. A root that is a file has its folder as root.
[[nodiscard]] Site site_of(std::string_view path, std::string_view root);

struct Step {
  Action action = Action::none;
  Lenience lenience{};
  Site kept{};
  Site duplicate{};
  Site target{};           // of a move
  FileStamp kept_stamp{};  // as they were scanned
  FileStamp stamp{};       // of the duplicate
  std::uint64_t wins = 0;  // bytes on the disk
  Metadata metadata{};     // of the duplicate; from when the step was begun
  bool is_begun = false;   // what it needs was written down, so something may have been done
  FileStamp after{};       // of a done step: what has the name now, or where it was moved
  // SHA-256 of the bytes that were compared. Version 1 of the journal has their XXH3, which can be
  // forged. Empty: not known.
  std::string digest{};
  std::uint32_t kept_user = kUnknownUser;    // who owned the kept file; from when it was begun
  std::uint32_t folder_user = kUnknownUser;  // and the duplicate's folder

  static constexpr std::uint32_t kUnknownUser = ~std::uint32_t{0};
};

// "hardlink", "reflink", "delete", "move": the type of the step's task.
[[nodiscard]] std::string_view type_of(Action action);
// What follows the name in a line about the step: " to PATH", or ", kept is PATH".
[[nodiscard]] std::string aim_of(const Step& step);

[[nodiscard]] std::string packed(const Step& step);
// Nothing when the bytes are not what packed() makes.
[[nodiscard]] std::optional<Step> step_of(std::string_view bytes);

}  // namespace tidemill::dupes
