#include "tidemill/ui/term/progress_json.h"

#include <chrono>
#include <cmath>

#include "tidemill/formats/text/json.h"

namespace tidemill::term {
namespace {

double seconds(Instant::duration duration) {
  return std::chrono::duration<double>(duration).count();
}
double finite(double number) { return std::isfinite(number) ? number : 0.0; }

}  // namespace

std::string progress_json(const engine::ProgressSnapshot& snapshot) {
  const auto& counts = snapshot.counts;
  std::string line;
  text::JsonWriter json(line);
  json.begin_object().key("v").value(1).key("event").value("progress");
  json.key("isLast").value(snapshot.is_last);
  json.key("elapsedSeconds").value(seconds(snapshot.elapsed));
  json.key("found").value(counts.found).key("foundAll").value(snapshot.is_total_known);
  json.key("done").value(counts.done).key("skipped").value(counts.skipped);
  json.key("failed").value(counts.failed);
  json.key("foundBytes").value(counts.found_bytes.count);
  json.key("settledBytes").value(counts.settled_bytes.count);
  json.key("itemsPerSecond").value(finite(snapshot.items_per_second));
  json.key("bytesPerSecond").value(finite(snapshot.bytes_per_second));
  json.key("etaSeconds");
  if (snapshot.eta) {
    json.value(seconds(*snapshot.eta));
  } else {
    json.value(nullptr);
  }
  if (!snapshot.waits_for.empty()) json.key("waitsFor").value(snapshot.waits_for);
  json.key("workers").value(snapshot.workers).key("busy").value(snapshot.busy);
  json.key("current").begin_array();
  for (const auto& item : snapshot.current) {
    json.begin_object().key("id").value(item.id).bytes("note", item.note);
    json.key("runningSeconds").value(seconds(item.running_for)).end_object();
  }
  json.end_array().end_object();
  return line;
}

}  // namespace tidemill::term
