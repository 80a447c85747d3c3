// A PDF judged by tidemill/formats/pdf, as a report with rules of ours.
#pragma once

#include "tidemill/jobs/books/report/book_report.h"
#include "tidemill/jobs/books/report/repair_report.h"

namespace tidemill::books {

[[nodiscard]] BookReport judge_pdf(int fd);

// Written anew into `out`; its fate is planned when that has fewer errors, none that was not there
// before, and no page less.
[[nodiscard]] RepairReport mend_pdf(int fd, int out);

}  // namespace tidemill::books
