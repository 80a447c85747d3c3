// The files of this job, in the order in which a book passes through them:
//   options, verb            the command line
//   book_scan, report_cache  finds books, distributes them to workers, caches the reports
//   judge, pdf_findings      runs in a sandbox, on top of formats/epub and formats/pdf
//   book_report, messages    the answer of the sandbox
//   filter, report_*         the output
#include "tidemill/jobs/books/check.h"

#include <memory>
#include <utility>
#include <vector>

#include "tidemill/base/try.h"
#include "tidemill/jobs/books/book_scan.h"
#include "tidemill/jobs/books/judge/judge.h"
#include "tidemill/jobs/books/report/settled_item.h"

namespace tidemill::books {
namespace {

// The checkers of a run: a sandbox per worker, and a warm EPUBCheck per worker if requested.
class Checkers {
 public:
  Checkers(const CheckOptions& options, const sandbox::ForkServer& fork_server,
           const std::optional<EpubcheckPlace>& epubcheck)
      : options_(options), sandboxes_(fork_server, options.work.workers) {
    for (std::size_t at = 0; epubcheck && at < options.work.workers; ++at) {
      warm_.push_back(std::make_unique<WarmEpubcheck>(*epubcheck, options.work.roots));
    }
  }

  Result<BookScan::Judged> judge(const BookScan::Case& book, engine::TaskContext& task) {
    LET(const BookReport report, asked(book, task));
    LET(const FileStamp after, stamp_behind(book.file));
    if (after != book.stamp) return unread("it changed while it was read");
    return BookScan::Judged{.report = encoded(report), .stamp = after};
  }

 private:
  // Our checker always reads the book first: it distinguishes EPUBs from PDFs, and books that break
  // the check never reach EPUBCheck.
  Result<BookReport> asked(const BookScan::Case& book, engine::TaskContext& task) {
    LET(BookReport ours, ask_sandbox(book, task));
    if (options_.checker == CheckerChoice::tidemill || ours.format == BookFormat::pdf ||
        ours.is_errored) {
      return ours;
    }
    auto theirs = warm_.at(task.worker())
                      ->ask(book.path, options_.work.profile, options_.work.timeout, task.stop());
    if (!theirs && theirs.error().cure == Cure::resume) return task.stopped();
    if (!theirs) return std::unexpected(std::move(theirs).error());
    if (options_.checker == CheckerChoice::both) {
      ours.second = *std::move(theirs);
      return ours;
    }
    BookReport report{.format = ours.format, .title = ours.title};
    for (epub::Finding& one : *theirs) report.add(std::move(one));
    return report;
  }

  Result<BookReport> ask_sandbox(const BookScan::Case& book, engine::TaskContext& task) {
    const JudgeRequest request{.name = book.path, .profile = options_.work.profile};
    LET(const std::string bytes,
        answer_in(
            sandboxes_.ask(encoded(request), std::span(&book.file, 1), options_.work.timeout, task),
            task));
    auto report = decoded(bytes);
    if (!report) return fail_as("TIDE-003", "its report cannot be read");
    return *std::move(report);
  }

  const CheckOptions& options_;
  Sandboxes sandboxes_;
  std::vector<std::unique_ptr<WarmEpubcheck>> warm_;
};

// Every setting that a report depends on besides the book itself.
std::string cache_key_of(const CheckOptions& options,
                         const std::optional<EpubcheckPlace>& epubcheck) {
  return "rules " + std::to_string(epub::kRuleSet) + " profile " +
         std::to_string(static_cast<int>(options.work.profile)) + " checker " +
         std::to_string(static_cast<int>(options.checker)) +
         (epubcheck ? " " + epubcheck->identity : "");
}

Result<BookTotals> write_report(const CheckOptions& options, ReportCache& cache,
                                const Heading& heading, ReportWriter& writer, const Out& out) {
  BookTotals totals;
  const bool is_written = options.report == BooksOutput::jsonl;  // as each book was settled
  Result<void> written = is_written ? Result<void>() : out(writer.begin(heading));
  TRY(written);
  TRY(cache.each_seen([&](std::string_view path, std::string_view bytes) {
    const auto report = decoded(bytes);
    if (!report) return true;  // cannot happen: this run has stored it
    const Shown shown = options.filter.look(path, *report);
    totals.add(shown, options.fail_on);
    if (!is_written) written = out(writer.book(shown));
    return written.has_value();
  }));
  TRY(written);
  return totals;
}

}  // namespace

Result<std::unique_ptr<sandbox::ForkServer>> start_fork_server(const WorkOptions& options) {
  warm_up();
  return sandbox::ForkServer::start(serve, {.memory = options.memory, .cpu = options.timeout});
}

Result<BookTotals> check(const CheckOptions& options, const sandbox::ForkServer& fork_server,
                         const std::optional<EpubcheckPlace>& epubcheck, const Heading& heading,
                         ReportWriter& writer, const Out& out, command::Context& context) {
  const Instant began = context.clock.now();
  Checkers checkers(options, fork_server, epubcheck);
  const bool has_lines = options.report == BooksOutput::jsonl;
  const auto on_book = [&](std::string_view path, std::string_view bytes) -> Result<void> {
    const auto report = decoded(bytes);
    if (!report) return {};
    const Shown shown = options.filter.look(path, *report);
    if (context.console.wants_items()) context.console.settled(settled_item(shown));
    return has_lines ? out(writer.book(shown)) : Result<void>();
  };
  LET(const auto scan,
      BookScan::make(
          {.options = options.work,
           .cache = options.has_cache ? options.cache : "",
           .asked = cache_key_of(options, epubcheck),
           .again = options.again,
           .judge = [&](const BookScan::Case& book,
                        engine::TaskContext& task) { return checkers.judge(book, task); },
           .report_of_failure =
               [](const Failure& failure) { return encoded(errored_report(failure)); },
           .on_book =
               has_lines || context.console.wants_items() ? BookScan::OnBook(on_book) : nullptr},
          context));
  if (has_lines) TRY(out(writer.begin(heading)));
  LET(const engine::FlowCounts counts, scan->run());
  LET(BookTotals totals, write_report(options, scan->cache(), heading, writer, out));
  totals.unchanged = counts.skipped;
  totals.elapsed = context.clock.now() - began;
  TRY(out(writer.end(totals)));
  return totals;
}

}  // namespace tidemill::books
