// Shelf: what is known of books between runs, in an SQLite file: the stamp each had when it was
// checked, and its report. A book whose stamp is the same, checked in the same way, need not be
// checked again: so a run that was killed goes on where it was when the same command is given
// again.
//
// Format 1: docs/formats/books.md. Fails like store::Db. A file that is another program's or of a
// newer format is refused, never changed.
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

struct ShelfRow {
  std::string path{};
  FileStamp stamp{};
  std::string asked{};   // how it was checked: what the report depends on besides the book
  std::string report{};  // encoded
  std::string later{};   // what a later run is told if the book is unchanged; empty: the report
};

// One thread. Several may have one shelf open, each through its own Shelf.
class Shelf {
 public:
  // "": a shelf for this run alone, gone with it.
  [[nodiscard]] static Result<Shelf> open(const std::string& path);

  // The report of a book that is as it was and was asked the same.
  [[nodiscard]] Result<std::optional<std::string>> known(std::string_view path,
                                                         const FileStamp& stamp,
                                                         std::string_view asked);

  // In one transaction: the reports, and that these books were seen in this run.
  [[nodiscard]] Result<void> begin();
  [[nodiscard]] Result<void> put(const ShelfRow& row);
  [[nodiscard]] Result<void> saw(std::string_view path);
  [[nodiscard]] Result<void> commit();
  void roll_back();

  // What was seen in this run, by path, until `each` answers false.
  [[nodiscard]] Result<void> each_seen(
      const std::function<bool(std::string_view path, std::string_view report)>& each);

 private:
  struct Statements {
    store::Statement known;
    store::Statement put;
    store::Statement saw;
  };
  Shelf(store::Db db, Statements statements)
      : db_(std::move(db)), statements_(std::move(statements)) {}
  [[nodiscard]] static Result<Statements> prepare(store::Db& db);

  store::Db db_;
  Statements statements_;
};

}  // namespace tidemill::books
