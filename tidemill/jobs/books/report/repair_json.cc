// The repair report as JSON. docs/formats/books.md describes the fields.
#include <utility>

#include "tidemill/formats/text/json.h"
#include "tidemill/formats/text/printable.h"
#include "tidemill/jobs/books/repair/repair.h"

namespace tidemill::books {
namespace {

using text::JsonWriter;

void write_counts(JsonWriter& json, std::string_view key, const BookReport& report) {
  json.key(key).begin_object();
  for (const auto& [rule, times] : report.counts) json.key(rule.text()).value(times);
  json.end_object();
}

void write(JsonWriter& json, const epub::RepairPlan& plan) {
  json.key("changes").begin_array();
  for (const epub::Change& change : plan.changes) {
    json.begin_object().key("fixer").value(change.name);
    json.key("tier").value(epub::name_of(change.tier));
    json.key("rules").begin_array();
    for (const epub::RuleId rule : change.repairs) json.value(rule.text());
    json.end_array();
    if (!change.entry.empty()) json.bytes("entry", change.entry);
    json.bytes("what", change.what);
    if (!change.diff.empty()) json.bytes("diff", change.diff);
    json.end_object();
  }
  json.end_array().key("notRepaired").begin_array();
  for (const epub::Declined& one : plan.declined) {
    json.begin_object().key("id").value(one.rule.text());
    if (!one.entry.empty()) json.bytes("entry", one.entry);
    json.bytes("reason", one.why).end_object();
  }
  json.end_array();
}

void write(JsonWriter& json, std::string_view path, const RepairReport& report) {
  json.bytes("path", path);
  json.key("format").value(name_of(report.before.format));
  json.key("outcome").value(name_of(report.fate));
  if (!report.reason.empty()) json.bytes("reason", report.reason);
  write_counts(json, "before", report.before);
  if (report.is_better()) {
    write_counts(json, "after", report.after);
    json.key("verdict").value(name_of(report.after.status()));
  }
  write(json, report.plan);
  if (!report.output.empty()) json.bytes("output", report.output);
  if (!report.backup.empty()) json.bytes("backup", report.backup);
}

void write(JsonWriter& json, const RepairTotals& totals) {
  json.key("found").value(totals.found);
  json.key("done").value(totals.count(Fate::sound) + totals.count(Fate::planned) +
                         totals.count(Fate::repaired));
  json.key("skipped").value(totals.count(Fate::declined));
  json.key("failed").value(totals.count(Fate::errored));
  if (totals.found == 0) json.key("nothingMatched").value(true);
  for (const Fate fate : {Fate::sound, Fate::planned, Fate::repaired}) {
    json.key(name_of(fate)).value(totals.count(fate));
  }
  json.key("unchanged").value(totals.unchanged);
  json.key("nowValid").value(totals.now_valid);
  json.key("seconds").value(std::chrono::duration<double>(totals.elapsed).count());
  json.key("fixers").begin_object();
  for (const auto& [name, books] : totals.fixers) json.key(name).value(books);
  json.end_object();
}

class RepairJson final : public RepairWriter {
 public:
  explicit RepairJson(bool has_lines) : has_lines_(has_lines) {}

  std::string begin(const Heading& heading) override {
    std::string head;
    JsonWriter json(head);
    begin(json, "start");
    json.key("job").value("books repair").key("program").value("tidemill " + heading.version);
    json.key("ruleSet").value(epub::kRuleSet).end_object();
    if (has_lines_) return head + "\n";
    head.pop_back();
    return head + ",\"books\":[";
  }
  std::string book(std::string_view path, const RepairReport& report) override {
    std::string piece;
    if (!has_lines_) piece = std::exchange(is_first_, false) ? "\n" : ",\n";
    JsonWriter json(piece);
    if (has_lines_) {
      begin(json, "book");
    } else {
      json.begin_object();
    }
    write(json, path, report);
    json.end_object();
    return has_lines_ ? piece + "\n" : piece;
  }
  std::string end(const RepairTotals& totals) override {
    std::string tail = has_lines_ ? "" : "\n],\"totals\":";
    JsonWriter json(tail);
    if (has_lines_) {
      begin(json, "end");
      json.key("job").value("books repair");
    } else {
      json.begin_object();
    }
    write(json, totals);
    json.end_object();
    return tail + (has_lines_ ? "\n" : "}\n");
  }

 private:
  // The single object and each line have the version.
  void begin(JsonWriter& json, std::string_view event) const {
    json.begin_object().key("v").value(1);
    if (has_lines_) json.key("event").value(event);
  }

  const bool has_lines_;
  bool is_first_ = true;
};

}  // namespace

std::unique_ptr<RepairWriter> repair_json(bool has_lines) {
  return std::make_unique<RepairJson>(has_lines);
}

}  // namespace tidemill::books
