// Reports of a check: the filter, the formats, and the options that select them.
#include <algorithm>
#include <string>
#include <variant>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>
#include <nlohmann/json.hpp>

#include "tidemill/formats/xml/xml_reader.h"
#include "tidemill/jobs/books/judge/filter.h"
#include "tidemill/jobs/books/options.h"
#include "tidemill/jobs/books/repair/repair.h"
#include "tidemill/jobs/books/repair/repair_options.h"
#include "tidemill/jobs/books/report/markup_text.h"
#include "tidemill/jobs/books/report/report_writer.h"
#include "tidemill/ui/command/parse.h"

namespace tidemill::books {
namespace {

using epub::RuleId;
using epub::Severity;
using nlohmann::json;

constexpr RuleId kGrammar("RSC-005");  // an error
constexpr RuleId kUnused("OPF-097");   // usage
constexpr RuleId kOrder("NAV-011");    // a warning

epub::Finding finding(RuleId rule, std::string entry, std::uint32_t line, std::string detail) {
  return {.rule = rule,
          .place = {.entry = std::move(entry), .at = {.line = line, .column = line > 0 ? 7U : 0U}},
          .detail = std::move(detail)};
}

BookReport broken() {
  BookReport report{.format = BookFormat::epub3, .title = "A <b>title</b>"};
  report.add(finding(kUnused, "OEBPS/a.css", 0, ""));
  report.add(finding(kGrammar, "OEBPS/one.xhtml", 6, "element \"div\" & more"));
  report.add(finding(kGrammar, "OEBPS/one.xhtml", 9, "element \"div\" & more"));
  report.add(finding(kGrammar, "", 0, "<script>alert(1)</script>"));
  report.counts[kGrammar] = 250;  // most places were not kept
  return report;
}

struct Rendered {
  std::string begin{};
  std::string book{};
  std::string end{};
  [[nodiscard]] std::string all() const { return begin + book + end; }
};

Rendered rendered(ReportWriter& writer, std::string_view path, const BookReport& report,
                  const Filter& filter = {}) {
  const Shown shown = filter.look(path, report);
  BookTotals totals;
  totals.add(shown, Severity::error);
  Rendered text;
  text.begin = writer.begin({.version = "1", .checker = "tidemill", .roots = {"a<b"}});
  text.book = writer.book(shown);
  text.end = writer.end(totals);
  return text;
}

// The values of an attribute, and all text. Fails the test if the XML is not well-formed.
struct Xml final : xml::Handler {
  std::vector<std::string> names{};
  std::string words{};
  void start(const xml::Element& element) override {
    if (const auto name = element.attribute("name")) names.emplace_back(*name);
  }
  void text(std::string_view part, xml::Position /*where*/) override { words += part; }
};

bool is_well_formed(std::string_view document, Xml& seen) {
  return !xml::read(document, seen).mistake;
}

std::size_t count_of(std::string_view text, std::string_view part) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != std::string_view::npos;
       at = text.find(part, at + part.size())) {
    ++count;
  }
  return count;
}

TEST(Filter, TheLastMatchingExceptionWins) {
  const BookReport report = broken();
  Filter filter;
  ASSERT_TRUE(filter.regrade("RSC-005=warning"));
  Shown shown = filter.look("drafts/x.epub", report);
  EXPECT_EQ(shown.status, BookStatus::valid);
  EXPECT_EQ(shown.counts.at(Severity::warning), 250U);
  ASSERT_TRUE(filter.regrade("drafts/**:rsc-005=fatal"));
  EXPECT_EQ(filter.look("drafts/x.epub", report).status, BookStatus::invalid);
  EXPECT_EQ(filter.look("other/x.epub", report).status, BookStatus::valid);
  ASSERT_TRUE(filter.ignore("*.epub:RSC-005"));
  shown = filter.look("drafts/x.epub", report);
  EXPECT_EQ(shown.status, BookStatus::valid);
  EXPECT_FALSE(shown.rules.contains(kGrammar));
  ASSERT_EQ(shown.remarks.size(), 1U);
  EXPECT_EQ(shown.remarks.front().finding->rule, kUnused);
}

