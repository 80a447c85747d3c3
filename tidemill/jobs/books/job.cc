#include "tidemill/jobs/books/job.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "tidemill/base/try.h"
#include "tidemill/formats/text/printable.h"
#include "tidemill/io/files/output_file.h"
#include "tidemill/jobs/books/check.h"
#include "tidemill/jobs/books/inquiry.h"
#include "tidemill/jobs/books/repair/repair.h"
#include "tidemill/jobs/books/rules_verb.h"
#include "tidemill/ui/cli/exit_code.h"
#include "tidemill/ui/cli/nothing_matched.h"
#include "tidemill/ui/cli/recorded.h"
#include "tidemill/ui/cli/share_folder.h"
#include "tidemill/ui/cli/state_place.h"
#include "tidemill/ui/cli/vigil.h"
#include "tidemill/ui/command/usage.h"

namespace tidemill::books {
namespace {

using command::Tone;

std::string_view name_of(Checker checker) {
  switch (checker) {
    case Checker::tidemill:
      return "tidemill";
    case Checker::epubcheck:
      return "EPUBCheck";
    case Checker::both:
      return "tidemill and EPUBCheck";
  }
  return "";
}

std::unique_ptr<ReportWriter> writer_for(const CheckOptions& options, const cli::Desk& desk) {
  switch (options.report) {
    case Report::json:
      return json_report();
    case Report::jsonl:
      return jsonl_report();
    case Report::markdown:
      return markdown_report();
    case Report::html:
      return html_report();
    case Report::junit:
      return junit_report();
    case Report::sarif:
      return sarif_report();
    case Report::text:
      break;
  }
  return text_report({.has_colour = options.output.empty() && desk.has_colour_out,
                      .by_rule = options.by_rule,
                      .has_sums = !desk.is_quiet || !options.output.empty()});
}

// A report in a file, when one was named.
class ReportFile {
 public:
  explicit ReportFile(std::string path) : path_(std::move(path)) {}

  Result<void> open() {
    if (path_.empty()) return {};
    auto begun = files::OutputFile::begin(path_);
    if (!begun) return std::unexpected(of_report(std::move(begun).error()));
    file_.emplace(*std::move(begun));
    return {};
  }
  Result<void> write(std::string_view text) {
    return file_ ? told(file_->write(text)) : Result<void>();
  }
  Result<void> keep() { return file_ ? told(file_->keep()) : Result<void>(); }
  [[nodiscard]] bool is_wanted() const { return !path_.empty(); }

 private:
  static Failure of_report(Failure failure) {
    failure.step = "report";
    return failure;
  }
  static Result<void> told(Result<void> done) {
    return done ? done : std::unexpected(of_report(std::move(done).error()));
  }

