#include "tidemill/jobs/dupes/job.h"

#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <limits>
#include <memory>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "tidemill/base/system_text.h"
#include "tidemill/base/try.h"
#include "tidemill/formats/text/counted.h"
#include "tidemill/formats/text/printable.h"
#include "tidemill/formats/text/quantity.h"
#include "tidemill/io/files/output_file.h"
#include "tidemill/jobs/dupes/act/plan_step.h"
#include "tidemill/jobs/dupes/act/text.h"
#include "tidemill/jobs/dupes/act/work.h"
#include "tidemill/jobs/dupes/options.h"
#include "tidemill/jobs/dupes/report/folders.h"
#include "tidemill/jobs/dupes/report/overlap.h"
#include "tidemill/jobs/dupes/report/parts.h"
#include "tidemill/jobs/dupes/report/report_json.h"
#include "tidemill/jobs/dupes/report/report_lines.h"
#include "tidemill/jobs/dupes/report/report_text.h"
#include "tidemill/jobs/dupes/scan/foreign.h"
#include "tidemill/jobs/dupes/scan/search.h"
#include "tidemill/state/catalogue/catalogue.h"
#include "tidemill/state/history/part_builder.h"
#include "tidemill/ui/cli/exit_code.h"
#include "tidemill/ui/cli/nothing_matched.h"
#include "tidemill/ui/cli/recorded.h"
#include "tidemill/ui/cli/signal_scope.h"
#include "tidemill/ui/cli/state_place.h"