TEST(Filter, SortsBySeverityAndCountsHiddenFindings) {
  BookReport report = broken();
  report.add(finding(kOrder, "nav.xhtml", 1, ""));
  Filter filter;
  std::vector<Severity> order;
  const Shown all = filter.look("x", report);
  for (const Remark& remark : all.remarks) order.push_back(remark.severity);
  EXPECT_EQ(order, (std::vector{Severity::error, Severity::error, Severity::error,
                                Severity::warning, Severity::usage}));
  filter.show_from(Severity::fatal);
  const Shown nothing = filter.look("x", report);
  EXPECT_TRUE(nothing.remarks.empty());
  EXPECT_EQ(nothing.status, BookStatus::invalid);
  EXPECT_EQ(nothing.rules.at(kGrammar), 250U);
}

TEST(Filter, AnErroredBookStaysErroredWhateverIsIgnored) {
  BookReport report{.is_errored = true};
  report.add(finding(RuleId("TIDE-019"), "", 0, "gone"));
  Filter filter;
  ASSERT_TRUE(filter.ignore("TIDE-019"));
  EXPECT_EQ(filter.look("x", report).status, BookStatus::errored);
}

TEST(Filter, RejectsInvalidExceptionsAsUsageErrors) {
  Filter filter;
  for (const char* text : {"", "RSC", "RSC-005:", "a:b:XYZ-001", "[:RSC-005"}) {
    const auto ignored = filter.ignore(text);
    ASSERT_FALSE(ignored) << text;
    EXPECT_EQ(ignored.error().step, "usage");
  }
  for (const char* text : {"RSC-005", "RSC-005=", "RSC-005=worse", "=error", "XYZ-1=error"}) {
    EXPECT_FALSE(filter.regrade(text)) << text;
  }
  EXPECT_TRUE(filter.ignore("a:b/**:RSC-005"));  // a path may have colons
}

TEST(BookTotals, CountBooksAndPlacesAndKeepTheHighestSeverity) {
  const BookReport report = broken();
  Filter filter;
  ASSERT_TRUE(filter.regrade("soft/**:RSC-005=info"));
  BookTotals totals;
  totals.add(filter.look("soft/a.epub", report), Severity::error);
  EXPECT_FALSE(totals.fails);
  EXPECT_EQ(totals.rules.at(kGrammar).severity, Severity::info);
  totals.add(filter.look("b.epub", report), Severity::error);
  EXPECT_TRUE(totals.fails);
  EXPECT_EQ(totals.found, 2U);
  EXPECT_EQ(totals.rules.at(kGrammar).books, 2U);
  EXPECT_EQ(totals.rules.at(kGrammar).places, 500U);
  EXPECT_EQ(totals.rules.at(kGrammar).severity, Severity::error);
  EXPECT_EQ(totals.count(BookStatus::valid), 1U);
}

TEST(BookTotals, CheckersDisagreeOnlyWhenTheirErrorRulesDiffer) {
  BookReport report = broken();
  report.second = {finding(kGrammar, "", 0, "in other words")};
  BookTotals totals;
  totals.add(Filter().look("x", report), Severity::error);
  EXPECT_EQ(totals.disagreements, 0U);
  report.second = {finding(RuleId("RSC-007"), "", 0, "")};
  const Shown shown = Filter().look("x", report);
  totals.add(shown, Severity::error);
  EXPECT_EQ(totals.disagreements, 1U);
  const Disagreement found = disagreement_of(shown);
  EXPECT_EQ(list_of(found.ours), "RSC-005");
  EXPECT_EQ(list_of(found.theirs), "RSC-007");
}

TEST(BookTextReport, GroupsPlacesByRule) {
  const auto writer = text_report({});
  Filter filter;
  filter.show_from(Severity::warning);
  const Rendered text = rendered(*writer, "li\nb/a.epub", broken(), filter);
  EXPECT_EQ(text.book,
            "invalid li\\nb/a.epub  EPUB 3, 250 errors\n"
            "  error   RSC-005  a document is not valid, 250 places\n"
            "                   OEBPS/one.xhtml:6:7 (and 1 more)  element \"div\" & more\n"
            "                   <script>alert(1)</script>\n"
            "                   ... and 247 more\n\n");
  EXPECT_EQ(text.end.substr(0, text.end.find(" Time")), "1 book: 0 valid, 1 invalid, 0 failed.");
}

TEST(BookTextReport, OmitsValidBooksUnlessCheckersDisagree) {
  const auto writer = text_report({});
  BookReport report{.format = BookFormat::epub2};
  EXPECT_EQ(rendered(*writer, "x", report).book, "");
  report.second = {finding(kGrammar, "", 0, "")};
  EXPECT_EQ(rendered(*writer, "x", report).book,
            "valid   x  EPUB 2\n  only EPUBCheck reports RSC-005\n\n");
}

