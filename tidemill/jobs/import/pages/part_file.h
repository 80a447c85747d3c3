// The file DB.tidemill.part: the lock of whoever fills DB, what a new database is built in, and for
// a moment the place of an EndNote (ending.h):
//
//   tidemill import 7 begun 1700000000 is complete
//
// `begun` is there so that a database which was put in the place of another is not taken for it.
#pragma once

#include <cstdint>
#include <expected>
#include <optional>
#include <string>
#include <string_view>

#include "tidemill/base/descriptor.h"
#include "tidemill/base/result.h"
#include "tidemill/io/files/held_folder.h"

namespace tidemill::import {

struct EndNote {
  std::int64_t import = 0;
  std::int64_t begun = 0;
  bool operator==(const EndNote&) const = default;
};

[[nodiscard]] std::string text_of(const EndNote& note);
// Nothing: it is something else, or cut off.
[[nodiscard]] std::optional<EndNote> end_note_in(std::string_view text);

[[nodiscard]] std::string part_name_of(const std::string& database);

// Of the open file `part`. Written: it is on the disk, and so is the name of the file.
[[nodiscard]] std::optional<EndNote> read_end_note(int part);
[[nodiscard]] Result<void> write_end_note(int part, const files::Spot& spot, const EndNote& note);

// Locks the part file, which is made if it is not there; fails with kind held and cure retry when
// another import has it, and with step "--into" when it is not one of ours: another user's, a link,
// a file with a second name. `database` is for the words.
[[nodiscard]] Result<Descriptor> lock_part(const files::Spot& spot, const std::string& database);

// Whether the file that is open is the one that has the name.
[[nodiscard]] bool has_name(int file, const files::Spot& spot);

[[nodiscard]] std::unexpected<Failure> in_use(const std::string& reason, const std::string& hint);
[[nodiscard]] std::unexpected<Failure> system_failed(int error, const std::string& step,
                                                     const std::string& path);

}  // namespace tidemill::import
