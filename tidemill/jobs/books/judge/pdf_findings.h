// Checks and repairs a PDF with tidemill/formats/pdf, and converts the result to a report with our
// rules.
#pragma once

#include "tidemill/jobs/books/report/book_report.h"
#include "tidemill/jobs/books/report/repair_report.h"

namespace tidemill::books {

[[nodiscard]] BookReport judge_pdf(int fd);

// Rewrites the PDF into `out`. The fate is `planned` if the result has fewer errors, breaks no
// other rules of severity warning or above, and loses no pages.
[[nodiscard]] RepairReport repair_pdf(int fd, int out);

}  // namespace tidemill::books
