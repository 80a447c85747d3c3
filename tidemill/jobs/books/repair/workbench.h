// Workbench: mends one book after the other. The bytes of a book are read in a cell alone; this
// side opens files, and puts a mended book in its place.
//
//   book ──► cell 1: mends it into a file without a name, reports ──► ended
//            cell 2: judges the book, cell 3: what cell 1 has written; both can only read
//            this side: do they confirm the report? ──► that file is put in place
//
// Every request has a process of its own, so a book that takes one over can neither lie about the
// next book nor change its own bytes once they are judged. What the others do not confirm is
// a Failure of TIDE-003, and the book stays as it is.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "tidemill/base/descriptor.h"
#include "tidemill/base/result.h"
#include "tidemill/jobs/books/inquiry.h"
#include "tidemill/jobs/books/repair/repair_options.h"
#include "tidemill/jobs/books/report/repair_report.h"

namespace tidemill::books {

// Thread-safe: each worker has its own cell.
class Workbench {
 public:
  Workbench(const RepairOptions& options, const sandbox::Nursery& nursery)
      : options_(options), cells_(nursery, options.work.workers) {}

  [[nodiscard]] Result<Inquiry::Judged> mend(const Inquiry::Case& book, engine::TaskContext& task);

 private:
  [[nodiscard]] Result<RepairReport> ask(const Inquiry::Case& book, int out,
                                         engine::TaskContext& task);
  [[nodiscard]] Result<BookReport> judge(const Inquiry::Case& book, int file,
                                         engine::TaskContext& task);
  [[nodiscard]] Result<void> confirm(const Inquiry::Case& book, int mended,
                                     const RepairReport& report, engine::TaskContext& task);
  // The answer of a process that has ended since.
  [[nodiscard]] Result<std::string> answer_of(std::string_view request,
                                              std::span<const int> descriptors,
                                              engine::TaskContext& task);
  // These answer the stamp the book has now.
  [[nodiscard]] Result<FileStamp> put(const Inquiry::Case& book, int mended,
                                      RepairReport& report) const;
  [[nodiscard]] Result<FileStamp> put_in_place(const Inquiry::Case& book, int mended,
                                               RepairReport& report) const;
  [[nodiscard]] Result<FileStamp> put_in_output(const Inquiry::Case& book, int mended,
                                                RepairReport& report) const;
  // Where the backup is; empty: none was wanted.
  [[nodiscard]] Result<std::string> back_up(const Inquiry::Case& book) const;
  // Of a book, below its root.
  [[nodiscard]] std::string way_of(const std::string& path) const;

  const RepairOptions& options_;
  Cells cells_;
};

// One at a time for each book, over all processes of this machine: flock on the file, for as long
// as it is open. Fails with Cure::retry when somebody else has it.
[[nodiscard]] Result<void> lock_book(int book);

// A file without a name, for a while.
[[nodiscard]] Result<Descriptor> scratch_file();

}  // namespace tidemill::books
