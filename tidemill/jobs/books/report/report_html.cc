// The report as one HTML page: it makes no requests and is readable without its script, which only
// filters.
//
// The totals are known last but belong at the top. They are at the end of the file, and the style
// sheet puts them above the books; readers without the style sheet have a link to them at the top.
#include <algorithm>
#include <ranges>
#include <string>
#include <vector>

#include "tidemill/formats/text/printable.h"
#include "tidemill/formats/text/quantity.h"
#include "tidemill/jobs/books/report/markup_text.h"
#include "tidemill/jobs/books/report/report_writer.h"

namespace tidemill::books {
namespace {

constexpr std::string_view kHead = R"(<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; base-uri 'none'; form-action 'none'">
<title>E-book report</title>
<style>
:root { color-scheme: light dark; --page: #fff; --text: #1c1e21; --bad: #b3261e; --warn: #7a4f00; --good: #1b6e3c; --dim: #565b61; --line: #d0d4da; --link: #0b57d0 }
@media (prefers-color-scheme: dark) { :root { --page: #16181b; --text: #e6e8ea; --bad: #ff8a80; --warn: #ffcc66; --good: #7ddb9c; --dim: #a8aeb5; --line: #3c4046; --link: #8ab4f8 } }
body { font: 15px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 75rem; padding: 0 1rem; background: var(--page); color: var(--text) }
main { display: flex; flex-direction: column }
#sums { order: 1 } #books { order: 2 }
h1 { font-size: 1.5rem; margin: 0 } h2 { font-size: 1.15rem; margin: 1.5rem 0 .5rem }
a { color: var(--link) }
.skip { position: absolute; left: -100rem } .skip:focus { position: static }
details { border-top: 1px solid var(--line); padding: .3rem 0 }
summary { cursor: pointer; overflow-wrap: anywhere } summary b { display: inline-block; min-width: 4.5em }
.wide { overflow-x: auto }
table { border-collapse: collapse; margin: .5rem 0 1rem } .wide table { width: 100% }
caption { text-align: left; color: var(--dim) }
th, td { text-align: left; vertical-align: top; padding: .2rem .8rem .2rem 0; border-bottom: 1px solid var(--line); white-space: nowrap; font-weight: normal }
thead th { font-weight: 600 }
.n { text-align: right; font-variant-numeric: tabular-nums } .id { font-family: ui-monospace, monospace }
td.place, td.what { white-space: normal; overflow-wrap: anywhere } td.place { min-width: 10rem } td.what { width: 60%; min-width: 16rem }
.sums th, .sums td { border: 0; padding: 0 2.5rem 0 0 } .sums td { font-size: 1.6rem; font-variant-numeric: tabular-nums }
.valid { color: var(--good) } .invalid, .failed, .error, .fatal { color: var(--bad) } .warning { color: var(--warn) } .info, .usage, .dim { color: var(--dim) }
.bar { display: inline-block; height: .7em; background: currentColor; opacity: .5; margin-left: .5em }
.tools { margin: .5rem 0 1rem } .tools input, .tools select { font: inherit } .tools input { width: 20rem; max-width: 100% }
:focus-visible { outline: 2px solid var(--link); outline-offset: 2px }
@media print { .tools, .skip { display: none } }
</style>
</head>
<body>
)";

constexpr std::string_view kTools = R"(<section id="books" aria-labelledby="books-title">
<h2 id="books-title">Books</h2>
<div class="tools" id="tools" hidden>
<label for="verdict">Show</label> <select id="verdict"><option value="">all books</option><option value="invalid">invalid books</option><option value="failed">failed books</option><option value="valid">valid books</option></select>
<label for="words">containing</label> <input id="words" type="search" placeholder="name, rule or word">
<button id="open" type="button">Open all</button>
<span id="count" class="dim" role="status"></span>
</div>
)";

constexpr std::string_view kScript = R"(<script>
const at = id => document.getElementById(id);
const books = Array.from(document.querySelectorAll('details'));
const texts = new Map();
const textOf = book => {
  if (!texts.has(book)) texts.set(book, book.textContent.toLowerCase());
  return texts.get(book);
};
const look = () => {
  const words = at('words').value.toLowerCase().split(/\s+/).filter(Boolean);
  const verdict = at('verdict').value;
  let shown = 0;
  for (const book of books) {
    book.hidden = (verdict && book.dataset.verdict !== verdict) || !words.every(word => textOf(book).includes(word));
    if (!book.hidden) ++shown;
  }
  at('count').textContent = words.length || verdict ? shown + ' of ' + books.length : '';
};
at('words').addEventListener('input', look);
at('verdict').addEventListener('change', look);
at('open').addEventListener('click', () => {
  const shown = books.filter(book => !book.hidden);
  const open = shown.some(book => !book.open);
  for (const book of shown) book.open = open;
  at('open').textContent = open ? 'Close all' : 'Open all';
});
at('tools').hidden = false;
</script>
)";

constexpr std::string_view kColumns =
    "<div class=\"wide\"><table><thead><tr><th scope=\"col\">Severity</th><th "
    "scope=\"col\">Rule</th><th scope=\"col\">Place</th><th "
    "scope=\"col\">Finding</th></tr></thead><tbody>\n";

std::string row(const Remark& remark) {
  const std::string severity(epub::name_of(remark.severity));
  std::string text = "<tr><td class=\"" + severity + "\">" + severity + "</td><td class=\"id\">" +
                     std::string(remark.finding->rule.text()) + "</td><td class=\"place\">" +
                     for_markup(place_text(remark.finding->place)) + "</td><td class=\"what\">" +
                     for_markup(sentence_of(*remark.finding));
  const std::string_view hint = epub::rule_of(remark.finding->rule).hint;
  if (!hint.empty()) text += " <span class=\"dim\">" + for_markup(hint) + "</span>";
  return text + "</td></tr>\n";
}

// Places that were counted but not kept.
std::string unkept(const Shown& shown) {
  std::string text;
  for (const RuleGroup& group : groups_of(shown)) {
    std::uint64_t kept = 0;
    for (const PlaceGroup& kind : group.kinds) kept += kind.places;
    if (kept == group.places) continue;
    text += "<p class=\"dim\">" + std::string(group.rule.text()) + " in " +
            text::count_text(group.places) + " places; the first " + text::count_text(kept) +
            " are shown.</p>\n";
  }
  return text;
}

std::string disagreement(const Shown& shown) {
  const Disagreement found = disagreement_of(shown);
  std::string text;
  if (!found.ours.empty()) text += "<p>Only tidemill reports " + list_of(found.ours) + ".</p>\n";
  if (!found.theirs.empty())
    text += "<p>Only EPUBCheck reports " + list_of(found.theirs) + ".</p>\n";
  return text;
}

std::string counts(const Shown& shown) {
  std::string text;
  for (const auto& [severity, count] : shown.counts | std::views::reverse) {
    if (severity < epub::Severity::warning) continue;
    text += ", " + std::string(epub::name_of(severity)) + ": " + text::count_text(count);
  }
  return text;
}

struct Sum {
  std::string_view name{};
  std::uint64_t count = 0;
};

std::string table_of(const std::vector<Sum>& sums) {
  std::string names;
  std::string counts;
  for (const Sum& sum : sums) {
    names += "<th scope=\"col\">" + std::string(sum.name) + "</th>";
    const std::string tone = sum.count > 0 ? " class=\"" + std::string(sum.name) + "\"" : "";
    counts += "<td" + tone + ">" + text::count_text(sum.count) + "</td>";
  }
  return "<table class=\"sums\"><thead><tr>" + names + "</tr></thead><tbody><tr>" + counts +
         "</tr></tbody></table>\n";
}

std::string rules(const BookTotals& totals) {
  if (totals.rules.empty()) return {};
  const auto rows = by_frequency(totals);
  const std::uint64_t most = std::max<std::uint64_t>(rows.front().second.books, 1);
  std::string text =
      "<h2>Rules</h2>\n<div class=\"wide\"><table><caption>All severities, most frequent "
      "first</caption><thead><tr><th scope=\"col\">Rule</th><th scope=\"col\">Severity</th><th "
      "scope=\"col\">Books</th><th scope=\"col\" class=\"n\">Places</th><th "
      "scope=\"col\">Finding</th></tr>"
      "</thead><tbody>\n";
  for (const auto& [rule, tally] : rows) {
    const std::string severity(epub::name_of(tally.severity));
    text += "<tr><th scope=\"row\" class=\"id\">" + std::string(rule.text()) + "</th><td class=\"" +
            severity + "\">" + severity + "</td><td class=\"" + severity + "\">" +
            text::count_text(tally.books) +
            "<span class=\"bar\" style=\"width:" + std::to_string(tally.books * 100 / most) +
            "px\"></span></td><td class=\"n\">" + text::count_text(tally.places) +
            "</td><td class=\"what\">" + for_markup(epub::rule_of(rule).title) + "</td></tr>\n";
  }
  return text + "</tbody></table></div>\n";
}

class HtmlReport final : public ReportWriter {
 public:
  std::string begin(const Heading& heading) override {
    std::string text(kHead);
    text +=
        "<a class=\"skip\" href=\"#sums\">Skip to the summary</a>\n<header>\n<h1>E-book "
        "report</h1>\n<p "
        "class=\"dim\">Checked by " +
        for_markup(heading.checker) + ", tidemill " + for_markup(heading.version);
    for (const std::string& root : heading.roots)
      text += " &middot; " + for_markup(text::printable(root));
    return text + "</p>\n</header>\n<main>\n" + std::string(kTools);
  }

