#include "tidemill/app/queue/text.h"

#include <algorithm>
#include <chrono>
#include <string_view>
#include <utility>

#include <fmt/core.h>

#include "tidemill/formats/text/json.h"
#include "tidemill/formats/text/printable.h"
#include "tidemill/formats/text/quantity.h"
#include "tidemill/ui/cli/run_text.h"
#include "tidemill/ui/term/table.h"

namespace tidemill::app {
namespace {

using queue::DeadBatch;
using queue::QueueStanding;
using term::Align;
using text::count_text;
using text::seconds_text;

constexpr std::size_t kRoomForReasons = 120;  // on a narrower terminal reasons get their own lines
constexpr std::size_t kShortId = 8;           // of a UUID: enough to distinguish batches

// Puts each reason below its row, shortened to the width.
std::string with_reasons(std::string_view rows, const std::vector<DeadBatch>& dead,
                         std::size_t width) {
  constexpr std::string_view kIndent = "  ";
  std::string text;
  const auto take_line = [&] {
    const std::size_t end = rows.find('\n') + 1;
    text += rows.substr(0, end);
    rows.remove_prefix(end);
  };
  take_line();  // the headings
  for (const DeadBatch& batch : dead) {
    take_line();
    text += kIndent;
    text += text::fit(batch.reason, width - std::min(width, kIndent.size())) + "\n";
  }
  return text;
}

double seconds_of(std::chrono::milliseconds time) {
  return std::chrono::duration<double>(time).count();
}

}  // namespace

std::string text_of(const QueueStanding& standing, std::optional<std::size_t> width) {
  std::string text = fmt::format("queued  {}", count_text(standing.depth));
  if (standing.oldest_age) text += ", oldest " + seconds_text(*standing.oldest_age) + " ago";
  text += fmt::format("\ndead    {}\n", count_text(standing.dead));
  text += standing.holder.empty()
              ? "lease   free\n"
              : fmt::format("lease   {}, expires in {}\n", text::printable(standing.holder),
                            seconds_text(standing.holds_for));
  term::Table table({{.heading = "GROUP"},
                     {.heading = "WAITING", .align = Align::right},
                     {.heading = "CONSUMER"},
                     {.heading = "IN PROGRESS", .align = Align::right},
                     {.heading = "OLDEST", .align = Align::right},
                     {.heading = "DELIVERIES", .align = Align::right},
                     {.heading = "LAST SEEN", .align = Align::right}});
  for (const auto& group : standing.groups) {
    const std::string waiting = group.waiting ? count_text(*group.waiting) : "?";
    table.add({group.name, waiting, "(all)", count_text(group.pending), "", "", ""});
    for (const auto& consumer : group.consumers) {
      const bool has_some = consumer.pending > 0;
      table.add({"", "", consumer.name, count_text(consumer.pending),
                 has_some ? seconds_text(consumer.oldest_idle) : "",
                 has_some ? count_text(consumer.most_deliveries) : "",
                 seconds_text(consumer.idle) + " ago"});
    }
  }
  return table.size() == 0 ? text : text + "\n" + table.text(width);
}

std::string json_of(const QueueStanding& standing, const std::string& stream) {
  std::string line;
  text::JsonWriter json(line);
  json.begin_object().key("v").value(1).key("job").value("queue").bytes("stream", stream);
  json.key("depth").value(standing.depth).key("dead").value(standing.dead);
  if (standing.oldest_age) json.key("oldestAgeSeconds").value(seconds_of(*standing.oldest_age));
  if (!standing.holder.empty()) {
    json.bytes("lease", standing.holder).key("leaseSeconds").value(seconds_of(standing.holds_for));
  }
  json.key("groups").begin_array();
  for (const auto& group : standing.groups) {
    json.begin_object().bytes("name", group.name).key("pending").value(group.pending);
    if (group.waiting) json.key("waiting").value(*group.waiting);
    json.key("consumers").begin_array();
    for (const auto& consumer : group.consumers) {
      json.begin_object().bytes("name", consumer.name).key("pending").value(consumer.pending);
      json.key("idleSeconds").value(seconds_of(consumer.idle));
      json.key("oldestIdleSeconds").value(seconds_of(consumer.oldest_idle));
      json.key("mostDeliveries").value(consumer.most_deliveries).end_object();
    }
    json.end_array().end_object();
  }
  json.end_array().end_object();
  return line + "\n";
}

std::string table_of(const std::vector<DeadBatch>& dead, bool has_heading,
                     std::optional<std::size_t> width) {
  const bool is_narrow = width && *width < kRoomForReasons;
  // The user types the entry next: right-aligned columns are shortened last.
  std::vector<term::TableColumn> headings = {{.heading = "ENTRY", .align = Align::right},
                                             {.heading = "BATCH"},
                                             {.heading = "FAILED", .align = Align::right},
                                             {.heading = "DELIVERIES", .align = Align::right},
                                             {.heading = "CONSUMER"}};
  if (!is_narrow) headings.push_back({.heading = "REASON"});
  term::Table table(std::move(headings));
  for (const DeadBatch& batch : dead) {
    std::vector<std::string> row = {batch.entry, batch.id.substr(0, kShortId),
                                    cli::local_minute(batch.at), count_text(batch.deliveries),
                                    batch.consumer};
    if (!is_narrow) row.push_back(batch.reason);
    table.add(std::move(row));
  }
  std::string text = table.text(width);
  if (is_narrow) text = with_reasons(text, dead, *width);
  if (!has_heading) text.erase(0, text.find('\n') + 1);
  return text;
}

std::string json_of(const DeadBatch& dead) {
  std::string line;
  text::JsonWriter json(line);
  json.begin_object().key("v").value(1).bytes("entry", dead.entry).bytes("id", dead.id);
  json.bytes("source", dead.source).bytes("reason", dead.reason).bytes("consumer", dead.consumer);
  json.key("deliveries").value(dead.deliveries).key("at").value(cli::rfc3339(dead.at));
  json.bytes("batch", dead.payload).end_object();
  return line + "\n";
}

}  // namespace tidemill::app
