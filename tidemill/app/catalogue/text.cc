#include "tidemill/app/catalogue/text.h"

#include <chrono>

#include "tidemill/formats/text/printable.h"
#include "tidemill/io/hash/algorithm.h"
#include "tidemill/ui/cli/run_text.h"

namespace tidemill::app {
namespace {

// A damaged file may have any value, and WallTime cannot represent later times.
constexpr catalogue::Seconds kLatest = 9'000'000'000;

WallTime time_of(catalogue::Seconds time) {
  return WallTime(std::chrono::seconds(std::clamp(time, -kLatest, kLatest)));
}

}  // namespace

std::string minute_of(catalogue::Seconds time) {
  return time == 0 ? "never" : cli::local_minute(time_of(time));
}

std::string second_of_ns(std::int64_t nanoseconds) {
  return cli::local_second(
      WallTime(std::chrono::floor<WallTime::duration>(std::chrono::nanoseconds(nanoseconds))));
}

std::string algorithm_text(std::uint8_t number) {
  const auto known = hash::algorithm_numbered(number);
  return known ? std::string(name_of(*known)) : "algorithm " + std::to_string(number);
}

std::string ending_text(const catalogue::RootSummary& root) {
  if (root.ending == "running") return "running or killed";
  return root.ending.empty() ? "none" : text::printable(root.ending);
}

void write_time(text::JsonWriter& json, std::string_view key, catalogue::Seconds time) {
  if (time != 0) json.key(key).value(cli::rfc3339(time_of(time)));
}

void write_members(const catalogue::RootSummary& root, text::JsonWriter& json) {
  json.bytes("path", root.path).key("files").value(root.files).key("bytes").value(root.bytes);
  json.key("hashed").value(root.hashed).key("removed").value(root.removed);
  json.key("errors").value(root.errors);
  write_time(json, "added", root.added_at);
  json.key("scansStarted").value(root.scans_started);
  write_time(json, "started", root.started_at);
  json.key("scansCompleted").value(root.scans_completed);
  write_time(json, "completed", root.completed_at);
  json.bytes("ending", root.ending);
}

}  // namespace tidemill::app