namespace tidemill::dupes {
namespace {

using command::Tone;

constexpr std::size_t kFailuresShown = 10;

std::unique_ptr<Reporter> reporter_for(const DupesOptions& options, cli::CliContext& cli) {
  const TextSink sink = [&cli](std::string_view text) { return cli.console->out(text); };
  // Unique files are written as a plain list of names, for people too.
  if (options.report == DupesOutput::text && options.uniques) {
    return std::make_unique<LinesReport>(sink, cli.is_out_tty);
  }
  switch (options.report) {
    case DupesOutput::json:
    case DupesOutput::jsonl:
      return std::make_unique<JsonReport>(
          sink, JsonForm{.has_lines = options.report == DupesOutput::jsonl,
                         .has_uniques = options.uniques,
                         .has_folders = options.folders});
    case DupesOutput::csv:
      return std::make_unique<CsvReport>(sink);
    case DupesOutput::fdupes:
      return std::make_unique<LinesReport>(sink, cli.is_out_tty);
    case DupesOutput::text:
      break;
  }
  return std::make_unique<TextReport>(
      sink,
      TextStyle{.has_weight = cli.has_colour_out, .has_totals = !cli.is_quiet, .top = options.top});
}

Result<void> store_file(const std::string& path, std::string_view text) {
  auto stored = files::write_file(path, text);
  if (!stored) stored.error().step = "wanted";
  return stored;
}

// A search may take hours, so errors that would end it are checked first. A missing root may be a
// disk that is not mounted.
Result<void> check_places(const DupesOptions& options) {
  for (const auto* roots : {&options.roots, &options.references}) {
    for (const std::string& root : *roots) {
      if (::access(root.c_str(), F_OK) == 0 || errno != ENOENT) continue;
      return std::unexpected(
          Failure{.cure = Cure::give_up,
                  .step = text::printable(root),
                  .reason = system_text(ENOENT),
                  .hint = "check the path and that its disk is mounted; nothing was read"});
    }
  }
  if (const std::string& list = options.files_from; !list.empty() && list != "-") {
    if (::access(list.c_str(), R_OK) != 0) {
      return fail(Cure::give_up, text::printable(list), system_text(errno));
    }
  }
  for (const std::string& path : options.with) {
    auto other = catalogue::Catalogue::open(path, catalogue::Catalogue::Access::read);
    if (other) continue;
    Failure failure = std::move(other).error();
    failure.hint = "use a file written by tidemill catalogue export";
    return std::unexpected(std::move(failure));
  }
  if (options.wanted.empty()) return {};
  const auto folder = std::filesystem::path(options.wanted).parent_path();
  if (::access(folder.empty() ? "." : folder.c_str(), W_OK) == 0) return {};
  return fail(Cure::give_up, "wanted", text::printable(options.wanted) + ": " + system_text(errno));
}

// The mount point of a disk that is not mounted exists and is empty.
void tell_empty_roots(const DupesOptions& options, command::Console& console) {
  for (const auto* roots : {&options.roots, &options.references}) {
    for (const std::string& root : *roots) {
      std::error_code wrong;
      if (!std::filesystem::is_directory(root, wrong)) continue;
      if (!std::filesystem::is_empty(root, wrong) || wrong) continue;
      console.say(Tone::warning,
                  text::printable(root) + ": the folder is empty; check that its disk is mounted");
    }
  }
}

// Adds a hint for a catalogue that cannot be used.
std::unexpected<Failure> with_way_out(Failure failure) {
  const bool is_catalogues =
      failure.kind == FailureKind::database || failure.kind == FailureKind::busy;
  if (is_catalogues && failure.hint.empty()) {
    failure.hint = "use another catalogue with --catalogue FILE, or none with --no-catalogue";
  }
  return std::unexpected(std::move(failure));
}

// Prints the first failures for people; the machine formats contain all.
void tell_failures(const Search& search, command::Console& console) {
  const auto failures = search.failures().list();
  for (std::size_t i = 0; i < failures.size() && i < kFailuresShown; ++i) {
    console.say(Tone::warning,
                text::printable(failures[i].path) + ": " + text_of(failures[i].failure));
  }
  if (failures.size() <= kFailuresShown) return;
  console.say(Tone::warning, "... and " + text::count_text(failures.size() - kFailuresShown) +
                                 " more failures; --json lists all of them");
}

Result<void> write_folders(const DupesOptions& options, const Search& search, Reporter& report,
                           command::Console& console) {
  const Folders folders = search.folders();
  for (const SameFolders& same : folders.same()) TRY(report.same_folders(folders, same));
  const Overlaps overlaps = overlaps_of(folders, options.least_overlap);
  for (const Overlap& overlap : overlaps.pairs) {
    TRY(report.overlap(folders, overlap));
  }
  if (overlaps.left_out > 0) {
    console.say(Tone::warning, text::count_text(overlaps.left_out) +
                                   " overlapping pairs of folders with fewer bytes in common are "
                                   "not listed.");
  }
  return {};
}

Result<void> write_report(const DupesOptions& options, Search& search, Reporter& report,
                          command::Console& console) {
  TRY(report.begin(options.uniques ? 0 : search.groups().size()));
  Result<void> written;
  if (options.uniques) {
    written = search.each_unique([&](const Copy& file) { return report.unique(file); });
  } else {
    TRY(search.groups().each([&](const Group& group) {
      written = report.group(group);
      return written.has_value() && report.wants_groups();
    }));
  }
  TRY(written);
  if (options.folders) TRY(write_folders(options, search, report, console));
  for (const FileFailure& failed : search.failures().list()) {
    TRY(report.failure(failed));
  }
  return report.end(search.totals());
}

// Writes the list of files that other hosts must hash.
Result<void> write_wanted(const DupesOptions& options, Search& search, command::Console& console) {
  if (search.wanted().empty()) return {};
  const bool is_one = search.wanted().size() == 1;
  console.say(Tone::warning,
              text::count_text(search.wanted().size()) +
                  (is_one ? " file of another host has the same size as another file"
                          : " files of other hosts have the same size as another file") +
                  " but no hash yet." +
                  (options.wanted.empty() ? " Use --wanted FILE to write a list of them." : ""));
  if (options.wanted.empty()) return {};
  std::string text(kWantedHeading);
  for (const FileIndex index : search.wanted()) {
    const Copy file = search.copy_of(index);
    text += wanted_line({.host = file.host,
                         .algorithm = std::string(name_of(options.algorithm)),
                         .size = file.stamp.size,
                         .path = file.names.front().path});
  }
  TRY(store_file(options.wanted, text));
  console.say(Tone::plain, "On each of these hosts, run: tidemill catalogue hash --wanted " +
                               text::printable(options.wanted));
  return {};
}

std::string limits_of(const DupesOptions& options) {
  std::string flags;
  const auto add = [&](bool is_set, std::string_view flag) {
    if (is_set) flags += (flags.empty() ? "" : " and ") + std::string(flag);
  };
  add(options.least_size > 0, "--min-size");
  add(options.most_size < std::numeric_limits<std::uint64_t>::max(), "--max-size");
  add(options.newer_than_ns.has_value(), "--newer-than");
  add(options.older_than_ns.has_value(), "--older-than");
  add(options.one_device, "--one-file-system");
  return flags;
}

cli::Selection selection_of(const DupesOptions& options) {
  if (!options.files_from.empty()) {
    return {.list = options.files_from, .is_empty_allowed = options.allow_empty};
  }
  cli::Selection selection{.roots = options.roots,
                           .wanted = {.globs = options.globs,
                                      .excludes = options.excludes,
                                      .hidden = !options.no_hidden},
                           .limits = limits_of(options),
                           .is_empty_allowed = options.allow_empty};
  if (options.ignore_rules) selection.wanted.ignore_files = {".gitignore", ".ignore"};
  selection.roots.insert(selection.roots.end(), options.references.begin(),
                         options.references.end());
  return selection;
}

// Every name of the list was skipped.
int all_skipped(const DupesOptions& options, std::uint64_t skipped, cli::CliContext& cli) {
  const std::string text =
      "Nothing matched: " + text::counted(skipped, "listed name") + " skipped.";
  if (options.allow_empty) {
    cli.console->say(Tone::plain, text);
    return cli::kDone;
  }
  cli.console->say(Tone::bad, text + "\n  hint: if this is expected, add --allow-empty");
  return cli::kFailed;
}

Result<int> report_nothing(const DupesOptions& options, Search& search, cli::CliContext& cli,
                           const std::stop_token& stop) {
  const bool is_text = options.report == DupesOutput::text;
  if (!is_text) TRY(write_report(options, search, *reporter_for(options, cli), *cli.console));
  tell_empty_roots(options, *cli.console);
  const std::uint64_t skipped = search.totals().skipped;
  if (!options.files_from.empty() && skipped > 0) return all_skipped(options, skipped, cli);
  return cli::nothing_matched(selection_of(options), cli, stop);
}

Result<int> report_on(const DupesOptions& options, Search& search, cli::CliContext& cli) {
  const auto report = reporter_for(options, cli);
  TRY(write_report(options, search, *report, *cli.console));
  if (const auto* lines = dynamic_cast<const LinesReport*>(report.get());
      lines != nullptr && lines->left_out() > 0) {
    cli.console->say(Tone::warning, "Names that contain newlines cannot be listed; skipped: " +
                                        text::count_text(lines->left_out()) +
                                        ". Use --json to see them.");
  }
  if (options.report == DupesOutput::text && options.uniques) {
    cli.console->say(Tone::plain, totals_text(search.totals()));
  }
  tell_failures(search, *cli.console);
  tell_empty_roots(options, *cli.console);
  TRY(write_wanted(options, search, *cli.console));
  return search.failures().count() > 0 ? cli::kSomeFailed : cli::kDone;
}

Result<void> place_catalogue(DupesOptions& options, const cli::CliContext& cli) {
  if (!options.has_catalogue) return {};
  if (!options.catalogue.empty()) return cli::demand_own_catalogue(options.catalogue, cli);
  LET(options.catalogue,
      cli::file_in_state(cli.state, cli::kCatalogueName, "catalogue", "--no-catalogue"));
  return {};
}

// Files of a list are not recorded in the catalogue, and a list from a pipe cannot be read again.
std::string continuation(const DupesOptions& options, const cli::Recording& recording) {
  if (options.files_from == "-") return "Run the command again, with the list.";
  if (!options.has_catalogue || !options.files_from.empty()) {
    return recording.resume_command() + " starts the scan again.";
  }
  return "The hashes so far are cached; " + recording.resume_command() + " continues the scan.";
}

// For the report and the pages of this search.
void keep_history(const DupesOptions& options, Search& search, history::Store* store) {
  if (store == nullptr) return;
  std::vector<std::string> roots;
  if (options.files_from.empty()) {
    roots = options.roots;
    roots.insert(roots.end(), options.references.begin(), options.references.end());
  }
  FolderShares shares(std::move(roots));
  // The report reads the groups too, and says why it cannot.
  (void)search.groups().each([&](const Group& group) { return shares.add(group); });
  history::keep_parts(store, {part_by_size(search.totals().by_size), shares.part()});
}

Result<int> search_and_act(const DupesOptions& options, command::Context& context,
                           cli::Recording& recording, cli::CliContext& cli,
                           cli::SignalScope& signal_scope) {
  auto made = Search::make(options, context);
  if (!made) return with_way_out(std::move(made).error());
  const auto& search = *made;
  if (auto done = search->run(); !done) {
    if (done.error().cure != Cure::resume) return with_way_out(std::move(done).error());
    signal_scope.console.say(Tone::warning, "Interrupted. " + continuation(options, recording));
    return cli::exit_code_of(signal_scope.signals.first());
  }
  if (search->totals().has_matched_nothing()) {
    return report_nothing(options, *search, cli, context.stop);
  }
  keep_history(options, *search, context.history);
  if (options.action == Action::none) return report_on(options, *search, cli);
  tell_failures(*search, *cli.console);
  tell_empty_roots(options, *cli.console);
  LET(const int code, act_on(search->groups(), options, cli, signal_scope, context, recording));
  return code == cli::kDone && search->failures().count() > 0 ? cli::kSomeFailed : code;
}

class DupesJob final : public jobs::Job {
 public:
  [[nodiscard]] command::Verb verb() const override { return dupes::verb(); }

