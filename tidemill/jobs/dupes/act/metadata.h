// Metadata: the owner, mode, modification time and extended attributes of a file; ACLs,
// capabilities and security labels are extended attributes. It is compared before two files become
// one, and recorded so that `undo` can restore it. A value.
//
// Attributes that only root can read (trusted.*) are included for root alone. On a file system
// without extended attributes the list is empty; that is not a failure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tidemill/base/result.h"
#include "tidemill/jobs/dupes/options.h"

namespace tidemill::dupes {

struct Metadata {
  std::uint32_t mode = 0;  // permission bits, without the file type
  std::uint32_t user = 0;
  std::uint32_t group = 0;
  std::int64_t mtime_ns = 0;
  std::vector<std::pair<std::string, std::string>> xattrs{};  // sorted by name

  bool operator==(const Metadata&) const = default;
};

// Of an open file. Fails with step "metadata".
[[nodiscard]] Result<Metadata> metadata_of(int file);

// The first difference that is not ignored, in words: metadata of the duplicate that would be lost.
// nullopt: there is none.
[[nodiscard]] std::optional<std::string> difference(const Metadata& kept, const Metadata& duplicate,
                                                    const Lenience& lenience);

// The end of a reason that applies to root only: " (root needs --ignore-difference owner)".
[[nodiscard]] std::string root_needs(std::string_view difference);
// The difference named in a reason that ends with root_needs(); empty: it does not. For reasons
// that were read from a journal, which stores only the text.
[[nodiscard]] std::string_view root_needed(std::string_view reason);

// Like difference(), but only of what determines who may access the file: owner, group, mode and
// ACL. The text ends with root_needs().
[[nodiscard]] std::optional<std::string> difference_in_access(const Metadata& kept,
                                                              const Metadata& duplicate,
                                                              const Lenience& lenience);

// Privileges of an executable: set-user-id, set-group-id, capabilities.
[[nodiscard]] bool has_privileges(const Metadata& metadata);
[[nodiscard]] Metadata without_privileges(Metadata metadata);

// Sets the metadata of an open file that we own, and removes all other attributes. Fails when any
// part cannot be set: with a different owner the mode would mean something else.
[[nodiscard]] Result<void> give_metadata(int file, const Metadata& metadata);

}  // namespace tidemill::dupes
