#include "tidemill/ui/cli/summary.h"

#include <filesystem>
#include <system_error>
#include <utility>

#include <fmt/core.h>

#include "tidemill/base/try.h"
#include "tidemill/formats/text/json.h"
#include "tidemill/formats/text/printable.h"
#include "tidemill/formats/text/quantity.h"
#include "tidemill/ui/cli/failures_text.h"

namespace tidemill::cli {
namespace {

using text::count_text;

// The commands that the user may need next.
std::string next_steps(const Summary& summary) {
  std::string text;
  const bool is_open = summary.tally.pending() > 0 || !summary.has_found_all;
  if (is_open) {
    text += "  resume:    " + resume_command(summary.program, summary.run, summary.has_lost_list) +
            "\n";
  }
  if (summary.tally.dead() > 0) {
    text += fmt::format("  failures:  {} failures {}\n", summary.program, summary.run);
    text += fmt::format("  retry:     {} failures {} retry --all\n", summary.program, summary.run);
  }
  return text.empty() ? text : "\n" + text;
}

std::string counts_text(const engine::Tally& tally) {
  std::string text = count_text(tally.done()) + " done";
  if (tally.skipped() > 0) text += ", " + count_text(tally.skipped()) + " skipped";
  text += ", " + count_text(tally.failed()) + " failed";
  if (tally.pending() > 0) text += ", " + count_text(tally.pending()) + " left";
  return text + " of " + count_text(tally.found());
}

}  // namespace

bool is_read_once(const std::string& list) {
  std::error_code ignored;
  return list == "-" || (!list.empty() && !std::filesystem::is_regular_file(list, ignored));
}

std::string resume_command(const std::string& program, const std::string& run, bool has_lost_list) {
  std::string command = program + " resume " + run;
  if (!has_lost_list) return command;
  return command +
         " --files-from FILE\n             (FILE: the same list; it was read from a pipe)";
}

Result<Summary> summary_of(run::Run& run, const RunOutcome& outcome) {
  Summary summary{.program = run.folder().program(),
                  .run = run.folder().id(),
                  .job = run.card().job,
                  .ending = outcome.ending,
                  .cause = outcome.cause,
                  .elapsed = outcome.elapsed};
  LET(summary.tally, run.journal().tally());
  LET(const auto card, run::card_of(run.journal()));
  summary.has_found_all = card.has_found_all;
  if (summary.tally.dead() > 0) {
    LET(summary.groups, run.journal().failure_groups(kGroups));
  }
  return summary;
}

std::string text_of(const Summary& summary, std::optional<std::size_t> width) {
  std::string text = fmt::format("{} {}: {} in {}\n", summary.job, summary.ending,
                                 counts_text(summary.tally), text::duration_text(summary.elapsed));
  if (summary.cause) text += "  " + text::printable(tidemill::text_of(*summary.cause)) + "\n";
  text += failures_text(summary.groups, summary.tally.dead(), width);
  return text + next_steps(summary);
}

std::string json_of(const Summary& summary, std::string_view event) {
  std::string line;
  text::JsonWriter json(line);
  json.begin_object().key("v").value(1).key("event").value(event);
  json.key("run").value(summary.run).key("job").value(summary.job);
  json.key("ending").value(summary.ending);
  json.key("found").value(summary.tally.found()).key("done").value(summary.tally.done());
  json.key("skipped").value(summary.tally.skipped()).key("failed").value(summary.tally.failed());
  json.key("pending").value(summary.tally.pending());
  json.key("foundAll").value(summary.has_found_all);
  if (summary.has_matched_nothing()) json.key("nothingMatched").value(true);
  json.key("seconds").value(std::chrono::duration<double>(summary.elapsed).count());
  if (summary.cause) json.bytes("cause", tidemill::text_of(*summary.cause));
  json.key("failures").begin_array();
  for (const auto& group : summary.groups) {
    json.begin_object().key("count").value(group.count).bytes("step", group.step);
    json.bytes("reason", group.reason).bytes("example", group.example);
    json.key("task").value(group.first).end_object();
  }
  json.end_array().end_object();
  return line + "\n";
}

Result<void> tell(const Summary& summary, ReportForm form, CliContext& cli) {
  if (form == ReportForm::json) TRY(cli.console->out(json_of(summary, "summary")));
  if (form == ReportForm::jsonl) TRY(cli.console->out(json_of(summary, "end")));
  if (summary.has_matched_nothing()) return {};  // nothing_matched() reports it
  const bool is_good = summary.ending == run::kComplete && summary.tally.failed() == 0;
  cli.say_report(is_good ? command::Tone::good : command::Tone::warning,
                 text_of(summary, columns_of(2)), summary.cause);
  return {};
}

}  // namespace tidemill::cli