  const std::string path_;
  std::optional<files::OutputFile> file_;
};

// The usual place of a shelf, when none was named. What another user may have written is no shelf
// of ours: it says which books need not be read.
Result<void> place_shelf(std::string& shelf, bool has_shelf, std::string_view name,
                         const cli::Desk& desk) {
  if (!has_shelf) return {};
  if (!shelf.empty()) return cli::demand_own_file(shelf, "cache");
  LET(shelf, cli::file_in_state(desk.state, name, "cache", "--no-cache"));
  return {};
}

cli::Selection selection_of(const WorkOptions& options) {
  cli::Selection selection{.roots = options.roots,
                           .wanted = {.globs = options.globs,
                                      .excludes = options.excludes,
                                      .hidden = !options.no_hidden},
                           .list = options.files_from,
                           .is_empty_allowed = options.allow_empty};
  if (options.globs.empty()) {
    selection.wanted.globs = usual_globs();
    selection.globs = "the patterns *.epub and *.pdf";
  }
  return selection;
}

// A run that ended before its time: stopped by the user, or by a failure.
Result<int> ended_early(const Failure& failure, cli::Vigil& vigil, const std::string& comfort) {
  if (failure.cure != Cure::resume || vigil.signals.first() == 0) return std::unexpected(failure);
  vigil.console.say(Tone::warning, "Stopped. " + comfort);
  return cli::exit_code_of(vigil.signals.first());
}

Result<int> check_books(const CheckOptions& options, sandbox::Nursery& nursery,
                        const std::optional<EpubcheckPlace>& epubcheck, command::Context& context,
                        const cli::Recording& recording, cli::Desk& desk, cli::Vigil& vigil) {
  ReportFile file(options.output);
  TRY(file.open());
  const Out out = [&](std::string_view text) {
    return file.is_wanted() ? file.write(text) : desk.console->out(text);
  };
  const auto writer = writer_for(options, desk);
  const Heading heading{.version = desk.program.version,
                        .checker = std::string(name_of(options.checker)),
                        .roots = options.work.roots};
  const auto totals = check(options, nursery, epubcheck, heading, *writer, out, context);
  if (!totals) {
    return ended_early(totals.error(), vigil,
                       options.has_shelf ? "Results so far are cached: " + recording.way_on() +
                                               " continues from there."
                                         : recording.way_on() + " starts over.");
  }
  TRY(file.keep());
  if (totals->found == 0) {
    return cli::nothing_matched(selection_of(options.work), desk, context.stop);
  }
  return totals->fails && !options.never_fail ? cli::kSomeFailed : cli::kDone;
}

Result<int> run_books_check(cli::Desk& desk) {
  LET(auto options, check_options_of(desk.values));
  TRY(place_shelf(options.shelf, options.has_shelf, "books.shelf", desk));
  std::optional<EpubcheckPlace> epubcheck;
  if (options.checker != Checker::tidemill) {
    LET(epubcheck, find_epubcheck(options.epubcheck, cli::share_folder()));
  }
  LET(const auto nursery, start_nursery(options.work));  // before there is a second thread
  cli::Vigil vigil(desk, {.good = "valid", .bad = "invalid", .failed = "failed"});
  LET(const auto log, cli::log_for(desk));
  command::Context context = vigil.context(desk, *log);
  return cli::recorded(desk, vigil.console, "books-check", [&](const cli::Recording& recording) {
    return check_books(options, *nursery, epubcheck, context, recording, desk, vigil);
  });
}

Result<int> repair_books(const RepairOptions& options, sandbox::Nursery& nursery,
                         command::Context& context, const cli::Recording& recording,
                         cli::Desk& desk, cli::Vigil& vigil) {
  const Out out = [&](std::string_view text) { return desk.console->out(text); };
  const bool is_for_people = !options.has_json && !options.has_lines;
  const auto writer = is_for_people ? repair_text({.has_colour = desk.has_colour_out,
                                                   .has_diffs = options.has_diffs,
                                                   .applies = options.apply,
                                                   .has_sums = !desk.is_quiet,
                                                   .has_declined = options.shows_declined})
                                    : repair_json(options.has_lines);
  const Heading heading{.version = desk.program.version, .roots = options.work.roots};
  const auto totals = repair(options, nursery, heading, *writer, out, context);
  if (!totals) {
    return ended_early(totals.error(), vigil,
                       "Repaired books are kept, and no book is half written: " +
                           recording.way_on() + " continues.");
  }
  if (totals->found == 0) {
    return cli::nothing_matched(selection_of(options.work), desk, context.stop);
  }
  return totals->left == 0 ? cli::kDone : cli::kSomeFailed;
}

Result<int> run_books_repair(cli::Desk& desk) {
  LET(auto options, repair_options_of(desk.values));
  TRY(place_shelf(options.shelf, options.has_shelf, "repairs.shelf", desk));
  LET(const auto nursery, start_nursery(options.work));  // before there is a second thread
  cli::Vigil vigil(desk, {.good = "ok", .bad = "skipped", .failed = "failed"});
  LET(const auto log, cli::log_for(desk));
  command::Context context = vigil.context(desk, *log);
  return cli::recorded(desk, vigil.console, "books-repair", [&](const cli::Recording& recording) {
    return repair_books(options, *nursery, context, recording, desk, vigil);
  });
}

command::Verb describe_books() {
  command::Verb verb{
      .name = "books",
      .summary = "check and repair e-books",
      .usage = {"tidemill books check|repair PATH... [OPTIONS]", "tidemill books rules [ID...]"},
      .examples = {{"tidemill books check library", "check every EPUB and PDF in a folder"},
                   {"tidemill books repair library", "show what can be repaired; change nothing"},
                   {"tidemill books repair library --apply --output repaired",
                    "write repaired copies to another folder"}},
      .description = {"Checks and repairs EPUBs and PDFs in parallel. Each book is read in a "
                      "sandboxed process."},
  };
  verb.below.push_back(check_verb());
  verb.below.push_back(repair_verb());
  verb.below.push_back(describe_books_rules());
  return verb;
}

class BooksJob final : public jobs::Job {
 public:
  [[nodiscard]] command::Verb verb() const override { return describe_books(); }

  [[nodiscard]] Result<int> run(cli::Desk& desk) const override {
    if (desk.values.verb == "books check") return run_books_check(desk);
    if (desk.values.verb == "books repair") return run_books_repair(desk);
    if (desk.values.verb == "books rules") return run_books_rules(desk);
    return command::misuse("no verb given",
                           "use check, repair or rules; see 'tidemill books --help'");
  }
};

}  // namespace

const jobs::Job& job() {
  static const BooksJob kJob;
  return kJob;
}

}  // namespace tidemill::books
