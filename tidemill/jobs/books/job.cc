#include "tidemill/jobs/books/job.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "tidemill/base/try.h"
#include "tidemill/formats/text/printable.h"
#include "tidemill/io/files/output_file.h"
#include "tidemill/jobs/books/book_scan.h"
#include "tidemill/jobs/books/check.h"
#include "tidemill/jobs/books/parts.h"
#include "tidemill/jobs/books/repair/repair.h"
#include "tidemill/jobs/books/rules_verb.h"
#include "tidemill/state/history/part_builder.h"
#include "tidemill/ui/cli/exit_code.h"
#include "tidemill/ui/cli/nothing_matched.h"
#include "tidemill/ui/cli/recorded.h"
#include "tidemill/ui/cli/share_folder.h"
#include "tidemill/ui/cli/signal_scope.h"
#include "tidemill/ui/cli/state_place.h"
#include "tidemill/ui/command/usage.h"

namespace tidemill::books {
namespace {

using command::Tone;

std::string_view name_of(CheckerChoice checker) {
  switch (checker) {
    case CheckerChoice::tidemill:
      return "tidemill";
    case CheckerChoice::epubcheck:
      return "EPUBCheck";
    case CheckerChoice::both:
      return "tidemill and EPUBCheck";
  }
  return "";
}

std::unique_ptr<ReportWriter> writer_for(const CheckOptions& options, const cli::CliContext& cli) {
  switch (options.report) {
    case BooksOutput::json:
      return json_report();
    case BooksOutput::jsonl:
      return jsonl_report();
    case BooksOutput::markdown:
      return markdown_report();
    case BooksOutput::html:
      return html_report();
    case BooksOutput::junit:
      return junit_report();
    case BooksOutput::sarif:
      return sarif_report();
    case BooksOutput::text:
      break;
  }
  return text_report({.has_colour = options.output.empty() && cli.has_colour_out,
                      .by_rule = options.by_rule,
                      .has_sums = !cli.is_quiet || !options.output.empty()});
}

// The report file, if --output names one.
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
    return file_ ? as_report_failure(file_->write(text)) : Result<void>();
  }
  Result<void> keep() { return file_ ? as_report_failure(file_->keep()) : Result<void>(); }
  [[nodiscard]] bool is_wanted() const { return !path_.empty(); }

 private:
  static Failure of_report(Failure failure) {
    failure.step = "report";
    return failure;
  }
  static Result<void> as_report_failure(Result<void> done) {
    return done ? done : std::unexpected(of_report(std::move(done).error()));
  }

  const std::string path_;
  std::optional<files::OutputFile> file_;
};

