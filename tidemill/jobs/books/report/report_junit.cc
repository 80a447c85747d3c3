// The report as JUnit XML: one test case per book. Most such files have the totals in the first
// line; here they are known only after the last book, so they are left out, which readers of the
// format allow.
#include <string>
#include <vector>

#include "tidemill/formats/text/printable.h"
#include "tidemill/jobs/books/report/markup_text.h"
#include "tidemill/jobs/books/report/report_writer.h"

namespace tidemill::books {
namespace {

// "PKG-006, RSC-005": the rules that make the book invalid.
std::string summary(const Shown& shown) {
  std::vector<epub::RuleId> grave;
  for (const RuleGroup& group : groups_of(shown)) {
    if (group.severity >= epub::Severity::error) grave.push_back(group.rule);
  }
  return list_of(grave);
}

std::string lines(const Shown& shown) {
  std::string text;
  for (const Remark& remark : shown.remarks) {
    const std::string place = place_text(remark.finding->place);
    text += std::string(epub::name_of(remark.severity)) + " " +
            std::string(remark.finding->rule.text()) + " " +
            for_markup((place.empty() ? "" : place + " ") + sentence_of(*remark.finding)) + "\n";
  }
  return text;
}

class JunitReport final : public ReportWriter {
 public:
  std::string begin(const Heading& heading) override {
    return "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n<testsuite name=\"tidemill "
           "books check\" package=\"" +
           for_markup(heading.checker) + "\">\n";
  }

  std::string book(const Shown& shown) override {
    const std::string text = "<testcase name=\"" + for_markup(text::printable(shown.path)) +
                             "\" classname=\"" + for_markup(name_of(shown.report->format)) + "\"";
    const std::string details = lines(shown);
    if (shown.status == BookStatus::valid) {
      if (details.empty()) return text + "/>\n";
      return text + ">\n<system-out>" + details + "</system-out>\n</testcase>\n";
    }
    const std::string kind = shown.status == BookStatus::errored ? "error" : "failure";
    return text + ">\n<" + kind + " type=\"" + std::string(name_of(shown.status)) +
           "\" message=\"" + summary(shown) + "\">" + details + "</" + kind + ">\n</testcase>\n";
  }

  std::string end(const BookTotals& /*totals*/) override { return "</testsuite>\n</testsuites>\n"; }
};

}  // namespace

std::unique_ptr<ReportWriter> junit_report() { return std::make_unique<JunitReport>(); }

}  // namespace tidemill::books
