// The files of this job, in the order in which a book passes through them:
//   repair_options            the command line
//   book_scan, report_cache   finds books, distributes them to workers, caches the reports
//   book_repairer             one book: a sandbox repairs it, io/files puts the new file in place
//   judge                     runs in the sandbox, on top of formats/epub/repair and formats/pdf
//   repair_text, repair_json  the output
#include "tidemill/jobs/books/repair/repair.h"

#include <unistd.h>

#include <set>
#include <utility>

#include "tidemill/base/try.h"
#include "tidemill/jobs/books/book_scan.h"
#include "tidemill/jobs/books/repair/book_repairer.h"
#include "tidemill/jobs/books/report/settled_item.h"

namespace tidemill::books {
namespace {

std::string list_of(const std::set<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += " " + name;
  return text;
}

// Every setting that the result for a book depends on.
std::string cache_key_of(const RepairOptions& options) {
  return "repair, rules " + std::to_string(epub::kRuleSet) + " tier " +
         std::string(epub::name_of(options.tier)) + " fix" + list_of(options.asked) + " no-fix" +
         list_of(options.refused) + (options.apply ? " apply" : " plan") + " profile " +
         std::to_string(static_cast<int>(options.work.profile)) + " to " + options.output;
}

// A cached report does not hold if the repaired book in the output folder was deleted since.
bool still_holds(std::string_view bytes) {
  const auto report = decoded_repair(bytes);
  if (!report) return false;
  return report->fate != Fate::repaired || ::access(report->output.c_str(), F_OK) == 0;
}

std::string of_failure(const Failure& failure) {
  return encoded(RepairReport{
      .fate = Fate::errored, .reason = text_of(failure), .before = errored_report(failure)});
}

Result<RepairTotals> write_report(bool is_written, ReportCache& cache, const Heading& heading,
                                  RepairWriter& writer, const Out& out) {
  RepairTotals totals;
  Result<void> written = is_written ? Result<void>() : out(writer.begin(heading));
  TRY(written);
  TRY(cache.each_seen([&](std::string_view path, std::string_view bytes) {
    const auto report = decoded_repair(bytes);
    if (!report) return true;
    totals.add(*report);
    if (!is_written) written = out(writer.book(path, *report));
    return written.has_value();
  }));
  TRY(written);
  return totals;
}

}  // namespace

void RepairTotals::add(const RepairReport& report) {
  ++found;
  ++fates[report.fate];
  const bool is_now_valid = report.is_better() && report.after.status() == BookStatus::valid;
  if (is_now_valid) ++now_valid;
  if (!is_now_valid && report.fate != Fate::sound) ++left;
  if (!report.is_better()) return;
  std::set<std::string> names;
  std::set<epub::RuleId> repaired;
  for (const epub::Change& change : report.plan.changes) {
    names.insert(change.name);
    for (const epub::RuleId rule : change.repairs) {
      ++rules[rule].repairs;
      repaired.insert(rule);
    }
  }
  for (const std::string& name : names) ++fixers[name];
  for (const epub::RuleId rule : repaired) ++rules[rule].books;
}

std::uint64_t RepairTotals::count(Fate fate) const {
  const auto at = fates.find(fate);
  return at == fates.end() ? 0 : at->second;
}

Result<RepairTotals> repair(const RepairOptions& options, const sandbox::ForkServer& fork_server,
                            const Heading& heading, RepairWriter& writer, const Out& out,
                            command::Context& context) {
  const Instant began = context.clock.now();
  BookRepairer repairer(options, fork_server);
  const auto on_book = [&](std::string_view path, std::string_view bytes) -> Result<void> {
    const auto report = decoded_repair(bytes);
    if (!report) return {};
    if (context.console.wants_items()) context.console.settled(settled_item(path, *report));
    return options.has_lines ? out(writer.book(path, *report)) : Result<void>();
  };
  LET(const auto scan,
      BookScan::make(
          {.options = options.work,
           .cache = options.has_cache ? options.cache : "",
           .asked = cache_key_of(options),
           .again = options.again,
           .writes = true,
           .judge = [&](const BookScan::Case& book,
                        engine::TaskContext& task) { return repairer.repair(book, task); },
           .report_of_failure = of_failure,
           .still_holds = still_holds,
           .on_book = options.has_lines || context.console.wants_items() ? BookScan::OnBook(on_book)
                                                                         : nullptr},
          context));
  if (options.has_lines) TRY(out(writer.begin(heading)));
  LET(const engine::FlowCounts counts, scan->run());
  LET(RepairTotals totals, write_report(options.has_lines, scan->cache(), heading, writer, out));
  totals.unchanged = counts.skipped;
  totals.elapsed = context.clock.now() - began;
  TRY(out(writer.end(totals)));
  return totals;
}

}  // namespace tidemill::books
