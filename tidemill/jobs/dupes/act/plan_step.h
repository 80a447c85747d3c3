// PlanStep: one action on one name of a duplicate, with everything needed to do it, to recover it
// after a crash, and to undo it. A value; packed() is its form in the journal.
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

// The name of a file: a root as it was given, which may be a symlink, and the path below the root,
// on which symlinks are refused.
struct Site {
  std::string path{};          // root, '/', path below it: bytes
  std::size_t root_bytes = 0;  // length of the root, without the '/'; 0: the base directory

  [[nodiscard]] std::string root() const { return path.substr(0, root_bytes); }
  [[nodiscard]] std::string_view folder() const;  // below the root; empty: the root itself
  [[nodiscard]] std::string name() const;         // the last part
  bool operator==(const Site&) const = default;
};

// The site of a path that was found below `root`. If the root is a file, its folder is the root.
[[nodiscard]] Site site_of(std::string_view path, std::string_view root);

struct PlanStep {
  Action action = Action::none;
  Lenience lenience{};
  Site kept{};
  Site duplicate{};
  Site target{};                  // of a move
  FileStamp kept_stamp{};         // of the kept file, as scanned
  FileStamp stamp{};              // of the duplicate, as scanned
  std::uint64_t reclaimable = 0;  // reclaimed bytes on the disk
  Metadata metadata{};            // of the duplicate; set by prepare()
  bool is_begun = false;          // prepared and recorded, so the files may have been changed
  FileStamp after{};  // of a done step: the file that has the name now, or the moved file
  // SHA-256 of the bytes that were compared. Version 1 of the journal has their XXH3, which can be
  // forged. Empty: not known.
  std::string digest{};
  std::uint32_t kept_user = kUnknownUser;    // owner of the kept file; set by prepare()
  std::uint32_t folder_user = kUnknownUser;  // owner of the duplicate's folder; likewise

  static constexpr std::uint32_t kUnknownUser = ~std::uint32_t{0};
};

// "hardlink", "reflink", "delete", "move": the type of the step's task.
[[nodiscard]] std::string_view type_of(Action action);
// The text after the name in a line about the step: " to PATH", or ", keeping PATH".
[[nodiscard]] std::string aim_of(const PlanStep& step);

[[nodiscard]] std::string packed(const PlanStep& step);
// nullopt: the bytes were not made by packed().
[[nodiscard]] std::optional<PlanStep> step_of(std::string_view bytes);

}  // namespace tidemill::dupes
