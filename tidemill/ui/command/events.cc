#include "tidemill/ui/command/events.h"

namespace tidemill::command {

text::JsonWriter& begin_event(text::JsonWriter& json, std::string_view event) {
  return json.begin_object().key("v").value(1).key("event").value(event);
}

void put_failure(text::JsonWriter& json, const Failure& failure) {
  json.key("cure").value(name_of(failure.cure)).bytes("step", failure.step);
  json.bytes("reason", failure.reason);
  if (!failure.hint.empty()) json.bytes("hint", failure.hint);
}

std::string retry_event(const engine::Retrial& retrial) {
  std::string line;
  text::JsonWriter json(line);
  begin_event(json, "retry").key("task").value(retrial.id).key("attempt").value(retrial.attempt);
  put_failure(json, *retrial.failure);
  json.key("waitSeconds").value(static_cast<double>(retrial.wait.count()) / 1e3);
  json.end_object();
  return line + "\n";
}

}  // namespace tidemill::command
