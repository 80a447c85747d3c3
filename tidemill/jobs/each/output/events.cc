#include "tidemill/jobs/each/output/events.h"

#include <chrono>

#include "tidemill/formats/text/json.h"
#include "tidemill/ui/command/events.h"

namespace tidemill::each {
namespace {

using command::begin_event;
using command::put_failure;

void put_stream(text::JsonWriter& json, std::string_view name, const proc::Captured& captured) {
  if (captured.total == 0) return;
  json.bytes(name, captured.head);
  if (captured.head.size() < captured.total) {
    json.key(std::string(name) + "Bytes").value(captured.total);
  }
}

double seconds(std::chrono::microseconds time) { return static_cast<double>(time.count()) / 1e6; }

}  // namespace

std::string start_event(const std::string& run, const EachOptions& options) {
  std::string line;
  text::JsonWriter json(line);
  begin_event(json, "start").key("run").value(run).key("workers").value(options.workers);
  json.end_object();
  return line + "\n";
}

std::string task_event(const EachItem& item, int attempts, const Failure* failure) {
  std::string line;
  text::JsonWriter json(line);
  const proc::Finished& last = item.last;
  begin_event(json, "task").key("task").value(item.id).bytes("name", item.name);
  json.key("state").value(failure == nullptr ? "done" : "dead");
  json.key("attempts").value(attempts);
  if (failure != nullptr) put_failure(json, *failure);
  if (last.exit.signal != 0) {
    json.key("signal").value(name_of_signal(last.exit.signal));
  } else {
    json.key("exit").value(last.exit.status);
  }
  json.key("seconds").value(seconds(last.exit.wall));
  json.key("userSeconds").value(seconds(last.exit.user));
  json.key("systemSeconds").value(seconds(last.exit.system));
  put_stream(json, "stdout", last.out);
  put_stream(json, "stderr", last.err);
  json.end_object();
  return line + "\n";
}

}  // namespace tidemill::each
