#include "tidemill/jobs/docs/events.h"

#include "tidemill/formats/text/json.h"
#include "tidemill/ui/command/events.h"

namespace tidemill::docs {
namespace {

using command::begin_event;
using command::put_failure;

std::string_view state_of(const DocsPipeline::Item& item) {
  if (item.done() != nullptr) return "done";
  return item.skipped() != nullptr ? "skipped" : "dead";
}

}  // namespace

std::string start_event(const std::string& run, const DocsOptions& options) {
  std::string line;
  text::JsonWriter json(line);
  begin_event(json, "start").key("run").value(run).key("workers").value(options.workers);
  json.bytes("url", options.url).end_object();
  return line + "\n";
}

std::string task_event(const DocsPipeline::Item& item) {
  std::string line;
  text::JsonWriter json(line);
  const engine::TaskRecord& task = item.item.task;
  begin_event(json, "task").key("task").value(item.id).bytes("type", task.type);
  json.bytes("name", task.subject).key("state").value(state_of(item));
  json.key("attempts").value(item.attempts);
  if (const DocsResult* ran = item.done()) json.bytes("result", ran->result);
  if (const auto* skip = item.skipped()) json.bytes("reason", skip->reason);
  if (const Failure* failure = item.failed()) put_failure(json, *failure);
  json.key("warnings").begin_array();
  for (const std::string& warning : item.item.warnings) json.value(warning);
  json.end_array().end_object();
  return line + "\n";
}

command::SettledItem settled_item(const DocsPipeline::Item& item) {
  command::SettledItem settled{.name = item.item.task.subject};
  if (const Failure* failure = item.failed()) {
    settled.state = command::ItemState::failed;
    settled.details.push_back(text_of(*failure));
  }
  if (const auto* skip = item.skipped()) settled.details.push_back("skipped: " + skip->reason);
  for (const std::string& warning : item.item.warnings) settled.details.push_back(warning);
  if (const DocsResult* ran = item.done()) settled.details.push_back(ran->result);
  return settled;
}

}  // namespace tidemill::docs