TEST(MarkdownReport, EscapesOnlyWhatWouldBeMarkup) {
  EXPECT_EQ(for_markdown("an-entry.xhtml of (some) book_name, 1.5 + 2 = #3!"),
            "an-entry.xhtml of (some) book_name, 1.5 + 2 = #3!");
  EXPECT_EQ(for_markdown("_a_ *b* [c](d) <e> `f` | ~g~ $h$ &lt; R&D & http://x www.y"),
            "\\_a\\_ \\*b\\* \\[c\\](d) \\<e\\> \\`f\\` \\| \\~g\\~ \\$h\\$ \\&lt; R\\&D & "
            "http\\://x www\\.y");
  EXPECT_EQ(code_span("", Within::line), "");
  EXPECT_EQ(code_span("a|b", Within::line), "`a|b`");
  EXPECT_EQ(code_span("a|b", Within::table), "`a\\|b`");
  EXPECT_EQ(code_span("``x`", Within::line), "``` ``x` ```");
}

TEST(MarkdownReport, HasOneTablePerBook) {
  const auto writer = markdown_report();
  const Rendered text = rendered(*writer, "a|b.epub", broken());
  EXPECT_EQ(text.begin, "# E-book report\n\nChecked by tidemill, tidemill 1.\n");
  EXPECT_EQ(text.book,
            "\n## `a|b.epub`\n\ninvalid, EPUB 3\n\n| severity | rule | place | finding |\n"
            "|---|---|---|---|\n"
            "| error | RSC-005 | `OEBPS/one.xhtml:6:7` and 1 more | a document is not valid: "
            "element \"div\" & more |\n"
            "| error | RSC-005 |  | a document is not valid: "
            "\\<script\\>alert(1)\\</script\\> |\n"
            "| usage | OPF-097 | `OEBPS/a.css` | a file is not used |\n");
  EXPECT_TRUE(text.end.contains("| invalid | 1 |\n")) << text.end;
  EXPECT_TRUE(text.end.contains("| RSC-005 | error | 1 | 250 |")) << text.end;
}

TEST(HtmlReport, IsOneSelfContainedPage) {
  const auto writer = html_report();
  const Rendered text = rendered(*writer, "<script>\xff'\".epub", broken());
  EXPECT_TRUE(text.begin.starts_with("<!DOCTYPE html>\n<html lang=\"en\">"));
  EXPECT_TRUE(text.begin.contains("default-src 'none'"));
  EXPECT_TRUE(text.begin.contains("a&lt;b"));
  EXPECT_EQ(count_of(text.all(), "<script"), 1U);  // its own
  EXPECT_FALSE(text.all().contains("http:"));
  EXPECT_FALSE(text.all().contains("src="));
  EXPECT_TRUE(text.book.contains("&lt;script&gt;\\xff&#39;&quot;.epub"));
  EXPECT_TRUE(text.book.contains("A &lt;b&gt;title"));
  EXPECT_TRUE(text.book.contains("RSC-005 in 250 places; the first 3 are shown."));
  EXPECT_EQ(count_of(text.all(), "<th"),
            count_of(text.all(), "<th scope=") + count_of(text.all(), "<thead>"));
  EXPECT_TRUE(text.end.ends_with("</body>\n</html>\n"));
}

TEST(JunitReport, HasOneTestCasePerBook) {
  const auto writer = junit_report();
  Filter filter;
  filter.show_from(Severity::error);
  const Rendered text = rendered(*writer, "a&b.epub", broken(), filter);
  EXPECT_EQ(text.book,
            "<testcase name=\"a&amp;b.epub\" classname=\"EPUB 3\">\n"
            "<failure type=\"invalid\" message=\"RSC-005\">"
            "error RSC-005 OEBPS/one.xhtml:6:7 a document is not valid: element "
            "&quot;div&quot; &amp; more\n"
            "error RSC-005 OEBPS/one.xhtml:9:7 a document is not valid: element "
            "&quot;div&quot; &amp; more\n"
            "error RSC-005 a document is not valid: "
            "&lt;script&gt;alert(1)&lt;/script&gt;\n</failure>\n</testcase>\n");
  Xml seen;
  EXPECT_TRUE(is_well_formed(text.all(), seen));
  EXPECT_EQ(seen.names, (std::vector<std::string>{"tidemill books check", "a&b.epub"}));
  EXPECT_EQ(rendered(*writer, "x", {.format = BookFormat::pdf}).book,
            "<testcase name=\"x\" classname=\"PDF\"/>\n");
  BookReport errored{.is_errored = true};
  errored.add(finding(RuleId("TIDE-003"), "", 0, "signal 11"));
  EXPECT_TRUE(rendered(*writer, "x", errored).book.contains("<error type=\"failed\""));
}

