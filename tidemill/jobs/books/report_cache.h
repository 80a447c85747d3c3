// ReportCache: keeps the reports of books between runs in an SQLite file, with the stamp each book
// had when it was checked. A book with the same stamp and the same settings is not checked again,
// so repeating the command after a kill continues where the run was.
//
// Format 1: docs/formats/books.md. Fails like store::Db. A file of another program or of a newer
// format is refused and never changed.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "tidemill/base/file_stamp.h"
#include "tidemill/base/result.h"
#include "tidemill/io/store/db.h"

namespace tidemill::books {

struct CachedReport {
  std::string path{};
  FileStamp stamp{};
  std::string asked{};   // the settings that the report depends on besides the book
  std::string report{};  // encoded
  std::string later{};   // the report for a later run if the book is unchanged; empty: the same
};

// One thread. Several threads may open the same cache, each with its own ReportCache.
class ReportCache {
 public:
  // With an empty path, the cache is temporary: it lasts as long as the object.
  [[nodiscard]] static Result<ReportCache> open(const std::string& path);

  // The report of a book with the same stamp and settings; empty if there is none.
  [[nodiscard]] Result<std::optional<std::string>> known(std::string_view path,
                                                         const FileStamp& stamp,
                                                         std::string_view asked);

  // Stores reports, and marks books as seen in this run, in one transaction.
  [[nodiscard]] Result<void> begin();
  [[nodiscard]] Result<void> put(const CachedReport& row);
  [[nodiscard]] Result<void> saw(std::string_view path);
  [[nodiscard]] Result<void> commit();
  void roll_back();

  // Calls `each` for the books seen in this run, sorted by path, until it returns false.
  [[nodiscard]] Result<void> each_seen(
      const std::function<bool(std::string_view path, std::string_view report)>& each);

 private:
  struct Statements {
    store::Statement known;
    store::Statement put;
    store::Statement saw;
  };
  ReportCache(store::Db db, Statements statements)
      : db_(std::move(db)), statements_(std::move(statements)) {}
  [[nodiscard]] static Result<Statements> prepare(store::Db& db);

  store::Db db_;
  Statements statements_;
};

}  // namespace tidemill::books
