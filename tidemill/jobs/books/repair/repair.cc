// The files of this job, in the order in which a book meets them:
//   repair_options   what was asked
//   inquiry          books are found and handed to workers, reports go to the shelf
//   workbench        one book: the cell mends it, the new file is put in its place (io/files)
//   judge            what the cell does; formats/epub/repair/mend.h and formats/pdf do the rest
//   repair_text, repair_json   what is shown
#include "tidemill/jobs/books/repair/repair.h"

#include <unistd.h>

#include <set>
#include <utility>

#include "tidemill/base/try.h"
#include "tidemill/jobs/books/inquiry.h"
#include "tidemill/jobs/books/repair/workbench.h"
#include "tidemill/jobs/books/report/settled_item.h"

namespace tidemill::books {
namespace {

std::string list_of(const std::set<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += " " + name;
  return text;
}

// Everything that decides what becomes of a book.
std::string way_of(const RepairOptions& options) {
  return "repair, rules " + std::to_string(epub::kRuleSet) + " tier " +
         std::string(epub::name_of(options.tier)) + " fix" + list_of(options.asked) + " no-fix" +
         list_of(options.refused) + (options.apply ? " apply" : " plan") + " profile " +
         std::to_string(static_cast<int>(options.work.profile)) + " to " + options.output;
}

// A mended book in the output folder that was deleted since must be made again.
bool still_holds(std::string_view bytes) {
  const auto report = decoded_repair(bytes);
  if (!report) return false;
  return report->fate != Fate::mended || ::access(report->output.c_str(), F_OK) == 0;
}

std::string of_failure(const Failure& failure) {
  return encoded(RepairReport{
      .fate = Fate::errored, .reason = text_of(failure), .before = errored_report(failure)});
}

Result<RepairTotals> write_report(bool is_written, Shelf& shelf, const Heading& heading,
                                  RepairWriter& writer, const Out& out) {
  RepairTotals totals;
  Result<void> written = is_written ? Result<void>() : out(writer.begin(heading));
  TRY(written);
  TRY(shelf.each_seen([&](std::string_view path, std::string_view bytes) {
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
  const bool is_now_valid = report.is_better() && report.after.verdict() == Verdict::valid;
  if (is_now_valid) ++now_valid;
  if (!is_now_valid && report.fate != Fate::sound) ++left;
  if (!report.is_better()) return;
  std::set<std::string> names;
  for (const epub::Change& change : report.plan.changes) names.insert(change.name);
  for (const std::string& name : names) ++fixers[name];
}

std::uint64_t RepairTotals::count(Fate fate) const {
  const auto at = fates.find(fate);
  return at == fates.end() ? 0 : at->second;
}

Result<RepairTotals> repair(const RepairOptions& options, const sandbox::Nursery& nursery,
                            const Heading& heading, RepairWriter& writer, const Out& out,
                            command::Context& context) {
  const Instant began = context.clock.now();
  Workbench bench(options, nursery);
  const auto on_book = [&](std::string_view path, std::string_view bytes) -> Result<void> {
    const auto report = decoded_repair(bytes);
    if (!report) return {};
    if (context.console.wants_items()) context.console.settled(settled_item(path, *report));
    return options.has_lines ? out(writer.book(path, *report)) : Result<void>();
  };
  LET(const auto inquiry,
      Inquiry::make(
          {.options = options.work,
           .shelf = options.has_shelf ? options.shelf : "",
           .asked = way_of(options),
           .again = options.again,
           .writes = true,
           .judge = [&](const Inquiry::Case& book,
                        engine::TaskContext& task) { return bench.mend(book, task); },
           .report_of_failure = of_failure,
           .still_holds = still_holds,
           .on_book = options.has_lines || context.console.wants_items() ? Inquiry::OnBook(on_book)
                                                                         : nullptr},
          context));
  if (options.has_lines) TRY(out(writer.begin(heading)));
  LET(const engine::FlowCounts counts, inquiry->run());
  LET(RepairTotals totals, write_report(options.has_lines, inquiry->shelf(), heading, writer, out));
  totals.unchanged = counts.skipped;
  totals.elapsed = context.clock.now() - began;
  TRY(out(writer.end(totals)));
  return totals;
}

}  // namespace tidemill::books
