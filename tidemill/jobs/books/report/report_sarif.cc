// The report as SARIF 2.1.0, as code scanning reads it. The rules precede the results, so all of
// them are listed. A book is the artifact; the place in the book is in the message and in a logical
// location, because a region would refer to bytes of the archive.
#include <string>
#include <utility>

#include "tidemill/formats/text/json.h"
#include "tidemill/jobs/books/report/report_writer.h"

namespace tidemill::books {
namespace {

using text::JsonWriter;

std::string_view level_of(epub::Severity severity) {
  switch (severity) {
    case epub::Severity::fatal:
    case epub::Severity::error:
      return "error";
    case epub::Severity::warning:
      return "warning";
    case epub::Severity::info:
    case epub::Severity::usage:
      return "note";
  }
  return "none";
}

// A path as a relative reference or a file URI: bytes that are not allowed in a URI are written as
// %XX.
std::string uri_of(std::string_view path) {
  constexpr std::string_view kPlain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~/";
  constexpr std::string_view kHex = "0123456789ABCDEF";
  std::string uri = path.starts_with('/') ? "file://" : "";
  for (const char byte : path) {
    if (kPlain.contains(byte)) {
      uri.push_back(byte);
      continue;
    }
    const auto code = static_cast<unsigned char>(byte);
    uri += {'%', kHex[code >> 4U], kHex[code & 15U]};
  }
  return uri;
}

void write_rules(JsonWriter& json) {
  json.key("rules").begin_array();
  for (const epub::Rule& rule : epub::rules()) {
    json.begin_object().key("id").value(rule.id);
    json.key("shortDescription").begin_object().key("text").value(rule.title).end_object();
    if (!rule.trigger.empty()) {
      json.key("fullDescription").begin_object().key("text").value(rule.trigger).end_object();
    }
    if (!rule.hint.empty()) {
      json.key("help").begin_object().key("text").value(rule.hint).end_object();
    }
    const auto id = epub::rule_named(rule.id);
    if (id) {
      json.key("defaultConfiguration").begin_object();
      json.key("level").value(level_of(id->severity())).end_object();
    }
    json.end_object();
  }
  json.end_array();
}

void write_result(JsonWriter& json, const Shown& shown, const Remark& remark) {
  const epub::Finding& finding = *remark.finding;
  json.begin_object().key("ruleId").value(finding.rule.text());
  json.key("ruleIndex").value(finding.rule.index());
  json.key("level").value(level_of(remark.severity));
  const std::string place = place_text(finding.place);
  json.key("message").begin_object();
  json.key("text").value((place.empty() ? "" : place + ": ") + sentence_of(finding)).end_object();
  json.key("locations").begin_array().begin_object();
  json.key("physicalLocation").begin_object().key("artifactLocation").begin_object();
  json.key("uri").value(uri_of(shown.path)).end_object().end_object();
  if (!place.empty()) {
    json.key("logicalLocations").begin_array().begin_object();
    json.key("fullyQualifiedName").value(place).key("kind").value("resource");
    json.end_object().end_array();
  }
  json.end_object().end_array().end_object();
}

class SarifReport final : public ReportWriter {
 public:
  std::string begin(const Heading& heading) override {
    std::string driver;
    JsonWriter json(driver);
    json.begin_object().key("name").value("tidemill").key("version").value(heading.version);
    write_rules(json);
    json.end_object();
    return "{\"$schema\":\"https://json.schemastore.org/"
           "sarif-2.1.0.json\",\"version\":\"2.1.0\",\"runs\":["
           "{\"tool\":{\"driver\":" +
           driver + "},\"columnKind\":\"utf16CodeUnits\",\"results\":[";
  }

  std::string book(const Shown& shown) override {
    std::string text;
    for (const Remark& remark : shown.remarks) {
      text += std::exchange(is_first_, false) ? "\n" : ",\n";
      JsonWriter json(text);
      write_result(json, shown, remark);
    }
    return text;
  }

  std::string end(const BookTotals& /*totals*/) override {
    return "\n],\"invocations\":[{\"executionSuccessful\":true}]}]}\n";
  }

 private:
  bool is_first_ = true;
};

}  // namespace

std::unique_ptr<ReportWriter> sarif_report() { return std::make_unique<SarifReport>(); }

}  // namespace tidemill::books