// Sets the default path of the cache if none was given. A file that another user could have written
// is refused: the cache decides which books are not read.
Result<void> place_cache(std::string& cache, bool has_cache, std::string_view name,
                         const cli::CliContext& cli) {
  if (!has_cache) return {};
  if (!cache.empty()) return cli::demand_own_file(cache, "cache");
  LET(cache, cli::file_in_state(cli.state, name, "cache", "--no-cache"));
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

// The exit code of a run that ended early: stopped by the user, or by a failure.
Result<int> ended_early(const Failure& failure, cli::SignalScope& signal_scope,
                        const std::string& comfort) {
  if (failure.cure != Cure::resume || signal_scope.signals.first() == 0)
    return std::unexpected(failure);
  signal_scope.console.say(Tone::warning, "Stopped. " + comfort);
  return cli::exit_code_of(signal_scope.signals.first());
}

Result<int> check_books(const CheckOptions& options, sandbox::ForkServer& fork_server,
                        const std::optional<EpubcheckPlace>& epubcheck, command::Context& context,
                        const cli::Recording& recording, cli::CliContext& cli,
                        cli::SignalScope& signal_scope) {
  ReportFile file(options.output);
  TRY(file.open());
  const Out out = [&](std::string_view text) {
    return file.is_wanted() ? file.write(text) : cli.console->out(text);
  };
  const auto writer = writer_for(options, cli);
  const Heading heading{.version = cli.program.version,
                        .checker = std::string(name_of(options.checker)),
                        .roots = options.work.roots};
  const auto totals = check(options, fork_server, epubcheck, heading, *writer, out, context);
  if (!totals) {
    return ended_early(
        totals.error(), signal_scope,
        options.has_cache
            ? "Results so far are cached: " + recording.resume_command() + " continues from there."
            : recording.resume_command() + " starts over.");
  }
  history::keep_parts(context.history, parts_of(*totals));
  TRY(file.keep());
  if (totals->found == 0) {
    return cli::nothing_matched(selection_of(options.work), cli, context.stop);
  }
  return totals->fails && !options.never_fail ? cli::kSomeFailed : cli::kDone;
}

Result<int> run_books_check(cli::CliContext& cli) {
  LET(auto options, check_options_of(cli.values));
  TRY(place_cache(options.cache, options.has_cache, "books.shelf", cli));
  std::optional<EpubcheckPlace> epubcheck;
  if (options.checker != CheckerChoice::tidemill) {
    LET(epubcheck, find_epubcheck(options.epubcheck, cli::share_folder()));
  }
  LET(const auto fork_server, start_fork_server(options.work));  // before there is a second thread
  cli::SignalScope signal_scope(cli, {.good = "valid", .bad = "invalid", .failed = "failed"});
  LET(const auto log, cli::log_for(cli));
  command::Context context = signal_scope.context(cli, *log);
  return cli::recorded(
      cli, signal_scope.console, "books-check", [&](const cli::Recording& recording) {
        context.history = recording.history();
        return check_books(options, *fork_server, epubcheck, context, recording, cli, signal_scope);
      });
}

Result<int> repair_books(const RepairOptions& options, sandbox::ForkServer& fork_server,
                         command::Context& context, const cli::Recording& recording,
                         cli::CliContext& cli, cli::SignalScope& signal_scope) {
  const Out out = [&](std::string_view text) { return cli.console->out(text); };
  const bool is_for_people = !options.has_json && !options.has_lines;
  const auto writer = is_for_people ? repair_text({.has_colour = cli.has_colour_out,
                                                   .has_diffs = options.has_diffs,
                                                   .applies = options.apply,
                                                   .has_sums = !cli.is_quiet,
                                                   .has_declined = options.shows_declined})
                                    : repair_json(options.has_lines);
  const Heading heading{.version = cli.program.version, .roots = options.work.roots};
  const auto totals = repair(options, fork_server, heading, *writer, out, context);
  if (!totals) {
    return ended_early(totals.error(), signal_scope,
                       "Repaired books are kept, and no book is half written: " +
                           recording.resume_command() + " continues.");
  }
  history::keep_parts(context.history, parts_of(*totals));
  if (totals->found == 0) {
    return cli::nothing_matched(selection_of(options.work), cli, context.stop);
  }
  return totals->left == 0 ? cli::kDone : cli::kSomeFailed;
}

Result<int> run_books_repair(cli::CliContext& cli) {
  LET(auto options, repair_options_of(cli.values));
  TRY(place_cache(options.cache, options.has_cache, "repairs.shelf", cli));
  LET(const auto fork_server, start_fork_server(options.work));  // before there is a second thread
  cli::SignalScope signal_scope(cli, {.good = "ok", .bad = "skipped", .failed = "failed"});
  LET(const auto log, cli::log_for(cli));
  command::Context context = signal_scope.context(cli, *log);
  return cli::recorded(
      cli, signal_scope.console, "books-repair", [&](const cli::Recording& recording) {
        context.history = recording.history();
        return repair_books(options, *fork_server, context, recording, cli, signal_scope);
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

  [[nodiscard]] Result<int> run(cli::CliContext& cli) const override {
    if (cli.values.verb == "books check") return run_books_check(cli);
    if (cli.values.verb == "books repair") return run_books_repair(cli);
    if (cli.values.verb == "books rules") return run_books_rules(cli);
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
