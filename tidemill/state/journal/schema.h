// The file format of a journal, and how its connections are opened. docs/formats/journal.md
// describes every table.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "tidemill/base/result.h"
#include "tidemill/io/store/db.h"
#include "tidemill/io/store/transaction.h"

namespace tidemill::journal {

enum class Access : std::uint8_t {
  create,  // own it; made when it is not there
  own,     // write it; whoever owned it before is shut out
  read,    // look only, also while another process writes
};

// What a loss of power may take. A crash of the process alone takes nothing in any case.
enum class Synchronous : std::uint8_t {
  full,    // nothing that was committed
  normal,  // the last commits
  off,     // the whole file: for tests
};

struct JournalOptions {
  std::string path{};
  Access access = Access::own;
  Synchronous synchronous = Synchronous::full;
  int page_size = 4'096;  // of a new file
};

// What to do about a damaged journal.
inline constexpr std::string_view kDamageHint =
    "restore the run's folder from a backup, or start the job again";

[[nodiscard]] const store::Format& journal_format();

// A failure leaves the file as it was.
[[nodiscard]] Result<store::Db> open_for_writing(const JournalOptions& options);

struct OpenedJournal {
  store::Db db;
  bool has_checksums = true;  // not in a file that an older program made and this one never wrote
};
[[nodiscard]] Result<OpenedJournal> open_for_reading(const std::string& path);

// Raises the epoch by one: commits of earlier owners are refused from then on.
[[nodiscard]] Result<std::int64_t> take_ownership(store::Db& db);

}  // namespace tidemill::journal
