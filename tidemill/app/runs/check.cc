#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <iterator>
#include <optional>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include "tidemill/app/runs/verbs.h"
#include "tidemill/base/try.h"
#include "tidemill/formats/text/counted.h"
#include "tidemill/formats/text/json.h"
#include "tidemill/formats/text/printable.h"
#include "tidemill/formats/text/quantity.h"
#include "tidemill/state/run/run.h"
#include "tidemill/ui/cli/exit_code.h"
#include "tidemill/ui/cli/run_status.h"
#include "tidemill/ui/cli/run_text.h"
#include "tidemill/ui/command/usage.h"

namespace tidemill::app {
namespace {

namespace fs = std::filesystem;
using command::ValueKind;
using text::count_text;
using text::printable;

struct Spill {
  std::uint64_t files = 0;
  Bytes bytes{};
};

// Does not count files that disappear in the meantime: the run may be active.
Spill spill_of(const run::RunFolder& folder) {
  Spill spill;
  std::error_code wrong;
  for (fs::directory_iterator entry(folder.spill(), wrong);
       !wrong && entry != fs::directory_iterator(); entry.increment(wrong)) {
    std::error_code gone;
    const auto size =
        entry->symlink_status(gone).type() == fs::file_type::regular ? entry->file_size(gone) : 0;
    if (gone) continue;
    ++spill.files;
    spill.bytes += {size};
  }
  return spill;
}

// Does not open run::Run: that would record a crash, and the process that resumes the run would not
// report it.
Result<std::uint64_t> remove_orphans(const run::RunFolder& folder, const Clock& clock) {
  LET(const auto lock, run::RunLock::take(folder.lock(), clock.wall()));
  return journal::remove_orphaned_checkpoints(folder.journal());
}

// 0 if the journal cannot be read; that was reported already.
Result<std::size_t> lost_tasks(const run::RunFolder& folder) {
  LET(const auto in_flight, run::InFlightLog::read(folder.in_flight()));
  const auto journal = cli::open_to_read(folder);
  if (!journal) return 0;
  return run::count_unknown(**journal, in_flight).value_or(0);
}

struct RunInspection {
  cli::RunStatus run_status;
  bool has_in_flight = false;
  Spill spill{};
  std::vector<std::string> findings{};
};

Result<RunInspection> inspect(const run::RunFolder& folder, journal::Depth depth, const App& app) {
  std::vector<std::string> findings;
  if (!folder.is_record()) {
    LET(auto report, journal::check_journal(folder.journal(), depth));
    findings = std::move(report.findings);
  }
  RunInspection seen{.run_status = cli::run_status_at(folder), .findings = std::move(findings)};
  std::error_code wrong;
  seen.has_in_flight = fs::exists(fs::symlink_status(folder.in_flight(), wrong));
  seen.spill = spill_of(folder);
  if (seen.run_status.problem) {
    seen.findings.push_back("cannot read the run: " + text_of(*seen.run_status.problem));
  }
  if (seen.run_status.holder) return seen;  // the states below are normal for an active run
  if (seen.has_in_flight || seen.run_status.card.ending == run::kRunning) {
    seen.findings.push_back("the last process crashed; continue with " + folder.program() +
                            " resume " + folder.id());
  }
  if (seen.has_in_flight) {
    LET(const auto lost, lost_tasks(folder));
    if (lost > 0) {
      seen.findings.push_back(fmt::format(
          "{} that were running or done are missing from the journal: its write-ahead log is "
          "damaged and commits are lost; resume does that work again",
          text::counted(lost, "task")));
    }
  }
  if (seen.spill.files > 0) {
    seen.findings.push_back(
        fmt::format("{} with output that may not have been printed, {}; print it with {} resume {}",
                    text::counted(seen.spill.files, "file"), text::bytes_text(seen.spill.bytes),
                    folder.program(), folder.id()));
  }
  const jobs::Job* job = jobs::find_job(app.jobs, seen.run_status.card.job);
  if (job != nullptr && !folder.is_record()) {
    LET(auto left, job->leftovers(seen.run_status));
    std::ranges::move(left, std::back_inserter(seen.findings));
  }
  return seen;
}

std::string text_of(const RunInspection& seen) {
  std::string text;
  for (const std::string& finding : seen.findings) text += printable(finding) + "\n";
  return text;
}

// The summary line for standard error.
std::string summary_of(const RunInspection& seen) {
  const std::string whole = seen.findings.empty()
                                ? "no problems found"
                                : text::counted(seen.findings.size(), "problem") + " found";
  if (!seen.run_status.has_journal) {
    return fmt::format("{}: {}, no journal; {}", printable(seen.run_status.folder.id()),
                       printable(cli::state_text(seen.run_status.state, seen.run_status.holder)),
                       whole);
  }
  const engine::Tally& tally = seen.run_status.tally;
  return fmt::format(
      "{}: {}, {} done, {} skipped, {} failed, {} left of {}; in-flight log: {}; spill files: {}; "
      "{}",
      printable(seen.run_status.folder.id()),
      printable(cli::state_text(seen.run_status.state, seen.run_status.holder)),
      count_text(tally.done()), count_text(tally.skipped()), count_text(tally.failed()),
      count_text(tally.pending()), count_text(tally.found()), seen.has_in_flight ? "yes" : "none",
      count_text(seen.spill.files), whole);
}

std::string json_of(const RunInspection& seen, std::optional<std::uint64_t> removed) {
  std::string line;
  text::JsonWriter json(line);
  json.begin_object().key("v").value(1);
  write_members(seen.run_status, json);
  json.key("inFlightLog").value(seen.has_in_flight).key("spillFiles").value(seen.spill.files);
  json.key("spillBytes").value(seen.spill.bytes.count);
  if (removed) json.key("orphansRemoved").value(*removed);
  json.key("clean").value(seen.findings.empty()).key("findings").begin_array();
  for (const std::string& finding : seen.findings) json.value(printable(finding));
  json.end_array().end_object();
  return line + "\n";
}

}  // namespace

command::Verb describe_check(const App& app) {
  const std::string undoable = undoable_jobs(app.jobs);
  return {
      .name = "check",
      .summary = "verify the journal of a run",
      .usage = {"%program check RUN [OPTIONS]"},
      .examples = {{"%program check last", "check the newest run"},
                   {"%program check last --quick --json", "check faster, and print JSON"}},
      .description =
          {"Reads the whole journal of a run and compares its parts with each other. Prints one "
           "line per problem on standard output and a summary on standard error. Also lists what "
           "a crashed process left behind" +
               (undoable.empty() ? std::string()
                                 : "; for a run of " + undoable +
                                       ", also temporary files (.tidemill-...) in the folders it "
                                       "worked in") +
               ". It changes nothing, and you can use it while the run is in progress.",
           "--remove-orphans first removes checkpoints that no task can continue from. No process "
           "may be working on the run then.",
           "The exit status is 0 if there are no problems, and 1 otherwise.",
           std::string(kRunNames)},
      .arguments = {{.name = "RUN",
                     .help = std::string(kRunHelp),
                     .kind = ValueKind::run,
                     .is_required = true}},
      .flags = {{.name = "quick",
                 .help = "do not compare indexes with their tables",
                 .is_configurable = false,
                 .is_basic = true},
                {.name = "remove-orphans",
                 .help = "first remove the checkpoints of finished tasks",
                 .is_configurable = false,
                 .is_basic = true},
                {.name = "json",
                 .help = "print one JSON object",
                 .is_configurable = false,
                 .is_basic = true}}};
}

Result<int> run_check(cli::CliContext& cli, const App& app) {
  LET(const auto folder, cli.state.find(cli.values.argument("RUN").front()));
  const auto depth = cli.values.is_on("quick") ? journal::Depth::quick : journal::Depth::thorough;
  std::optional<std::uint64_t> removed;
  if (folder.is_record() && (cli.values.is_on("remove-orphans") || cli.values.is_on("quick"))) {
    return command::misuse(folder.id() +
                           " has no journal: --quick and --remove-orphans cannot be used");
  }
  if (cli.values.is_on("remove-orphans")) {
    LET(removed, remove_orphans(folder, cli.clock));
  }
  LET(const RunInspection seen, inspect(folder, depth, app));
  const bool is_json = cli.values.is_on("json");
  TRY(cli.console->out(is_json ? json_of(seen, removed) : text_of(seen)));
  const bool is_clean = seen.findings.empty();
  if (!is_json) {
    if (removed) {
      cli.console->say(command::Tone::plain,
                       "removed " + text::counted(*removed, "orphaned checkpoint"));
    }
    cli.console->say(is_clean ? command::Tone::good : command::Tone::warning, summary_of(seen));
  }
  return is_clean ? cli::kDone : cli::kFailed;
}

}  // namespace tidemill::app
