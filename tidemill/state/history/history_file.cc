#include "tidemill/state/history/history_file.h"

#include <unistd.h>

#include "tidemill/base/try.h"
#include "tidemill/io/files/private_files.h"
#include "tidemill/io/store/transaction.h"
#include "tidemill/state/history/tables.h"

namespace tidemill::history {
namespace {

constexpr std::string_view kHistoryScripts[] = {kTables};

const store::DbFormat& history_format() {
  static constexpr store::DbFormat kFormat{
      .name = "history",
      .application_id = 0x746d6869,  // "tmhi"
      .scripts = kHistoryScripts,
      .update_hint = "run the command again",
      .damage_hint = "remove the file; it holds nothing but the numbers of a report"};
  return kFormat;
}

Result<store::Db> open_to_write(const std::string& path) {
  files::make_private_file(path);
  LET(auto db, store::Db::open(path, {.mode = store::Open::create}));
  TRY(db.exec("pragma synchronous = off"));
  TRY(store::migrate(db, history_format()));
  return db;
}

}  // namespace

Result<RunHistory> HistoryFile::history() const {
  if (::access(path_.c_str(), F_OK) != 0) return RunHistory{};
  LET(auto db, store::Db::open(path_, {.mode = store::Open::read}));
  TRY(store::require_since(db, history_format(), 1));
  return read(db);
}

Result<void> HistoryFile::keep(const HistoryChange& change) {
  auto db = db_.lock();
  if (!*db) {
    LET(*db, open_to_write(path_));
  }
  store::Db& open = **db;  // NOLINT(bugprone-unchecked-optional-access): set above
  LET(auto transaction, store::Transaction::begin(open));
  TRY(write(open, change));
  return transaction.commit();
}

}  // namespace tidemill::history
