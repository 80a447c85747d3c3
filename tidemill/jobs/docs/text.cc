#include "tidemill/jobs/docs/text.h"

#include <fmt/core.h>

#include "tidemill/formats/text/json.h"
#include "tidemill/formats/text/printable.h"
#include "tidemill/formats/text/quantity.h"
#include "tidemill/ui/cli/failures_text.h"

namespace tidemill::docs {
namespace {

using text::count_text;

std::string wire_text(std::string_view who, const ServerCounts& counts) {
  std::string text = fmt::format("  {} {} requests", who, count_text(counts.requests));
  if (counts.failed > 0) text += fmt::format(", {} failed", count_text(counts.failed));
  if (counts.limited > 0) text += fmt::format(", {} rate-limited", count_text(counts.limited));
  if (counts.conflicts > 0) text += fmt::format(", {} conflicts", count_text(counts.conflicts));
  if (counts.deferred > 0) text += fmt::format(", {} deferred", count_text(counts.deferred));
  return text + "\n";
}

std::string webhook_text(const WebhookCounts& counts) {
  if (counts.accepted + counts.known + counts.refused + counts.failed == 0) return {};
  return fmt::format("  webhooks:  {} accepted, {} already known, {} rejected, {} not saved\n",
                     count_text(counts.accepted), count_text(counts.known),
                     count_text(counts.refused), count_text(counts.failed));
}

std::string next_steps(const DocsOutcome& outcome, const std::string& run) {
  std::string text;
  if (outcome.tally.pending() > 0) text += fmt::format("  resume:    tidemill resume {}\n", run);
  if (outcome.tally.dead() > 0) {
    text += fmt::format("  failures:  tidemill failures {}\n", run);
    text += fmt::format("  retry:     tidemill failures {} retry --all\n", run);
  }
  return text.empty() ? text : "\n" + text;
}

void put_wire(text::JsonWriter& json, std::string_view name, const ServerCounts& counts) {
  json.key(name).begin_object().key("requests").value(counts.requests);
  json.key("failed").value(counts.failed).key("rateLimited").value(counts.limited);
  json.key("conflicts").value(counts.conflicts).key("deferred").value(counts.deferred).end_object();
}

}  // namespace

std::string text_of(const DocsOutcome& outcome, const std::string& run,
                    const std::vector<journal::FailureGroup>& groups,
                    std::optional<std::size_t> width) {
  const engine::Tally& tally = outcome.tally;
  std::string text =
      fmt::format("docs {}: {} done, {} skipped, {} failed of {} in {}\n", outcome.ending,
                  count_text(tally.done()), count_text(tally.skipped()), count_text(tally.failed()),
                  count_text(tally.found()), text::duration_text(outcome.elapsed));
  if (outcome.cause) text += "  " + text::printable(tidemill::text_of(*outcome.cause)) + "\n";
  text += fmt::format("  documents: {} read\n", count_text(outcome.documents));
  if (outcome.warned > 0) {
    text += fmt::format("  warnings:  {} done, but with a part unchanged or failed\n",
                        count_text(outcome.warned));
  }
  text += wire_text("server:   ", outcome.outline) + wire_text("assistant:", outcome.assistant);
  return text + webhook_text(outcome.webhook) + cli::failures_text(groups, tally.dead(), width) +
         next_steps(outcome, run);
}

std::string json_of(const DocsOutcome& outcome, const std::string& run, std::string_view event,
                    const std::vector<journal::FailureGroup>& groups) {
  const engine::Tally& tally = outcome.tally;
  std::string line;
  text::JsonWriter json(line);
  json.begin_object().key("v").value(1).key("event").value(event).key("job").value("docs");
  json.key("run").value(run).key("ending").value(outcome.ending);
  json.key("found").value(tally.found()).key("done").value(tally.done());
  json.key("skipped").value(tally.skipped()).key("failed").value(tally.failed());
  json.key("pending").value(tally.pending()).key("documents").value(outcome.documents);
  json.key("warned").value(outcome.warned);
  put_wire(json, "server", outcome.outline);
  put_wire(json, "assistant", outcome.assistant);
  json.key("webhooks").begin_object().key("accepted").value(outcome.webhook.accepted);
  json.key("known").value(outcome.webhook.known).key("rejected").value(outcome.webhook.refused);
  json.key("failed").value(outcome.webhook.failed).end_object();
  json.key("seconds").value(std::chrono::duration<double>(outcome.elapsed).count());
  if (outcome.cause) json.bytes("cause", tidemill::text_of(*outcome.cause));
  json.key("failures").begin_array();
  for (const auto& group : groups) {
    json.begin_object().key("count").value(group.count).bytes("step", group.step);
    json.bytes("reason", group.reason).bytes("example", group.example);
    json.key("task").value(group.first).end_object();
  }
  json.end_array().end_object();
  return line + "\n";
}

}  // namespace tidemill::docs
