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
  create,  // like `own`; creates the file if it does not exist
  own,     // read and write; commits of earlier owners are refused
  read,    // read only, also while another process writes
};

// What a power cut may lose. A crash of the process alone never loses a commit.
enum class Synchronous : std::uint8_t {
  full,    // nothing
  normal,  // the last commits
  off,     // the entire file: for tests
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

[[nodiscard]] const store::DbFormat& journal_format();

// A failure leaves the file unchanged.
[[nodiscard]] Result<store::Db> open_for_writing(const JournalOptions& options);

struct OpenedJournal {
  store::Db db;
  // False for the file of an older version that was never opened for writing since.
  bool has_checksums = true;
  bool has_reasons = true;
  bool has_history = true;
};
[[nodiscard]] Result<OpenedJournal> open_for_reading(const std::string& path);

// Increments the epoch; commits of earlier owners are refused from then on.
[[nodiscard]] Result<std::int64_t> take_ownership(store::Db& db);

}  // namespace tidemill::journal
