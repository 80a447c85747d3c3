#include "tidemill/jobs/dupes/act/undo.h"

#include <string>

#include "tidemill/app/verbs.h"
#include "tidemill/base/try.h"
#include "tidemill/formats/text/json.h"
#include "tidemill/formats/text/quantity.h"
#include "tidemill/ui/cli/exit_code.h"
#include "tidemill/ui/cli/glance.h"
#include "tidemill/ui/cli/run_text.h"
#include "tidemill/ui/cli/vigil.h"

namespace tidemill::app {
namespace {

using command::Kind;
using command::Tone;
using text::count_text;

std::string json_of(const dupes::UndoReport& report, const std::string& run) {
  std::string line;
  text::JsonWriter json(line);
  json.begin_object().key("v").value(1).key("event").value("undo").key("run").value(run);
  json.key("undone").value(report.undone).key("before").value(report.before);
  json.key("declined").value(report.declined).key("failed").value(report.failed);
  json.key("pending").value(report.pending).end_object();
  return line + "\n";
}

std::string text_of_report(const dupes::UndoReport& report, const std::string& id) {
  std::string text = "Run " + id + ": " + count_text(report.undone) + " undone";
  if (report.before > 0) text += ", undone before: " + count_text(report.before);
  text += ", declined: " + count_text(report.declined) + ", failed: " + count_text(report.failed);
  if (report.pending > 0) text += ", left: " + count_text(report.pending);
  text += '.';
  if (report.pending > 0) text += "\ntidemill undo " + id + " goes on.";
  if (report.pending == 0 && report.declined + report.failed > 0) {
    text += "\nWhen the cause is gone, tidemill undo " + id + " tries these again.";
  }
  return text;
}

// Of what dupes did: the newest runs first.
std::string hint_for(const cli::Desk& desk) {
  const auto folders = desk.state.list();
  if (!folders) return "";
  for (const run::RunFolder& folder : *folders) {
    const cli::Glance glance = cli::glance_at(folder);
    if (glance.has_journal && glance.card.job == "dupes")
      return "the newest of dupes: tidemill undo " + folder.id();
  }
  return "there is no run of dupes";
}

// Before the run is opened: opening takes note of a crash, and that is for the one who goes on with
// it.
Result<void> check_can_undo(const run::RunFolder& folder, const cli::Desk& desk) {
  LET(const auto card, cli::card_in(folder));
  if (card.job == "dupes" && !folder.is_record()) return {};
  return std::unexpected(Failure{
      .cure = Cure::give_up,
      .step = "undo",
      .reason = folder.id() + (card.job == "dupes" ? " is a search: it has changed nothing"
                                                   : " is a run of " + card.job +
                                                         ": only what dupes did can be undone"),
      .hint = hint_for(desk)});
}

}  // namespace

command::Verb describe_undo() {
  return {
      .name = "undo",
      .summary = "take back what a run of dupes did",
      .usage = {"tidemill undo RUN [OPTIONS]"},
      .examples = {{"tidemill undo last", "the newest run"},
                   {"tidemill runs", "which runs there are, and what they did"},
                   {"tidemill undo 20261116-0352-dupes", "one of them"}},
      .description =
          {"What was made a hard link becomes a file of its own again, what was deleted is made "
           "anew from the file that was kept, and what was moved comes back: with contents, "
           "owner, mode, time of modification and extended attributes as before, and names that "
           "were one file are one file again. Folders that the run made to move files there go, if "
           "they are empty by then. A reflink needs no undoing.",
           "Only what still is as the run left it is taken back. A name that belongs to another "
           "file by now, or contents that changed since, are left alone and named. What was "
           "undone is noted, so a second undo does nothing, and one that was interrupted goes "
           "on. Steps that the run had planned and not done are dropped."},
      .arguments = {{.name = "RUN",
                     .help = "an id, the beginning of one, or last",
                     .kind = Kind::text,
                     .is_required = true}},
      .flags = {{.name = "json",
                 .help = "print the counts as one object",
                 .is_configurable = false}},
      .works = true};
}

Result<int> run_undo(cli::Desk& desk) {
  LET(const auto folder, desk.state.find(desk.values.argument("RUN").front()));
  TRY(check_can_undo(folder, desk));
  cli::Vigil vigil(desk, {.good = "undone", .bad = "declined"});
  LET(const auto run, run::Run::open(folder, desk.clock));
  const std::string& id = folder.id();
  LET(const auto log, cli::log_for(desk));
  command::Context context = vigil.context(desk, *log);
  LET(const auto report, dupes::undo(*run, context));
  const bool is_whole = report.declined + report.failed + report.pending == 0;
  if (is_whole) TRY(run->end(cli::kUndone));
  if (desk.values.is_on("json")) TRY(desk.console->out(json_of(report, id)));
  desk.console->say(is_whole ? Tone::good : Tone::warning, text_of_report(report, id));
  if (report.pending > 0) return cli::exit_code_of(vigil.signals.first());
  return is_whole ? cli::kDone : cli::kSomeFailed;
}

}  // namespace tidemill::app
