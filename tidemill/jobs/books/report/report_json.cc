// The report as JSON: one object, or one object per line. docs/formats/books.md describes the
// fields.
#include <utility>

#include "tidemill/formats/text/json.h"
#include "tidemill/formats/text/printable.h"
#include "tidemill/jobs/books/report/report_writer.h"
#include "tidemill/ui/command/events.h"

namespace tidemill::books {
namespace {

using text::JsonWriter;

void write(JsonWriter& json, const epub::Finding& finding, epub::Severity severity) {
  json.begin_object();
  json.key("id").value(finding.rule.text());
  json.key("severity").value(epub::name_of(severity));
  if (!finding.place.entry.empty()) json.bytes("entry", finding.place.entry);
  if (finding.place.at.line > 0) json.key("line").value(finding.place.at.line);
  if (finding.place.at.column > 0) json.key("column").value(finding.place.at.column);
  json.key("message").value(sentence_of(finding));
  const epub::Rule& rule = epub::rule_of(finding.rule);
  if (!rule.hint.empty()) json.key("advice").value(rule.hint);
  if (rule.repair != epub::Repairability::none)
    json.key("repair").value(epub::name_of(rule.repair));
  json.end_object();
}

void write(JsonWriter& json, const Shown& shown) {
  json.bytes("path", shown.path);
  json.key("format").value(name_of(shown.report->format));
  json.key("verdict").value(name_of(shown.status));
  if (!shown.report->title.empty()) json.bytes("title", shown.report->title);
  if (shown.report->pages > 0) json.key("pages").value(shown.report->pages);
  json.key("counts").begin_object();
  for (const auto& [rule, times] : shown.rules) json.key(rule.text()).value(times);
  json.end_object().key("findings").begin_array();
  for (const Remark& remark : shown.remarks) write(json, *remark.finding, remark.severity);
  json.end_array();
  if (shown.report->second) {
    json.key("epubcheck").begin_array();
    for (const epub::Finding& one : *shown.report->second) write(json, one, one.rule.severity());
    json.end_array();
  }
}

void write(JsonWriter& json, const BookTotals& totals) {
  json.key("found").value(totals.found);
  json.key("done").value(totals.count(BookStatus::valid) + totals.count(BookStatus::invalid));
  json.key("skipped").value(0).key("failed").value(totals.count(BookStatus::errored));
  if (totals.found == 0) json.key("nothingMatched").value(true);
  json.key("valid").value(totals.count(BookStatus::valid));
  json.key("invalid").value(totals.count(BookStatus::invalid));
  json.key("unchanged").value(totals.unchanged);
  json.key("disagreements").value(totals.disagreements);
  json.key("seconds").value(std::chrono::duration<double>(totals.elapsed).count());
  json.key("rules").begin_object();
  for (const auto& [rule, tally] : totals.rules) {
    json.key(rule.text()).begin_object().key("books").value(tally.books);
    json.key("places").value(tally.places).end_object();
  }
  json.end_object();
}

void write(JsonWriter& json, const Heading& heading) {
  json.key("job").value("books check").key("program").value("tidemill " + heading.version);
  json.key("checker").value(heading.checker).key("ruleSet").value(epub::kRuleSet);
}

class JsonLines final : public ReportWriter {
 public:
  std::string begin(const Heading& heading) override {
    std::string line;
    JsonWriter json(line);
    command::begin_event(json, "start");
    write(json, heading);
    json.end_object();
    return line + "\n";
  }
  std::string book(const Shown& shown) override {
    std::string line;
    JsonWriter json(line);
    command::begin_event(json, "book");
    write(json, shown);
    json.end_object();
    return line + "\n";
  }
  std::string end(const BookTotals& totals) override {
    std::string line;
    JsonWriter json(line);
    command::begin_event(json, "end").key("job").value("books check");
    write(json, totals);
    json.end_object();
    return line + "\n";
  }
};

// One object, written piece by piece.
class JsonObject final : public ReportWriter {
 public:
  std::string begin(const Heading& heading) override {
    std::string head;
    JsonWriter json(head);
    json.begin_object().key("v").value(1);
    write(json, heading);
    json.end_object();
    head.pop_back();
    return head + ",\"books\":[";
  }
  std::string book(const Shown& shown) override {
    std::string piece = std::exchange(is_first_, false) ? "\n" : ",\n";
    JsonWriter json(piece);
    json.begin_object();
    write(json, shown);
    json.end_object();
    return piece;
  }
  std::string end(const BookTotals& totals) override {
    std::string tail = "\n],\"totals\":";
    JsonWriter json(tail);
    json.begin_object();
    write(json, totals);
    json.end_object();
    return tail + "}\n";
  }

 private:
  bool is_first_ = true;
};

}  // namespace

std::unique_ptr<ReportWriter> json_report() { return std::make_unique<JsonObject>(); }
std::unique_ptr<ReportWriter> jsonl_report() { return std::make_unique<JsonLines>(); }

}  // namespace tidemill::books
