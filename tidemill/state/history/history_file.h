// HistoryFile: the history of a command without a journal, in a small SQLite file of its own.
//
// The file is made by the first keep(), so a command that fails at once leaves none. It is never
// synced: a crash of the process leaves it readable, and after a power cut it may be unreadable,
// which costs nothing but the history.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "tidemill/base/guarded.h"
#include "tidemill/base/result.h"
#include "tidemill/io/store/db.h"
#include "tidemill/state/history/history.h"

namespace tidemill::history {

// Thread-safe.
class HistoryFile final : public Store {
 public:
  explicit HistoryFile(std::string path) : path_(std::move(path)) {}

  // Empty if there is no file.
  [[nodiscard]] Result<RunHistory> history() const override;
  [[nodiscard]] Result<void> keep(const HistoryChange& change) override;

 private:
  const std::string path_;
  Guarded<std::optional<store::Db>> db_;  // for writing, once there was something to write
};

}  // namespace tidemill::history
