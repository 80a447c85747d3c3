#include "tidemill/formats/epub/content/xhtml/rules.h"

#include <gtest/gtest.h>

#include <ctime>
#include <map>
#include <string>

#include "tidemill/formats/epub/content/document_check.h"
#include "tidemill/formats/epub/content/epub_type.h"
#include "tidemill/formats/epub/grammar/grammars.h"

namespace tidemill::epub {
namespace {

using Ids = std::map<std::string, std::uint64_t>;

struct Setting {
  bool is_fixed = false;
  bool is_nav = false;
  Profile profile = Profile::none;
};

Ids check(const std::string& document, Setting setting = {}) {
  Inspection book{.profile = setting.profile};
  Document entry{
      .book = &book, .path = "a.xhtml", .is_nav = setting.is_nav, .is_fixed = setting.is_fixed};
  XhtmlRules rules(entry);
  const xml::ParseOutcome outcome = xml::read(document, rules);
  EXPECT_FALSE(outcome.mistake.has_value()) << outcome.mistake->text << '\n' << document;
  rules.finish();
  book.tell_held();
  Ids ids;
  for (const Finding& finding : book.findings.kept()) ++ids[std::string(finding.rule.text())];
  return ids;
}

std::string page(const std::string& head, const std::string& body,
                 const std::string& attributes = {}) {
  return "<html xmlns='http://www.w3.org/1999/xhtml' xmlns:epub='http://www.idpf.org/2007/ops' "
         "xmlns:ssml='http://www.w3.org/2001/10/synthesis' " +
         attributes + "><head>" + head + "</head>" + body + "</html>";
}

Ids in_body(const std::string& body, Setting setting = {}) {
  return check(page("<title>t</title>", "<body>" + body + "</body>"), setting);
}

Ids in_head(const std::string& head, Setting setting = {}) {
  return check(page("<title>t</title>" + head, "<body/>"), setting);
}

const Ids kFine;
const Ids kOne = {{"RSC-005", 1}};

TEST(XhtmlRules, RejectInteractiveContentInLinksAndButtons) {
  EXPECT_EQ(in_body("<a href='x'><span><a href='y'/></span></a>"), kOne);
  EXPECT_EQ(in_body("<a href='x'/><a href='y'/>"), kFine);
  EXPECT_EQ(in_body("<button><input type='text'/></button>"), kOne);
  EXPECT_EQ(in_body("<button><input type='hidden'/></button>"), kFine);
  EXPECT_EQ(in_body("<a href='x'><audio/><video controls=''/></a>"), kOne);
  EXPECT_EQ(in_body("<a><button><select/></button></a>"), (Ids{{"RSC-005", 3}}));
}

TEST(XhtmlRules, SkipDocumentWideRulesWhenNotWellFormed) {
  const auto ids = [](std::string_view end) {
    Inspection book;
    Document entry{.book = &book, .path = "a.xhtml"};
    const std::string text =
        page("<title>t</title>", "<body><p id='x' zz=''/><p id='x'/>" + std::string(end));
    check_markup(entry, Markup::xhtml, [&](const ContentSink& sink) -> Result<void> {
      sink(text);
      return {};
    });
    Ids found;
    for (const Finding& finding : book.findings.kept()) ++found[std::string(finding.rule.text())];
    return found;
  };
  EXPECT_EQ(ids("</body>"), (Ids{{"RSC-005", 3}}));
  EXPECT_EQ(ids("</bdy>"), (Ids{{"RSC-005", 1}, {"RSC-016", 1}}));
}

TEST(XhtmlRules, RejectForbiddenNesting) {
  for (const auto& [outer, inner] : std::map<std::string, std::string>{{"form", "form"},
                                                                       {"dfn", "dfn"},
                                                                       {"header", "footer"},
                                                                       {"address", "header"},
                                                                       {"caption", "table"},
                                                                       {"label", "label"},
                                                                       {"audio", "video"}}) {
    const std::string open = "<" + outer + ">";
    const std::string close = "</" + outer + ">";
    EXPECT_EQ(in_body(open + "<i><" + inner + "/></i>" + close), kOne) << outer << ' ' << inner;
    EXPECT_EQ(in_body(open + close + "<" + inner + "/>"), kFine) << outer << ' ' << inner;
  }
  EXPECT_EQ(in_body("<area/>"), kOne);
  EXPECT_EQ(in_body("<map name='m'><area/></map>"), kFine);
  EXPECT_EQ(in_body("<a><img ismap=''/></a>"), kOne);
  EXPECT_EQ(in_body("<a href='x'><img ismap=''/></a>"), kFine);
  EXPECT_EQ(in_body("<p ssml:ph='x'><i ssml:ph='y'/></p>"), kOne);
}

TEST(XhtmlRules, RequireUniqueIdsAndReferencesToTheRightKind) {
  EXPECT_EQ(in_body("<p id='a'/><p id='a'/><p id='a'/>"), (Ids{{"RSC-005", 3}}));
  EXPECT_EQ(in_body("<p aria-describedby='a b'/><p id='a'/>"), kOne);
  EXPECT_EQ(in_body("<p aria-describedby='a b'/><p id='a'/><p id='b'/>"), kFine);
  EXPECT_EQ(in_body("<label for='a'/><input id='a'/>"), kFine);
  EXPECT_EQ(in_body("<label for='a'/><input type='hidden' id='a'/>"), kOne);
  EXPECT_EQ(in_body("<input list='a'/><datalist id='a'/>"), kFine);
  EXPECT_EQ(in_body("<input list='a'/><div id='a'/>"), kOne);
  EXPECT_EQ(in_body("<div aria-activedescendant='a'><p id='a'/></div>"), kFine);
  EXPECT_EQ(in_body("<div aria-activedescendant='a'/><p id='a'/>"), kOne);
  EXPECT_EQ(in_body("<table><tr><th id='a'/><td headers='a'/></tr></table>"), kFine);
  EXPECT_EQ(
      in_body("<table><tr><td headers='a'/></tr></table><table><tr><th id='a'/></tr></table>"),
      kOne);
  EXPECT_EQ(in_body("<table><tr><td id='a'/><td headers='a'/></tr></table>"), kOne);
}

TEST(XhtmlRules, CheckConditionsOfSingleElements) {
  EXPECT_EQ(in_body("<bdo>x</bdo>"), kOne);
  EXPECT_EQ(in_body("<map name='a' id='b'/>"), kOne);
  EXPECT_EQ(in_body("<map name='a'/><map name='a'/>"), kOne);
  EXPECT_EQ(in_body("<p lang='de' xml:lang='DE'/>"), kFine);
  EXPECT_EQ(in_body("<p lang='de' xml:lang='en'/>"), kOne);
  EXPECT_EQ(in_body("<select><option selected=''/><option selected=''/></select>"), kOne);
  EXPECT_EQ(in_body("<select multiple=''><option selected=''/><option selected=''/></select>"),
            kFine);
  EXPECT_EQ(in_body("<video><track default='' label='x'/><track default=''/></video>"), kOne);
  EXPECT_EQ(in_body("<video><track label=' '/></video>"), kOne);
  EXPECT_EQ(in_body("<a itemprop='x'/>"), kOne);
  EXPECT_EQ(in_body("<p role='doc-endnote'/>"), (Ids{{"RSC-017", 1}}));
  EXPECT_EQ(in_body("<p ssml:ph=' '/>"), (Ids{{"HTM-007", 1}}));
  EXPECT_EQ(in_body("<embed/>"), (Ids{{"HTM-055", 1}}));
  EXPECT_EQ(in_body("<p data-x='' data-1='' data-X='' data-=''/>"), (Ids{{"HTM-061", 3}}));
  EXPECT_EQ(in_body("<p xmlns:x='http://www.w3.org/mine' x:y=''/>"), (Ids{{"HTM-054", 1}}));
  EXPECT_EQ(in_body("<p xmlns:x='http://example.org/mine' x:y=''/>"), kFine);
  EXPECT_EQ(in_body("<p xmlns:epub='http://example.org/epub'/>"), (Ids{{"HTM-010", 1}}));
  EXPECT_EQ(in_body("<epub:switch/>"), (Ids{{"RSC-017", 1}}));
}

TEST(XhtmlRules, RequireTextAlternativesForMathAndSvgLinks) {
  const std::string math = "<math xmlns='http://www.w3.org/1998/Math/MathML'";
  EXPECT_EQ(in_body(math + "/>"), (Ids{{"ACC-009", 1}}));
  EXPECT_EQ(in_body(math + " alttext='x'/>"), kFine);
  EXPECT_EQ(in_body(math + "><annotation-xml/></math>"), kFine);
  EXPECT_EQ(in_body("<svg xmlns='http://www.w3.org/2000/svg'><a/></svg>"), (Ids{{"ACC-011", 1}}));
  EXPECT_EQ(in_body("<svg xmlns='http://www.w3.org/2000/svg'><a><title/></a></svg>"), kFine);
}

TEST(XhtmlRules, CheckTitleMetaAndLinksInTheHead) {
  EXPECT_EQ(check(page("", "<body/>")), (Ids{{"RSC-017", 1}}));
  EXPECT_EQ(check(page("<title> </title>", "<body/>")), kOne);
  EXPECT_EQ(in_head("<meta charset='utf-8'/><meta charset='utf-8'/>"), kOne);
  EXPECT_EQ(in_head("<meta http-equiv='Content-Type' content='text/html;  charset=UTF-8'/>"),
            kFine);
  EXPECT_EQ(in_head("<meta http-equiv='Content-Type' content='text/html; charset=latin1'/>"), kOne);
  EXPECT_EQ(in_head("<meta http-equiv='content-type' content='text/html; charset=utf-8'/>"
                    "<meta charset='utf-8'/>"),
            kOne);
  EXPECT_EQ(in_head("<link rel='stylesheet alternate' href='x'/>"), (Ids{{"CSS-015", 1}}));
  EXPECT_EQ(in_head("<link rel='x' sizes='any' href='x'/>"), kOne);
  EXPECT_EQ(in_head("<link rel='x' class='day night' href='x'/>"), (Ids{{"CSS-005", 1}}));
}

TEST(XhtmlRules, RequireAViewportSizeInFixedLayout) {
  const auto viewport = [](const std::string& content) {
    return in_head("<meta name='viewport' content='" + content + "'/>", {.is_fixed = true});
  };
  EXPECT_EQ(in_head("", {.is_fixed = true}), (Ids{{"HTM-046", 1}}));
  EXPECT_EQ(viewport("width=600, height=800"), kFine);
  EXPECT_EQ(viewport("width = device-width;height=8.5 "), kFine);
  EXPECT_EQ(viewport("width=600"), (Ids{{"HTM-056", 1}}));
  EXPECT_EQ(viewport("width=600px height=1"), (Ids{{"HTM-057", 1}}));
  EXPECT_EQ(viewport("width=1,width=2,height=1"), (Ids{{"HTM-059", 1}}));
  EXPECT_EQ(viewport("width=1,height"), (Ids{{"HTM-057", 1}}));
  for (const auto* const bad :
       {"", ",width=1,height=1", "width=1,height=1,", "width=", "width=1=2,height=1"}) {
    EXPECT_EQ(viewport(bad), (Ids{{"HTM-047", 1}})) << bad;
  }
  EXPECT_EQ(in_head("<meta name='viewport' content='x'/>"), (Ids{{"HTM-060b", 1}}));
  EXPECT_EQ(in_head("<meta name='viewport' content='width=1,height=1'/>"
                    "<meta name='viewport' content='x'/>",
                    {.is_fixed = true}),
            (Ids{{"HTM-060a", 1}}));
}

TEST(XhtmlRules, RequireKnownOrPrefixedTypes) {
  EXPECT_EQ(in_body("<p epub:type='chapter toc'/>"), kFine);
  EXPECT_EQ(in_body("<p epub:type='zz'/>"), (Ids{{"OPF-088", 1}}));
  EXPECT_EQ(in_body("<p epub:type='help'/>"), (Ids{{"OPF-086b", 1}}));
  EXPECT_EQ(in_body("<p epub:type='table-row'/>"), (Ids{{"OPF-087", 1}}));
  EXPECT_EQ(in_body("<p epub:type='x:y'/>"), (Ids{{"OPF-028", 1}}));
  EXPECT_EQ(in_body("<p epub:type='msv:y prism:z'/>"), kFine);
  EXPECT_EQ(check(page("<title>t</title>", "<body><p epub:type='x:y'/></body>",
                       "epub:prefix='x: http://example.org/x'")),
            kFine);
  EXPECT_EQ(standing_of_type("index-entry"), TypeStanding::known);
}

TEST(XhtmlRules, DeriveTraitsFromTypes) {
  Inspection book;
  Document entry{.book = &book, .path = "a.xhtml"};
  XhtmlRules rules(entry);
  (void)xml::read(page("<title>t</title>",
                       "<body epub:type='index'><i epub:type='pagebreak dictionary'/></body>"),
                  rules);
  const Traits& traits = book.traits["a.xhtml"];
  EXPECT_TRUE(traits.has_index && traits.has_page_breaks && traits.has_dictionary);
}

TEST(XhtmlRules, RequireIndexEntriesWithATermAndALocator) {
  const auto index = [](const std::string& body, const std::string& attributes = {}) {
    return check(page("<title>t</title>", "<body " + attributes + ">" + body + "</body>"),
                 {.profile = Profile::index});
  };
  const std::string type = "epub:type='index'";
  const std::string item =
      "<li><span epub:type='index-term'>x</span><a epub:type='index-locator' href='y'>1</a></li>";
  EXPECT_EQ(index("<ul>" + item + item + "</ul>", type), kFine);
  EXPECT_EQ(index("<p>nothing</p>"), kOne);
  EXPECT_EQ(index("<section " + type + "><ul>" + item + "</ul></section>"), kOne);
  EXPECT_EQ(index("<ul><li><span epub:type='index-term'>x</span></li></ul>", type), kOne);
  EXPECT_EQ(index("<ul><li><a epub:type='index-locator' href='y'>1</a></li></ul>", type), kOne);
  EXPECT_EQ(index("<ul>" + item + "</ul><ul>" + item + "</ul>", type), kOne);
  EXPECT_EQ(index("<ul/>", type), kOne);
  EXPECT_EQ(index("<section epub:type='index-group'><ul>" + item + "</ul></section>", type), kFine);
  EXPECT_EQ(index("<div epub:type='index-group'><ul>" + item + "</ul></div>", type), kOne);
}

TEST(XhtmlRules, RequireDictionaryArticlesThatDefineWords) {
  const auto dictionary = [](const std::string& inside) {
    return in_body("<section epub:type='dictionary'>" + inside + "</section>",
                   {.profile = Profile::dictionary});
  };
  EXPECT_EQ(dictionary("<article><p><dfn>x</dfn></p></article>"), kFine);
  EXPECT_EQ(dictionary("<article><p>x</p></article>"), kOne);
  EXPECT_EQ(dictionary("<p/>"), kOne);
  EXPECT_EQ(dictionary("<article><aside epub:type='condensed-entry' hidden=''><dfn>x</dfn></aside>"
                       "</article>"),
            kOne);
  EXPECT_EQ(dictionary("<article><dfn>x</dfn><i epub:type='tran-info'/></article>"), kOne);
}

TEST(XhtmlRules, RequireSectionHeadingsInTheEducationProfile) {
  const Setting education{.profile = Profile::education};
  EXPECT_EQ(in_body("<section><h1>x</h1><section><h2>y</h2></section></section>", education),
            kFine);
  EXPECT_EQ(in_body("<section><h1>x</h1><section><p>y</p></section></section>", education), kOne);
  EXPECT_EQ(in_body("<section><h1>x</h1><section><h3>y</h3></section></section>", education), kOne);
  EXPECT_EQ(in_body("<section><h1><img alt='x'/></h1></section>", education), kFine);
  EXPECT_EQ(in_body("<section><h1><img/></h1></section>", education), kOne);
  EXPECT_EQ(in_body("<section aria-label='x'><h1>x</h1></section>", education), kOne);
  EXPECT_EQ(in_body("<section><h1>x</h1><p epub:type='subtitle'>y</p></section>", education), kOne);
  EXPECT_EQ(in_body("<section><h1>x</h1><section><h2>y</h2></section><p/></section>", education),
            kOne);
}

TEST(XhtmlRules, RunInLinearTime) {
  const auto cost = [](std::size_t count) {
    std::string body;
    for (std::size_t i = 0; i < count; ++i) {
      const std::string id = std::to_string(i);
      body += "<table><tr><td headers='h" + id + "' aria-activedescendant='x" + id + "'><p id='x" +
              id + "'/></td><th id='h" + id + "'/></tr></table>";
    }
    const std::clock_t begin = std::clock();
    EXPECT_EQ(in_body(body, {.profile = Profile::education}), (Ids{{"RSC-005", 1}}));
    return static_cast<double>(std::clock() - begin);
  };
  const double small = cost(2'000);
  EXPECT_LT(cost(16'000), 40 * (small + 0.001 * CLOCKS_PER_SEC));
}

TEST(Xhtml5Grammar, CoversHtml5AndEpubExtensions) {
  class Count final : public GrammarListener {
   public:
    void mistake(std::string /*sentence*/, xml::Position /*where*/) override { ++mistakes; }
    int mistakes = 0;
  };
  const auto mistakes = [](const std::string& body, const Grammar& grammar = xhtml5_grammar()) {
    Count count;
    GrammarCheck checker(grammar, count);
    (void)xml::read(page("<title>t</title>", "<body>" + body + "</body>"), checker);
    return count.mistakes;
  };
  EXPECT_EQ(mistakes("<p epub:type='x'>a<a href='y'><em>b</em></a><my-own q='1'/></p>"), 0);
  EXPECT_EQ(mistakes("<a href='y'><p/></a><p><a href='y'><p/></a></p>"), 1);
  EXPECT_EQ(mistakes("<center/><font/><noscript/>"), 3);
  EXPECT_EQ(mistakes("<input type='CHECKBOX' checked='CHECKED'/><input type='text' checked=''/>"),
            1);
  EXPECT_EQ(mistakes("<time datetime='2020'><b/></time><time><b/></time>"), 1);
  EXPECT_EQ(mistakes("<video src='x'><track src='y'/></video><video src='x'><source src='y'/>"
                     "</video>"),
            1);
  EXPECT_EQ(mistakes("<figure><p/><figcaption/></figure><figure><p/><figcaption/><p/></figure>"),
            1);
  EXPECT_EQ(mistakes("<dl><dt/><dd/><div><dt/><dd/></div></dl><dl><div><dt/><dd/></div></dl>"), 3);
  EXPECT_EQ(mistakes("<table border='1'><tr><td colspan='0'/></tr></table>"), 1);
  EXPECT_EQ(mistakes("<epub:switch><epub:case required-namespace='u'><x xmlns='urn:x'/></epub:case>"
                     "<epub:default/></epub:switch>"),
            0);
  const std::string nav = "<nav epub:type='toc'><ol><li><a href='x'>x</a></li></ol></nav>";
  EXPECT_EQ(mistakes(nav, nav_grammar()), 0);
  EXPECT_EQ(mistakes("<nav epub:type='toc'><ul/></nav><nav><ul/></nav>", nav_grammar()), 2);
}

}  // namespace
}  // namespace tidemill::epub
