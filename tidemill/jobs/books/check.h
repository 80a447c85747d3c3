// books check: the job as a whole.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "tidemill/base/result.h"
#include "tidemill/io/sandbox/nursery.h"
#include "tidemill/jobs/books/judge/epubcheck.h"
#include "tidemill/jobs/books/options.h"
#include "tidemill/jobs/books/report/report_writer.h"
#include "tidemill/ui/command/context.h"

namespace tidemill::books {

// The process that forks cells. To be started by the main thread before there is another one.
[[nodiscard]] Result<std::unique_ptr<sandbox::Nursery>> start_nursery(const WorkOptions& options);

// Where a report goes, piece by piece.
using Out = std::function<Result<void>(std::string_view)>;

// `epubcheck` must be there when options.checker asks for it. Checks, and writes the report when
// all is settled (a line a book as it is settled, for lines). Fails with Cure::resume when it was
// stopped: what was checked is on the shelf.
[[nodiscard]] Result<Totals> check(const CheckOptions& options, const sandbox::Nursery& nursery,
                                   const std::optional<EpubcheckPlace>& epubcheck,
                                   const Heading& heading, ReportWriter& writer, const Out& out,
                                   command::Context& context);

}  // namespace tidemill::books
