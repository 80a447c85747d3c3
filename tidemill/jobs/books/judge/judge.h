// The code that runs in a sandbox: checks or repairs a book. It cannot open files and has little
// memory; all it has are the descriptors passed with the request.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "tidemill/formats/epub/inspection.h"
#include "tidemill/formats/epub/repair/book_repair.h"
#include "tidemill/jobs/books/report/book_report.h"
#include "tidemill/jobs/books/report/repair_report.h"

namespace tidemill::books {

struct JudgeRequest {
  std::string name{};  // of the file; used for its extension
  epub::Profile profile = epub::Profile::none;
};

struct RepairRequest {
  std::string name{};
  epub::EpubRepairOptions options{};
};

[[nodiscard]] std::string encoded(const JudgeRequest& request);
[[nodiscard]] std::string encoded(const RepairRequest& request);

// Checks the book behind the descriptor. The first bytes and the name decide whether it is a PDF or
// an unsupported format; everything else is checked as an EPUB.
[[nodiscard]] BookReport judge(const JudgeRequest& request, int book);

// Repairs the book into `files.out`. The fate is `planned` if the result is better than the book.
[[nodiscard]] RepairReport repair(const RepairRequest& request, const epub::RepairFiles& files);

// For sandbox::ForkServer: a request and its descriptors in, a BookReport or a RepairReport out.
[[nodiscard]] std::string serve(std::string_view request, std::span<const int> descriptors);

// Loads all grammars, so that sandboxes forked later have them in memory.
void warm_up();

}  // namespace tidemill::books
