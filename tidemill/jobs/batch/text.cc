#include "tidemill/jobs/batch/text.h"

#include <fmt/core.h>

#include "tidemill/formats/text/counted.h"
#include "tidemill/formats/text/json.h"
#include "tidemill/formats/text/printable.h"
#include "tidemill/formats/text/quantity.h"
#include "tidemill/ui/cli/failures_text.h"

namespace tidemill::batch {
namespace {

using text::count_text;
using text::counted;

std::string skipped_text(const BatchOutcome& outcome) {
  if (outcome.skipped() == 0) return {};
  std::string text = "  skipped:  ";
  bool is_first = true;
  for (const auto& [reason, count] : outcome.totals.skipped) {
    if (!is_first) text += ", ";
    text += count_text(count) + " " + reason;
    is_first = false;
  }
  return text + "\n";
}

// The batches that the queue did not add.
std::string known_text(const Sent& sent) {
  std::string text;
  if (sent.known > 0) {
    text += fmt::format("  known:    {} already waiting or in progress in the queue\n",
                        counted(sent.known, "batch", "batches"));
  }
  if (sent.refused() > 0) {
    text += fmt::format(
        "  refused:  {}: the queue has {} completed and {} failed with the same ids\n"
        "            use --resend to queue them again\n",
        counted(sent.refused(), "batch", "batches"), count_text(sent.completed),
        count_text(sent.failed));
  }
  return text;
}

// The commands to run next.
std::string next_steps(const BatchOutcome& outcome, const std::string& run) {
  std::string text;
  const bool is_open = outcome.tally.pending() > 0 || !outcome.has_found_all;
  const bool is_lost = outcome.cause && outcome.cause->kind == FailureKind::superseded;
  if (run.empty()) return {};
  if (is_open && !is_lost) {
    text += fmt::format("  resume:    tidemill resume {}{}\n", run,
                        outcome.has_lost_list
                            ? " --files-from FILE\n"
                              "             (FILE: the same list; it was read from a pipe)"
                            : "");
  }
  if (outcome.tally.dead() > 0) {
    text += fmt::format("  failures:  tidemill failures {}\n", run);
    text += fmt::format("  retry:     tidemill failures {} retry --all\n", run);
  }
  return text.empty() ? text : "\n" + text;
}

}  // namespace

std::string text_of(const BatchOutcome& outcome, const std::string& run,
                    const std::vector<journal::FailureGroup>& groups,
                    std::optional<std::size_t> width) {
  if (outcome.ending == kHeld) {
    const std::string who = outcome.cause ? text::printable(outcome.cause->reason) : "";
    return fmt::format("Another producer is running: {}. Nothing was sent.\n", who);
  }
  if (outcome.ending == kCompletedElsewhere) {
    return fmt::format("Another producer has completed this work (run {}). Nothing was sent.\n",
                       text::printable(outcome.completed_by));
  }
  std::string text = fmt::format(
      "batch {}: {} with {}, {} skipped, {} failed of {} in {}\n", outcome.ending,
      counted(outcome.totals.batches, "batch", "batches"), counted(outcome.totals.files, "file"),
      count_text(outcome.skipped()), count_text(outcome.tally.failed()),
      count_text(outcome.found()), text::duration_text(outcome.elapsed));
  if (outcome.cause) text += "  " + text::printable(tidemill::text_of(*outcome.cause)) + "\n";
  text += fmt::format("  tokens:   {}", count_text(outcome.totals.tokens));
  if (outcome.totals.batches > 0) {
    text +=
        fmt::format(", {} per batch", count_text(outcome.totals.tokens / outcome.totals.batches));
  }
  text += "\n";
  if (!run.empty()) {
    text += fmt::format("  sent:     {} to {}\n", counted(outcome.sent.added(), "batch", "batches"),
                        text::printable(outcome.target));
    text += known_text(outcome.sent);
  } else {
    text += "  sent:     nothing (dry run)\n";
  }
  if (!outcome.took_over.empty()) {
    text += fmt::format("  continued from run {}\n", text::printable(outcome.took_over));
  }
  text += skipped_text(outcome);
  if (outcome.totals.oversize > 0) {
    text += fmt::format("  oversize: {} larger than --max-tokens, each in its own batch\n",
                        counted(outcome.totals.oversize, "file"));
  }
  if (outcome.remembered > 0) {
    text += fmt::format("  cached:   {} not read again\n", counted(outcome.remembered, "file"));
  }
  return text + cli::failures_text(groups, outcome.tally.dead(), width) + next_steps(outcome, run);
}

std::string json_of(const BatchOutcome& outcome, const std::string& run,
                    const std::vector<journal::FailureGroup>& groups) {
  std::string line;
  text::JsonWriter json(line);
  json.begin_object().key("v").value(1).key("event").value("summary").key("job").value("batch");
  if (!run.empty()) json.key("run").value(run);
  json.key("ending").value(outcome.ending).bytes("to", outcome.target);
  json.key("found").value(outcome.found()).key("done").value(outcome.totals.files);
  json.key("skipped").value(outcome.skipped()).key("failed").value(outcome.tally.failed());
  json.key("batches").value(outcome.totals.batches).key("tokens").value(outcome.totals.tokens);
  json.key("oversize").value(outcome.totals.oversize);
  json.key("sentBatches").value(outcome.sent.added());
  json.key("sentFiles").value(outcome.sent.added_files());
  json.key("knownBatches").value(outcome.sent.known);
  json.key("refusedBatches").value(outcome.sent.refused());
  json.key("refused").begin_object().key("completed").value(outcome.sent.completed);
  json.key("failed").value(outcome.sent.failed).end_object();
  json.key("pending").value(outcome.tally.pending());
  json.key("foundAll").value(outcome.has_found_all);
  if (outcome.has_matched_nothing()) json.key("nothingMatched").value(true);
  json.key("cached").value(outcome.remembered);
  json.key("seconds").value(std::chrono::duration<double>(outcome.elapsed).count());
  if (outcome.cause) json.bytes("cause", tidemill::text_of(*outcome.cause));
  if (!outcome.took_over.empty()) json.bytes("tookOver", outcome.took_over);
  if (!outcome.completed_by.empty()) json.bytes("completedBy", outcome.completed_by);
  json.key("skips").begin_object();
  for (const auto& [reason, count] : outcome.totals.skipped) json.key(reason).value(count);
  json.end_object().key("failures").begin_array();
  for (const auto& group : groups) {
    json.begin_object().key("count").value(group.count).bytes("step", group.step);
    json.bytes("reason", group.reason).bytes("example", group.example);
    json.key("task").value(group.first).end_object();
  }
  json.end_array().end_object();
  return line + "\n";
}

}  // namespace tidemill::batch