TEST(JunitReport, UsesRegradedSeveritiesInTheFailureMessage) {
  const auto writer = junit_report();
  Filter filter;
  ASSERT_TRUE(filter.regrade("RSC-005=warning"));
  ASSERT_TRUE(filter.regrade("OPF-097=error"));
  EXPECT_TRUE(rendered(*writer, "x", broken(), filter).book.contains("message=\"OPF-097\""));
}

TEST(SarifReport, NamesTheBookAsArtifactAndThePlaceAsLogicalLocation) {
  const auto writer = sarif_report();
  const auto sarif = json::parse(rendered(*writer, "a b%/\xff.epub", broken()).all());
  EXPECT_EQ(sarif.at("version"), "2.1.0");
  const auto& run = sarif.at("runs").at(0);
  const auto& rules = run.at("tool").at("driver").at("rules");
  EXPECT_EQ(rules.size(), epub::rules().size());
  ASSERT_EQ(run.at("results").size(), 4U);
  for (const auto& result : run.at("results")) {
    EXPECT_EQ(rules.at(result.at("ruleIndex").get<std::size_t>()).at("id"), result.at("ruleId"));
  }
  const auto& first = run.at("results").at(0);
  EXPECT_EQ(first.at("level"), "error");
  const auto& place = first.at("locations").at(0);
  EXPECT_EQ(place.at("physicalLocation").at("artifactLocation").at("uri"), "a%20b%25/%FF.epub");
  EXPECT_FALSE(place.at("physicalLocation").contains("region"));
  EXPECT_EQ(place.at("logicalLocations").at(0).at("fullyQualifiedName"), "OEBPS/one.xhtml:6:7");
  EXPECT_EQ(run.at("results").at(3).at("level"), "note");
  const auto absolute = sarif_report();
  EXPECT_TRUE(rendered(*absolute, "/a/b.epub", broken()).book.contains("\"file:///a/b.epub\""));
}

TEST(JsonReport, HasTheSameContentAsJsonLines) {
  const auto object = json::parse(rendered(*json_report(), "\xff", broken()).all());
  EXPECT_EQ(object.at("books").at(0).at("pathBase64"), "/w==");
  EXPECT_EQ(object.at("books").at(0).at("counts").at("RSC-005"), 250);
  EXPECT_EQ(object.at("books").at(0).at("findings").size(), 4U);
  EXPECT_EQ(object.at("totals").at("invalid"), 1);
  const Rendered lines = rendered(*jsonl_report(), "\xff", broken());
  EXPECT_EQ(json::parse(lines.begin).at("event"), "start");
  auto book = object.at("books").at(0);
  book["v"] = 1;
  book["event"] = "book";
  EXPECT_EQ(json::parse(lines.book), book);
  auto end = object.at("totals");
  end["v"] = 1;
  end["event"] = "end";
  end["job"] = object.at("job");
  EXPECT_EQ(json::parse(lines.end), end);
  EXPECT_EQ(end.at("found"), 1);
  EXPECT_EQ(end.at("done"), 1);
  EXPECT_EQ(end.at("failed"), 0);
}

TEST(JsonReport, IsValidWithoutBooks) {
  const auto writer = json_report();
  const auto object = json::parse(writer->begin({}) + writer->end({}));
  EXPECT_TRUE(object.at("books").empty());
  const auto sarif = sarif_report();
  EXPECT_TRUE(
      json::parse(sarif->begin({}) + sarif->end({})).at("runs").at(0).at("results").empty());
}

