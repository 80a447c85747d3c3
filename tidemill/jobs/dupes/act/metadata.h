// Metadata: what a file is besides its contents: owner, mode, times and extended attributes, with
// ACLs, capabilities and security labels among them. It is compared before two files become one,
// and written down so that `undo` can give it back. Values.
//
// Attributes that only root may see (trusted.*) are seen by root alone. A file system without
// extended attributes has none; that is no failure.
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
  std::uint32_t mode = 0;  // permissions, without the type
  std::uint32_t user = 0;
  std::uint32_t group = 0;
  std::int64_t mtime_ns = 0;
  std::vector<std::pair<std::string, std::string>> xattrs{};  // by name

  bool operator==(const Metadata&) const = default;
};

// Of an open file. Step "metadata".
[[nodiscard]] Result<Metadata> metadata_of(int file);

// What of the duplicate's metadata would be lost, in words; nothing: all of it is equal or may go.
[[nodiscard]] std::optional<std::string> difference(const Metadata& kept, const Metadata& duplicate,
                                                    const Lenience& lenience);

// The end of a reason that only root meets: " (root needs --ignore-difference owner)".
[[nodiscard]] std::string root_needs(std::string_view difference);
// The difference in a reason that ends so; empty: it does not. For reasons that were read from a
// journal, which keeps nothing else.
[[nodiscard]] std::string_view root_needed(std::string_view reason);

// The same, of what says who may use the file: owner, group, mode and ACL. In words, with the flag
// that allows it.
[[nodiscard]] std::optional<std::string> difference_in_access(const Metadata& kept,
                                                              const Metadata& duplicate,
                                                              const Lenience& lenience);

// What makes a program more powerful than who runs it: set-user-id, set-group-id, capabilities.
[[nodiscard]] bool has_privileges(const Metadata& metadata);
[[nodiscard]] Metadata without_privileges(Metadata metadata);

// Gives an open file of ours this metadata and nothing else. What may not be given is a failure:
// with another owner the mode would mean something else.
[[nodiscard]] Result<void> give_metadata(int file, const Metadata& metadata);

}  // namespace tidemill::dupes
