// Whom this process has to count as itself.
#pragma once

#include <sys/types.h>

namespace tidemill::files {

// The effective user, or root. In a user namespace that does not know root (bwrap, unshare -U) the
// files of root have the number of an unknown user: there that one counts too.
[[nodiscard]] bool is_user_or_root(uid_t user);

// The effective user's own group: with its name, and nobody else in it. False when that cannot be
// found out.
[[nodiscard]] bool is_private_group(gid_t group);

}  // namespace tidemill::files