  [[nodiscard]] Result<int> run(cli::CliContext& cli) const override {
    LET(auto options, options_of(cli.values, cli.clock.wall()));
    TRY(check_places(options));
    if (auto placed = place_catalogue(options, cli); !placed) {
      return with_way_out(std::move(placed).error());
    }
    cli::SignalScope signal_scope(cli, step_words());
    LET(const auto log, cli::log_for(cli));
    command::Context context = signal_scope.context(cli, *log);
    return cli::recorded(cli, signal_scope.console, "dupes-scan", [&](cli::Recording& recording) {
      context.history = recording.history();
      return search_and_act(options, context, recording, cli, signal_scope);
    });
  }

  // The steps and their options are in the journal: only the report format can change.
  [[nodiscard]] bool takes(std::string_view flag) const override {
    return flag == "json" || flag == "jsonl";
  }

  [[nodiscard]] Result<jobs::Continuation> resume(const command::Values& values,
                                                  cli::CliContext& cli) const override {
    return [values, &cli](run::Run& run, const auto& /*only*/, cli::SignalScope& signal_scope) {
      return resume_dupes(run, values, cli, signal_scope);
    };
  }

  [[nodiscard]] std::optional<jobs::UndoHelp> undo_help() const override {
    return jobs::UndoHelp{.description = undo_description(),
                          .words = {.good = "undone", .bad = "skipped"}};
  }

  [[nodiscard]] Result<int> undo(run::Run& run, cli::CliContext& cli,
                                 cli::SignalScope& signal_scope) const override {
    return undo_dupes(run, cli, signal_scope);
  }

  [[nodiscard]] Result<std::vector<engine::TaskId>> undoable(
      const journal::SqliteJournal& journal) const override {
    return undoable_steps(journal);
  }

  [[nodiscard]] std::string outcome_text(const engine::TaskRecord& task) const override {
    const auto step = step_of(task.outcome);
    return step ? std::string(type_of(step->action)) + ", keeping " + step->kept.path
                : task.outcome;
  }

  [[nodiscard]] Result<std::vector<std::string>> leftovers(
      const cli::RunStatus& run_status) const override {
    return leftovers_text(run_status);
  }
};

}  // namespace

const jobs::Job& job() {
  static const DupesJob kJob;
  return kJob;
}

}  // namespace tidemill::dupes