// Each format stays well-formed, whatever a book's name and contents are.
RC_GTEST_PROP(Reports, StayWellFormedForAnyBookContent, ()) {
  const auto bytes = [] {
    const auto sign = rc::gen::weightedOneOf<std::string>(
        {{4, rc::gen::map(rc::gen::arbitrary<char>(), [](char c) { return std::string(1, c); })},
         {3, rc::gen::element<std::string>("<", ">", "&", "\"", "'", "|", "\\", "`", "\n", "]]>",
                                           "\x1b[31m", "\uFFFE", "\uFFFF", "\u202e", "--", "é")}});
    std::string text;
    for (const std::string& one : *rc::gen::container<std::vector<std::string>>(sign)) text += one;
    return text;
  };
  const std::string path = bytes();
  BookReport report{.format = BookFormat::epub2, .title = bytes()};
  report.add(finding(kGrammar, bytes(), 3, bytes()));
  report.add(finding(kOrder, bytes(), 0, bytes()));
  Xml junit;
  RC_ASSERT(is_well_formed(rendered(*junit_report(), path, report).all(), junit));
  Xml html;  // the rest of the page is ours
  RC_ASSERT(is_well_formed("<r>" + rendered(*html_report(), path, report).book + "</r>", html));
  RC_ASSERT(json::accept(rendered(*sarif_report(), path, report).all()));
  RC_ASSERT(json::accept(rendered(*json_report(), path, report).all()));
  const std::string text = rendered(*text_report({}), path, report).book;
  RC_ASSERT(std::ranges::count(text, '\n') == 4);
  RC_ASSERT(!text.contains('\x1b'));
  const std::string markdown = rendered(*markdown_report(), path, report).book;
  RC_ASSERT(std::ranges::count(markdown, '\n') == 9);
  for (const char* row : {"\n| error |", "\n| warning |"}) {
    const std::size_t at = markdown.find(row) + 1;
    const std::string line = markdown.substr(at, markdown.find('\n', at) - at);
    RC_ASSERT(count_of(line, "|") - count_of(line, "\\|") == 5U);
  }
}

TEST(RepairReports, ShowThePlanAndAFewLinesOfEachChange) {
  RepairReport report{
      .fate = Fate::planned, .before = broken(), .after = {.format = BookFormat::epub3}};
  std::string diff;
  for (int at = 0; at < 20; ++at) diff += "-old\x1b[31m\n+new\n";
  report.plan.changes.push_back({.name = "ids", .entry = "a\nb", .what = "does it", .diff = diff});
  report.plan.declined.push_back({.rule = kGrammar, .why = "there are two answers"});
  const auto writer = repair_text({});
  const std::string text = writer->book("x\n.epub", report);
  EXPECT_TRUE(
      text.starts_with("planned  x\\n.epub  errors: 250 -> 0\n"
                       "  ids  a\\nb: does it\n      -old\\x1b[31m\n      +new\n"))
      << text;
  EXPECT_TRUE(
      text.ends_with("      ... 32 more lines\n"
                     "  not repaired: RSC-005  there are two answers\n\n"))
      << text;
  EXPECT_EQ(writer->book("x", {.fate = Fate::sound}), "");
  RepairTotals totals;
  totals.add(report);
  EXPECT_EQ(totals.now_valid, 1U);
  const auto object = repair_json(false);
  const auto read =
      json::parse(object->begin({}) + object->book("\xff", report) + object->end(totals));
  EXPECT_EQ(read.at("books").at(0).at("outcome"), "planned");
  EXPECT_EQ(read.at("books").at(0).at("changes").at(0).at("fixer"), "ids");
  EXPECT_EQ(read.at("books").at(0).at("notRepaired").at(0).at("id"), "RSC-005");
  EXPECT_EQ(read.at("totals").at("fixers").at("ids"), 1);
}

Result<command::Values> values_of(std::vector<std::string> words) {
  const command::Program program{
      .name = "tidemill", .verbs = {{.name = "books", .below = {check_verb(), repair_verb()}}}};
  words.insert(words.begin(), "books");
  auto parsed = command::parse(program, words, {});
  if (!parsed) return std::unexpected(parsed.error());
  return std::get<command::Values>(*std::move(parsed));
}

Result<CheckOptions> check_from(std::vector<std::string> words) {
  words.insert(words.begin(), "check");
  const auto values = values_of(std::move(words));
  if (!values) return std::unexpected(values.error());
  return check_options_of(*values);
}

Result<RepairOptions> repair_from(std::vector<std::string> words) {
  words.insert(words.begin(), "repair");
  const auto values = values_of(std::move(words));
  if (!values) return std::unexpected(values.error());
  return repair_options_of(*values);
}

