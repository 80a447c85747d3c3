// `books check`: finds books, checks them in sandboxes and writes a report.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "tidemill/base/result.h"
#include "tidemill/io/sandbox/fork_server.h"
#include "tidemill/jobs/books/judge/epubcheck.h"
#include "tidemill/jobs/books/options.h"
#include "tidemill/jobs/books/report/report_writer.h"
#include "tidemill/ui/command/context.h"

namespace tidemill::books {

// The process that forks sandboxes. Start it in the main thread, before any other thread exists.
[[nodiscard]] Result<std::unique_ptr<sandbox::ForkServer>> start_fork_server(
    const WorkOptions& options);

// Receives the report piece by piece.
using Out = std::function<Result<void>(std::string_view)>;

// Checks the books and writes the report at the end (with JSON lines, one line per book as it is
// settled). `epubcheck` must be set if options.checker needs it. Fails with Cure::resume when it
// was stopped: the reports so far are in the cache.
[[nodiscard]] Result<BookTotals> check(const CheckOptions& options,
                                       const sandbox::ForkServer& fork_server,
                                       const std::optional<EpubcheckPlace>& epubcheck,
                                       const Heading& heading, ReportWriter& writer, const Out& out,
                                       command::Context& context);

}  // namespace tidemill::books
