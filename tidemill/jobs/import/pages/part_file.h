// The file DB.tidemill.part: the lock of the import that fills DB, the file in which a new database
// is built, and for a moment the place of an EndNote (target/ending.h):
//
//   tidemill import 7 begun 1700000000 is complete
//
// `begun` prevents the note from being applied to another database that has replaced DB.
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
// nullopt: the text is not a note, or is truncated.
[[nodiscard]] std::optional<EndNote> end_note_in(std::string_view text);

[[nodiscard]] std::string part_name_of(const std::string& database);

// `part` is the open part file. When write_end_note() returns, the note and the name of the file
// are synced.
[[nodiscard]] std::optional<EndNote> read_end_note(int part);
[[nodiscard]] Result<void> write_end_note(int part, const files::Spot& spot, const EndNote& note);

// Locks the part file, and creates it if it does not exist. Fails with kind held and cure retry if
// another import has it, and with step "--into" if it cannot be ours: another user's file, a
// symlink, not a regular file, a file with several hard links. `database` is for the messages.
[[nodiscard]] Result<Descriptor> lock_part(const files::Spot& spot, const std::string& database);

// Whether the open file is the one at this name.
[[nodiscard]] bool has_name(int file, const files::Spot& spot);

[[nodiscard]] std::unexpected<Failure> in_use(const std::string& reason, const std::string& hint);
[[nodiscard]] std::unexpected<Failure> system_failed(int error, const std::string& step,
                                                     const std::string& path);

}  // namespace tidemill::import
