// BookRepairer: repairs one book. The bytes of a book are read only in sandboxes; this side opens
// the files and puts the repaired book in place.
//
//   book ──► sandbox 1: repairs it into an unnamed file, reports ──► ended
//            sandbox 2: checks the book; sandbox 3: checks the repaired file; both only read
//            this side: do they confirm the report? ──► the repaired file is put in place
//
// Every request runs in a process of its own, so a book that compromises one can neither lie about
// the next book nor change its own bytes after the check. A report that the others do not confirm
// is a Failure of TIDE-003, and the book is not changed.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "tidemill/base/descriptor.h"
#include "tidemill/base/result.h"
#include "tidemill/jobs/books/book_scan.h"
#include "tidemill/jobs/books/repair/repair_options.h"
#include "tidemill/jobs/books/report/repair_report.h"

namespace tidemill::books {

// Thread-safe: each worker has its own sandbox.
class BookRepairer {
 public:
  BookRepairer(const RepairOptions& options, const sandbox::ForkServer& fork_server)
      : options_(options), sandboxes_(fork_server, options.work.workers) {}

  [[nodiscard]] Result<BookScan::Judged> repair(const BookScan::Case& book,
                                                engine::TaskContext& task);

 private:
  [[nodiscard]] Result<RepairReport> ask(const BookScan::Case& book, int out,
                                         engine::TaskContext& task);
  [[nodiscard]] Result<BookReport> judge(const BookScan::Case& book, int file,
                                         engine::TaskContext& task);
  [[nodiscard]] Result<void> confirm(const BookScan::Case& book, int repaired,
                                     const RepairReport& report, engine::TaskContext& task);
  // Retires the sandbox: the process has ended before the answer is used.
  [[nodiscard]] Result<std::string> answer_of(std::string_view request,
                                              std::span<const int> descriptors,
                                              engine::TaskContext& task);
  // These return the stamp that the book has now.
  [[nodiscard]] Result<FileStamp> put(const BookScan::Case& book, int repaired,
                                      RepairReport& report) const;
  [[nodiscard]] Result<FileStamp> put_in_place(const BookScan::Case& book, int repaired,
                                               RepairReport& report) const;
  [[nodiscard]] Result<FileStamp> put_in_output(const BookScan::Case& book, int repaired,
                                                RepairReport& report) const;
  // The path of the backup; empty if backups are off.
  [[nodiscard]] Result<std::string> back_up(const BookScan::Case& book) const;
  // The path of a book relative to its root.
  [[nodiscard]] std::string path_below_root(const std::string& path) const;

  const RepairOptions& options_;
  Sandboxes sandboxes_;
};

// Locks a book against all other processes on this machine: flock on the file, held while it is
// open. Fails with Cure::retry when another process holds the lock. File systems without flock are
// not an error: the book is then not locked.
[[nodiscard]] Result<void> lock_book(int book);

// A temporary file without a name.
[[nodiscard]] Result<Descriptor> scratch_file();

}  // namespace tidemill::books
