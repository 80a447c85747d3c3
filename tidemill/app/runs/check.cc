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
#include "tidemill/ui/cli/glance.h"
#include "tidemill/ui/cli/run_text.h"
#include "tidemill/ui/command/usage.h"

namespace tidemill::app {
namespace {

namespace fs = std::filesystem;
using command::Kind;
using text::count_text;
using text::printable;

struct Spill {
  std::uint64_t files = 0;
  Bytes bytes{};
};

// What vanishes meanwhile is not counted: the run may be at work.
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

// Without run::Run: that would take note of a crash, and the next one to go on with the run
// would not learn of it.
Result<std::uint64_t> remove_orphans(const run::RunFolder& folder, const Clock& clock) {
  LET(const auto lock, run::RunLock::take(folder.lock(), clock.wall()));
  return journal::remove_orphaned_checkpoints(folder.journal());
}

// What cannot be read was told already.
Result<std::size_t> lost_tasks(const run::RunFolder& folder) {
  LET(const auto slate, run::Slate::read(folder.slate()));
  const auto journal = cli::open_to_read(folder);
  if (!journal) return 0;
  return run::count_unknown(**journal, slate).value_or(0);
}

struct Inspection {
  cli::Glance glance;
  bool has_slate = false;
  Spill spill{};
  std::vector<std::string> findings{};
};

Result<Inspection> inspect(const run::RunFolder& folder, journal::Depth depth, const App& app) {
  std::vector<std::string> findings;
  if (!folder.is_record()) {
    LET(auto report, journal::check_journal(folder.journal(), depth));
    findings = std::move(report.findings);
  }
  Inspection seen{.glance = cli::glance_at(folder), .findings = std::move(findings)};
  std::error_code wrong;
  seen.has_slate = fs::exists(fs::symlink_status(folder.slate(), wrong));
  seen.spill = spill_of(folder);
  if (seen.glance.problem) {
    seen.findings.push_back("cannot read the run: " + text_of(*seen.glance.problem));
  }
  if (seen.glance.holder) return seen;  // the rest is how a run looks that is worked on
  if (seen.has_slate || seen.glance.card.ending == run::kRunning) {
    seen.findings.push_back("the last process crashed; continue with " + folder.program() +
                            " resume " + folder.id());
  }
  if (seen.has_slate) {
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
  const jobs::Job* job = jobs::find_job(app.jobs, seen.glance.card.job);
  if (job != nullptr && !folder.is_record()) {
    LET(auto left, job->leftovers(seen.glance));
    std::ranges::move(left, std::back_inserter(seen.findings));
  }
  return seen;
}

std::string text_of(const Inspection& seen) {
  std::string text;
  for (const std::string& finding : seen.findings) text += printable(finding) + "\n";
  return text;
}

// The whole, for standard error.
std::string summary_of(const Inspection& seen) {
  const std::string whole = seen.findings.empty()
                                ? "no problems found"
                                : text::counted(seen.findings.size(), "problem") + " found";
  if (!seen.glance.has_journal) {
    return fmt::format("{}: {}, no journal; {}", printable(seen.glance.folder.id()),
                       printable(cli::state_text(seen.glance.state, seen.glance.holder)), whole);
  }
  const engine::Tally& tally = seen.glance.tally;
  return fmt::format(
      "{}: {}, {} done, {} skipped, {} failed, {} left of {}; in-flight log: {}; spill files: {}; "
      "{}",
      printable(seen.glance.folder.id()),
      printable(cli::state_text(seen.glance.state, seen.glance.holder)), count_text(tally.done()),
      count_text(tally.skipped()), count_text(tally.failed()), count_text(tally.pending()),
      count_text(tally.found()), seen.has_slate ? "yes" : "none", count_text(seen.spill.files),
      whole);
}

std::string json_of(const Inspection& seen, std::optional<std::uint64_t> removed) {
  std::string line;
  text::JsonWriter json(line);
  json.begin_object().key("v").value(1);
  write_members(seen.glance, json);
  json.key("inFlightLog").value(seen.has_slate).key("spillFiles").value(seen.spill.files);
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
               ". It changes nothing, and you can use it while the run works.",
           "--remove-orphans first removes checkpoints that no task can continue from. No process "
           "may be working on the run then.",
           "The exit status is 0 if there are no problems, and 1 otherwise.",
           std::string(kRunNames)},
      .arguments =
          {{.name = "RUN", .help = std::string(kRunHelp), .kind = Kind::run, .is_required = true}},
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

Result<int> run_check(cli::Desk& desk, const App& app) {
  LET(const auto folder, desk.state.find(desk.values.argument("RUN").front()));
  const auto depth = desk.values.is_on("quick") ? journal::Depth::quick : journal::Depth::thorough;
  std::optional<std::uint64_t> removed;
  if (folder.is_record() && (desk.values.is_on("remove-orphans") || desk.values.is_on("quick"))) {
    return command::misuse(folder.id() +
                           " has no journal: --quick and --remove-orphans cannot be used");
  }
  if (desk.values.is_on("remove-orphans")) {
    LET(removed, remove_orphans(folder, desk.clock));
  }
  LET(const Inspection seen, inspect(folder, depth, app));
  const bool is_json = desk.values.is_on("json");
  TRY(desk.console->out(is_json ? json_of(seen, removed) : text_of(seen)));
  const bool is_clean = seen.findings.empty();
  if (!is_json) {
    if (removed) {
      desk.console->say(command::Tone::plain,
                        "removed " + text::counted(*removed, "orphaned checkpoint"));
    }
    desk.console->say(is_clean ? command::Tone::good : command::Tone::warning, summary_of(seen));
  }
  return is_clean ? cli::kDone : cli::kFailed;
}

}  // namespace tidemill::app
