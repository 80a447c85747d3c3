// JUnit's XML: a test case a book. The sums stand in the first line in most such files; here they
// are not known before the last book, so they are left out, which every reader of the format
// allows.
#include <string>
#include <vector>

#include "tidemill/formats/text/printable.h"
#include "tidemill/jobs/books/report/markup_text.h"
#include "tidemill/jobs/books/report/report_writer.h"

namespace tidemill::books {
namespace {

// "PKG-006, RSC-005": the rules that make it invalid.
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
    const std::string told = lines(shown);
    if (shown.verdict == Verdict::valid) {
      if (told.empty()) return text + "/>\n";
      return text + ">\n<system-out>" + told + "</system-out>\n</testcase>\n";
    }
    const std::string kind = shown.verdict == Verdict::errored ? "error" : "failure";
    return text + ">\n<" + kind + " type=\"" + std::string(name_of(shown.verdict)) +
           "\" message=\"" + summary(shown) + "\">" + told + "</" + kind + ">\n</testcase>\n";
  }

  std::string end(const Totals& /*totals*/) override { return "</testsuite>\n</testsuites>\n"; }
};

}  // namespace

std::unique_ptr<ReportWriter> junit_report() { return std::make_unique<JunitReport>(); }

}  // namespace tidemill::books
