#include "tidemill/jobs/import/report.h"

#include <chrono>

#include "tidemill/formats/text/json.h"

namespace tidemill::import {
namespace {

using text::JsonWriter;

void write_counts(const ImportOutcome& outcome, JsonWriter& json) {
  json.key("found").value(outcome.files_found).key("done").value(outcome.files_done);
  json.key("skipped").value(outcome.files_skipped).key("failed").value(outcome.failures.size());
  if (outcome.files_found == 0) json.key("nothingMatched").value(true);
  json.key("lines").value(outcome.counts.lines).key("rows").value(outcome.counts.rows);
  json.key("childRows").value(outcome.counts.child_rows);
  json.key("blank").value(outcome.counts.blank).key("rejected").value(outcome.counts.rejected);
  json.key("bytes").value(outcome.bytes);
  json.key("seconds").value(std::chrono::duration<double>(outcome.elapsed).count());
}

void write_tables(const ImportOutcome& outcome, JsonWriter& json) {
  json.key("tables").begin_array();
  for (const TableOutcome& table : outcome.tables) {
    json.begin_object().bytes("name", table.name);
    if (!table.file.empty()) json.bytes("path", table.file);
    json.key("rows").value(table.rows).key("columns").value(table.columns);
    if (!table.key_state.empty() && table.key_state != "none") {
      json.bytes("key", table.key).key("keyState").value(table.key_state);
    }
    json.end_object();
  }
  json.end_array().key("widened").begin_array();
  for (const Widening& widened : outcome.widened) {
    json.begin_object().bytes("table", widened.table).bytes("column", widened.column);
    json.key("from").value(name_of(widened.from)).key("to").value(name_of(widened.to));
    json.bytes("path", widened.path)
        .key("line")
        .value(widened.line)
        .key("seen")
        .value(widened.seen)
        .end_object();
  }
  json.end_array();
}

void write_failures(const ImportOutcome& outcome, JsonWriter& json) {
  json.key("rejects").begin_array();
  for (const RejectOutcome& group : outcome.rejects) {
    json.begin_object().bytes("path", group.file).bytes("reason", group.reason);
    json.key("count").value(group.count);
    if (group.first_line > 0) json.key("firstLine").value(group.first_line);
    json.end_object();
  }
  json.end_array().key("failures").begin_array();
  for (const SourceFailure& failed : outcome.failures) {
    json.begin_object().bytes("path", failed.path).bytes("step", failed.failure.step);
    json.bytes("reason", failed.failure.reason).end_object();
  }
  json.end_array().key("notes").begin_array();
  for (const std::string& note : outcome.notes) json.value(note);
  json.end_array();
}

}  // namespace

std::string json_of(const ImportOutcome& outcome, const ImportOptions& options) {
  std::string line;
  JsonWriter json(line);
  json.begin_object().key("v").value(1).key("event").value("summary").key("job").value("import");
  json.bytes("into", options.into).key("mode").value(name_of(options.mode));
  json.key("writer").value(outcome.writer);
  write_counts(outcome, json);
  write_tables(outcome, json);
  write_failures(outcome, json);
  json.key("verified").value(outcome.is_verified).end_object();
  return line + "\n";
}

}  // namespace tidemill::import
