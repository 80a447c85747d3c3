// The users and groups that this process trusts like itself.
#pragma once

#include <sys/types.h>

namespace tidemill::files {

// The effective user, or root. In a user namespace without a mapping for root (bwrap, unshare -U),
// files of root appear to belong to the overflow user: there that uid counts too.
[[nodiscard]] bool is_user_or_root(uid_t user);

// The effective user's private group: the primary group, with the name of the user and no other
// member. False when that cannot be determined.
[[nodiscard]] bool is_private_group(gid_t group);

}  // namespace tidemill::files
