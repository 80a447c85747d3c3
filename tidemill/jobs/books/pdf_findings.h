// A PDF judged by tidemill/pdf, as a report with rules of ours.
#pragma once

#include "tidemill/jobs/books/book_report.h"
#include "tidemill/jobs/books/repair_report.h"

namespace tidemill::books {

[[nodiscard]] BookReport judge_pdf(int fd);

// Written anew into `out`; its fate is planned when that has fewer errors, none that was not there
// before, and no page less.
[[nodiscard]] RepairReport mend_pdf(int fd, int out);

}  // namespace tidemill::books