TEST(BooksOptions, AreReadFromTheCommandLine) {
  const auto options = check_from({"a", "b", "-j3", "--timeout=5s", "--format=junit", "-o", "x.xml",
                                   "--fail-on=warning", "--checker=both", "--profile=dict"});
  ASSERT_TRUE(options) << text_of(options.error());
  EXPECT_EQ(options->work.roots, (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(options->work.workers, 3U);
  EXPECT_EQ(options->work.timeout, std::chrono::seconds(5));
  EXPECT_EQ(options->work.profile, epub::Profile::dictionary);
  EXPECT_EQ(options->report, BooksOutput::junit);
  EXPECT_EQ(options->output, "x.xml");
  EXPECT_EQ(options->fail_on, Severity::warning);
  EXPECT_EQ(options->checker, CheckerChoice::both);
  EXPECT_TRUE(options->has_cache);
}

TEST(BooksOptions, HumanFormatsShowFromWarningsAndMachineFormatsShowEverything) {
  BookReport report = broken();
  const auto shown = [&](std::vector<std::string> words) {
    words.emplace_back("a");
    const auto options = check_from(std::move(words));
    return options ? options->filter.look("x", report).remarks.size() : 0;
  };
  EXPECT_EQ(shown({}), 3U);
  EXPECT_EQ(shown({"--format=html"}), 3U);
  EXPECT_EQ(shown({"--json"}), 4U);
  EXPECT_EQ(shown({"--format=sarif"}), 4U);
  EXPECT_EQ(shown({"--min-severity=usage"}), 4U);
  EXPECT_EQ(shown({"--json", "--min-severity=error", "--ignore=RSC-005"}), 0U);
}

TEST(BooksOptions, RejectConflictingOrInvalidOptions) {
  for (const std::vector<std::string>& words :
       std::vector<std::vector<std::string>>{{},
                                             {"a", "--json", "--jsonl"},
                                             {"a", "--json", "--format=html"},
                                             {"a", "--jsonl", "--format=sarif"},
                                             {"a", "--cache=x", "--no-cache"},
                                             {"a", "--shelf=x", "--no-shelf"},
                                             {"a", "--files-from=x"},
                                             {"--files-from=x", "--glob=*.epub"},
                                             {"--files-from=x", "--checker=both"},
                                             {"a", "-0"},
                                             {"a", "--by-rule", "--json"},
                                             {"a", "--jobs=1025"},
                                             {"a", "--memory=1M"},
                                             {"a", "--fail-on=usage"}}) {
    const auto options = check_from(words);
    ASSERT_FALSE(options) << (words.empty() ? "" : words.back());
    EXPECT_EQ(options.error().step, "usage");
  }
  EXPECT_TRUE(check_from({"a", "--format=text", "--json"}));
}

TEST(BooksOptions, AcceptNamesFromEarlierVersions) {
  const auto options = check_from({"a", "-w3", "--shelf=x"});
  ASSERT_TRUE(options) << text_of(options.error());
  EXPECT_EQ(options->work.workers, 3U);
  EXPECT_EQ(options->cache, "x");
  EXPECT_FALSE(check_from({"a", "--no-shelf"})->has_cache);
  EXPECT_TRUE(repair_from({"a", "--show-declined"})->shows_declined);
  EXPECT_GT(check_from({"a", "--workers=0"})->work.workers, 0U);
}

TEST(BooksOptions, BooksMayComeFromAList) {
  const auto options = check_from({"--files-from=-", "-0"});
  ASSERT_TRUE(options) << text_of(options.error());
  EXPECT_EQ(options->work.files_from, "-");
  EXPECT_TRUE(options->work.is_nul_separated);
}

TEST(BooksOptions, RepairRequiresADestinationAndRejectsConflictingOptions) {
  for (const std::vector<std::string>& words :
       std::vector<std::vector<std::string>>{{"a", "--apply"},
                                             {"a", "--apply", "--dry-run", "--in-place"},
                                             {"a", "--apply", "--in-place", "--output=x"},
                                             {"a", "--in-place", "--backup-dir=x", "--no-backup"},
                                             {"a", "--json", "--jsonl"},
                                             {"a", "--fix=nothing"},
                                             {"a", "--no-fix=nothing"}}) {
    const auto options = repair_from(words);
    ASSERT_FALSE(options) << words.back();
    EXPECT_EQ(options.error().step, "usage");
  }
  const auto options = repair_from({"a", "--apply", "--in-place", "--tier=container"});
  ASSERT_TRUE(options) << text_of(options.error());
  EXPECT_TRUE(options->apply);
  EXPECT_TRUE(options->has_backup);
  EXPECT_EQ(options->tier, epub::Repairability::container);
  EXPECT_FALSE(repair_from({"a"})->apply);
}

}  // namespace
}  // namespace tidemill::books
