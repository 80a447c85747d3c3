// The files of this job, in the order in which a book meets them:
//   options, verb        what was asked
//   inquiry              books are found, judged by workers, put on the shelf
//   judge, pdf_findings  what a cell does with a book; formats/epub and formats/pdf do the rest
//   book_report, wire    what it answers
//   filter, report_*     what is shown of it
#include "tidemill/jobs/books/check.h"

#include <memory>
#include <utility>
#include <vector>

#include "tidemill/base/try.h"
#include "tidemill/jobs/books/inquiry.h"
#include "tidemill/jobs/books/judge/judge.h"
#include "tidemill/jobs/books/report/settled_item.h"

namespace tidemill::books {
namespace {

// The judges of a run: a cell for each worker, and a warm EPUBCheck where it is asked.
class Bench {
 public:
  Bench(const CheckOptions& options, const sandbox::Nursery& nursery,
        const std::optional<EpubcheckPlace>& epubcheck)
      : options_(options), cells_(nursery, options.work.workers) {
    for (std::size_t at = 0; epubcheck && at < options.work.workers; ++at) {
      warm_.push_back(std::make_unique<WarmEpubcheck>(*epubcheck, options.work.roots));
    }
  }

  Result<Inquiry::Judged> judge(const Inquiry::Case& book, engine::TaskContext& task) {
    LET(const BookReport report, asked(book, task));
    LET(const FileStamp after, stamp_behind(book.file));
    if (after != book.stamp) return unread("it changed while it was read");
    return Inquiry::Judged{.report = encoded(report), .stamp = after};
  }

 private:
  // Ours always reads the book first: it tells EPUBs from PDFs, and what is hostile from what is
  // not.
  Result<BookReport> asked(const Inquiry::Case& book, engine::TaskContext& task) {
    LET(BookReport ours, ask_cell(book, task));
    if (options_.checker == Checker::tidemill || ours.format == Format::pdf || ours.is_errored) {
      return ours;
    }
    auto theirs = warm_.at(task.worker())
                      ->ask(book.path, options_.work.profile, options_.work.timeout, task.stop());
    if (!theirs && theirs.error().cure == Cure::resume) return task.stopped();
    if (!theirs) return std::unexpected(std::move(theirs).error());
    if (options_.checker == Checker::both) {
      ours.second = *std::move(theirs);
      return ours;
    }
    BookReport report{.format = ours.format, .title = ours.title};
    for (epub::Finding& one : *theirs) report.add(std::move(one));
    return report;
  }

  Result<BookReport> ask_cell(const Inquiry::Case& book, engine::TaskContext& task) {
    const JudgeRequest request{.name = book.path, .profile = options_.work.profile};
    LET(const std::string bytes, answer_in(cells_.ask(encoded(request), std::span(&book.file, 1),
                                                      options_.work.timeout, task),
                                           task));
    auto report = decoded(bytes);
    if (!report) return fail_as("TIDE-003", "its report cannot be read");
    return *std::move(report);
  }

  const CheckOptions& options_;
  Cells cells_;
  std::vector<std::unique_ptr<WarmEpubcheck>> warm_;
};

// Everything a report depends on besides the book itself.
std::string way_of(const CheckOptions& options, const std::optional<EpubcheckPlace>& epubcheck) {
  return "rules " + std::to_string(epub::kRuleSet) + " profile " +
         std::to_string(static_cast<int>(options.work.profile)) + " checker " +
         std::to_string(static_cast<int>(options.checker)) +
         (epubcheck ? " " + epubcheck->identity : "");
}

Result<Totals> write_report(const CheckOptions& options, Shelf& shelf, const Heading& heading,
                            ReportWriter& writer, const Out& out) {
  Totals totals;
  const bool is_written = options.report == Report::jsonl;  // as they were settled
  Result<void> written = is_written ? Result<void>() : out(writer.begin(heading));
  TRY(written);
  TRY(shelf.each_seen([&](std::string_view path, std::string_view bytes) {
    const auto report = decoded(bytes);
    if (!report) return true;  // put there by this run: cannot be
    const Shown shown = options.filter.look(path, *report);
    totals.add(shown, options.fail_on);
    if (!is_written) written = out(writer.book(shown));
    return written.has_value();
  }));
  TRY(written);
  return totals;
}

}  // namespace

Result<std::unique_ptr<sandbox::Nursery>> start_nursery(const WorkOptions& options) {
  warm_up();
  return sandbox::Nursery::start(serve, {.memory = options.memory, .cpu = options.timeout});
}

Result<Totals> check(const CheckOptions& options, const sandbox::Nursery& nursery,
                     const std::optional<EpubcheckPlace>& epubcheck, const Heading& heading,
                     ReportWriter& writer, const Out& out, command::Context& context) {
  const Instant began = context.clock.now();
  Bench bench(options, nursery, epubcheck);
  const bool has_lines = options.report == Report::jsonl;
  const auto on_book = [&](std::string_view path, std::string_view bytes) -> Result<void> {
    const auto report = decoded(bytes);
    if (!report) return {};
    const Shown shown = options.filter.look(path, *report);
    if (context.console.wants_items()) context.console.settled(settled_item(shown));
    return has_lines ? out(writer.book(shown)) : Result<void>();
  };
  LET(const auto inquiry,
      Inquiry::make(
          {.options = options.work,
           .shelf = options.has_shelf ? options.shelf : "",
           .asked = way_of(options, epubcheck),
           .again = options.again,
           .judge = [&](const Inquiry::Case& book,
                        engine::TaskContext& task) { return bench.judge(book, task); },
           .report_of_failure =
               [](const Failure& failure) { return encoded(errored_report(failure)); },
           .on_book =
               has_lines || context.console.wants_items() ? Inquiry::OnBook(on_book) : nullptr},
          context));
  if (has_lines) TRY(out(writer.begin(heading)));
  LET(const engine::FlowCounts counts, inquiry->run());
  LET(Totals totals, write_report(options, inquiry->shelf(), heading, writer, out));
  totals.unchanged = counts.skipped;
  totals.elapsed = context.clock.now() - began;
  TRY(out(writer.end(totals)));
  return totals;
}

}  // namespace tidemill::books
