// Whether what lies at a path may be believed: a state folder holds commands that `resume` runs, a
// catalogue says what need not be read again, a config file changes what a command does. Nobody
// but the effective user (and root, who can do anything) may have had a hand in it. The rules are
// those of sshd's StrictModes:
//
//   /home/ann/.local/state       tidemill
//   └ every folder above ┘       └ the thing itself ┘
//   of root or of this user,     of this user (or root, see Owner),
//   writable by nobody else;     writable by nobody else
//   one with the sticky bit
//   may be (/tmp)
//
// Nobody else can exchange a name on such a way, so what is opened by the same path afterwards is
// what was looked at. Symlinks are followed when they are of root or of this user, and the way to
// their target is held to the same rules. Writable by a group is allowed if it is the private group
// of this user (the same name, nobody else in it) and no access list is set: a umask of 002 is
// usual with such groups.
//
// What is not there, or cannot be looked at, is no failure: whoever opens it will say so.
#pragma once

#include <cstdint>
#include <string>

#include "tidemill/base/result.h"

namespace tidemill::files {

enum class Owner : std::uint8_t {
  user,          // what this user's processes write: nobody else can have made it
  user_or_root,  // what they read
};

struct Believed {
  std::string name{};  // "state folder"
  Owner owner = Owner::user;
  std::string instead{};  // what else the user can do: "set TIDEMILL_STATE to another folder"
};

// The Failure is of kind usage; its hint says what to do.
[[nodiscard]] Result<void> demand_own(const std::string& path, const Believed& what);

}  // namespace tidemill::files
