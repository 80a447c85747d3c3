// demand_own: checks that a path can be trusted. A state folder holds commands that `resume` runs,
// a catalogue says what need not be read again, a config file changes what a command does: only the
// effective user (and root, who can do anything) may have been able to change them. The rules are
// those of sshd's StrictModes:
//
//   /home/ann/.local/state       tidemill
//   └ every folder above ┘       └ the thing itself ┘
//   of root or of this user,     of this user (or root, see Owner),
//   not writable by others       not writable by others
//   unless it is sticky (/tmp)
//
// No other user can replace a component of such a path, so opening the same path later opens what
// was checked. Symlinks are followed when root or this user owns them, and the path to their target
// must meet the same rules. A group may have write permission if it is the private group of this
// user (the same name, no other member) and there is no ACL: a umask of 002 is usual with such
// groups.
//
// A path that does not exist or cannot be examined is not a failure: opening it will report that.
#pragma once

#include <cstdint>
#include <string>

#include "tidemill/base/result.h"

namespace tidemill::files {

enum class Owner : std::uint8_t {
  user,          // for what this user's processes write
  user_or_root,  // for what they only read
};

struct Believed {
  std::string name{};  // "state folder"
  Owner owner = Owner::user;
  std::string instead{};  // alternative for the hint: "set TIDEMILL_STATE to another folder"
};

// The Failure has the kind usage; its hint says what to do.
[[nodiscard]] Result<void> demand_own(const std::string& path, const Believed& what);

}  // namespace tidemill::files
