// Workbench: mends one book after the other. The bytes of a book are read in a cell alone; this
// side opens files, and puts a mended book in its place.
#pragma once

#include <string>

#include "tidemill/base/descriptor.h"
#include "tidemill/base/result.h"
#include "tidemill/jobs/books/inquiry.h"
#include "tidemill/jobs/books/repair_options.h"
#include "tidemill/jobs/books/repair_report.h"

namespace tidemill::books {

// Thread-safe: each worker has its own cell.
class Workbench {
 public:
  Workbench(const RepairOptions& options, const cell::Nursery& nursery)
      : options_(options), cells_(nursery, options.work.workers) {}

  [[nodiscard]] Result<Inquiry::Judged> mend(const Inquiry::Case& book, engine::TaskContext& task);

  // Where the mended book goes: the path itself, or its place below the output folder.
  [[nodiscard]] std::string target_of(const std::string& path) const;

 private:
  [[nodiscard]] Result<RepairReport> ask(const Inquiry::Case& book, int out,
                                         engine::TaskContext& task);
  // Answers the stamp the book has now.
  [[nodiscard]] Result<FileStamp> put(const Inquiry::Case& book, int mended,
                                      RepairReport& report) const;
  [[nodiscard]] Result<std::string> backup_of(const Inquiry::Case& book) const;

  const RepairOptions& options_;
  Cells cells_;
};

// A file without a name, for a while.
[[nodiscard]] Result<Descriptor> scratch_file();

}  // namespace tidemill::books