  std::string book(const Shown& shown) override {
    const std::string status(name_of(shown.status));
    std::string text = "<details data-verdict=\"" + status + "\"><summary><b class=\"" + status +
                       "\">" + status + "</b> " + for_markup(text::printable(shown.path)) +
                       " <span class=\"dim\">" + for_markup(name_of(shown.report->format)) +
                       counts(shown) + "</span></summary>\n";
    if (!shown.report->title.empty())
      text += "<p>" + for_markup(text::printable(shown.report->title)) + "</p>\n";
    if (shown.remarks.empty()) {
      text += "<p class=\"dim\">No findings.</p>\n";
    } else {
      text += kColumns;
      for (const Remark& remark : shown.remarks) text += row(remark);
      text += "</tbody></table></div>\n" + unkept(shown);
    }
    return text + disagreement(shown) + "</details>\n";
  }

  std::string end(const BookTotals& totals) override {
    const std::string text =
        "</section>\n<section id=\"sums\" tabindex=\"-1\" aria-labelledby=\"sums-title\">\n<h2 "
        "id=\"sums-title\">Summary</h2>\n";
    std::vector<Sum> sums = {{.name = "found", .count = totals.found}};
    for (const BookStatus status : {BookStatus::valid, BookStatus::invalid, BookStatus::errored}) {
      sums.push_back({.name = name_of(status), .count = totals.count(status)});
    }
    if (totals.disagreements > 0) {
      sums.push_back({.name = "different results", .count = totals.disagreements});
    }
    return text + table_of(sums) + rules(totals) + "</section>\n</main>\n" + std::string(kScript) +
           "</body>\n</html>\n";
  }
};

}  // namespace

std::unique_ptr<ReportWriter> html_report() { return std::make_unique<HtmlReport>(); }

}  // namespace tidemill::books
