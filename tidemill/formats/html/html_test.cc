#include "tidemill/formats/html/html.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "tidemill/formats/html/html_testing.h"
#include "tidemill/formats/html/page.h"
#include "tidemill/formats/html/parts.h"
#include "tidemill/formats/html/plots/histogram.h"
#include "tidemill/formats/html/plots/host_bands.h"
#include "tidemill/formats/html/plots/time_plot.h"
#include "tidemill/formats/html/plots/treemap.h"
#include "tidemill/formats/html/table.h"

namespace tidemill::html {
namespace {

const std::string kHostile =
    "</title></style><script>alert(1)</script>\"' onload='x' &amp;\n\r\t\x1b[2J\x7f\xff\xc0"
    "\xe2\x80\xae"
    "rtl\xe2\x80\xa8";

// Everything of it is shown, and nothing of it is markup.
void expect_harmless(const std::string& html) {
  EXPECT_EQ(mistake_in(html), "") << html;
  EXPECT_EQ(html.find("<script"), std::string::npos);
  EXPECT_EQ(html.find("onload='"), std::string::npos);
  EXPECT_EQ(html.find_first_of(std::string("\r\t\x1b\x7f\xff\xc0")), std::string::npos);
  EXPECT_EQ(html.find("\xe2\x80\xae"), std::string::npos);
  EXPECT_EQ(html.find("\xe2\x80\xa8"), std::string::npos);
}

TEST(Html, EscapesTextAndAttributes) {
  Html html;
  html.element("p", {{"title", kHostile}, {"class", "a\"b"}}, kHostile);
  html.element("p", {}, [&] { html.name(kHostile); });
  const std::string written = html.finish().str();
  expect_harmless(written);
  EXPECT_EQ(written.find('\n'), std::string::npos);
  EXPECT_NE(written.find("&lt;script&gt;alert(1)&lt;/script&gt;&quot;&#39; onload=&#39;x&#39;"),
            std::string::npos);
  EXPECT_NE(written.find("class=\"a&quot;b\""), std::string::npos);
  EXPECT_NE(written.find("&amp;amp;\\n\\r\\t\\x1b[2J\\x7f\\xff\\xc0\\u{202e}rtl\\u{2028}"),
            std::string::npos);
}

TEST(Html, ABackslashIsDoubledInNamesOnly) {
  EXPECT_EQ(Html().text("a\\b").finish().str(), "a\\b");
  EXPECT_EQ(Html().name("a\\b").finish().str(), "a\\\\b");
  EXPECT_EQ(Html().text("\\\n\\").finish().str(), "\\\\n\\");
}

TEST(Html, KnowsVoidElementsAndLeavesOfSvg) {
  Html html;
  html.element("br").element("path", {{"d", "M0 0"}}).element("div");
  html.element("b", {}, [&] { html.element("i", {}, "x"); });
  EXPECT_EQ(html.finish().str(), "<br><path d=\"M0 0\"/><div></div><b><i>x</i></b>");
}

TEST(Html, WritesNumbersWithoutExponentsAndNeverNan) {
  const double infinite = std::numeric_limits<double>::infinity();
  Html html;
  html.element("rect", {{"a", 12.34},
                        {"b", 2.0},
                        {"c", -0.04},
                        {"d", std::nan("")},
                        {"e", infinite},
                        {"f", 1e300},
                        {"g", 0.000001},
                        {"h", -2.5}});
  html.element("rect", {{"a", std::uint64_t{18446744073709551615U}}, {"b", true}, {"c", false}});
  EXPECT_EQ(html.finish().str(),
            "<rect a=\"12.3\" b=\"2\" c=\"0\" d=\"0\" e=\"0\" f=\"1000000\" g=\"0\" h=\"-2.5\"/>"
            "<rect a=\"18446744073709551615\" b/>");
}

TEST(Html, LinksRunNothing) {
  for (const char* url :
       {"javascript:alert(1)", " javascript:alert(1)", "JAVASCRIPT:x", "data:text/html,x",
        "java\nscript:x", "//host/x", "\\\\host\\x", "vbscript:x", "x:y/z"}) {
    Html html;
    html.element("a", {{"href", url}}, "x");
    EXPECT_EQ(html.finish().str(), "<a href=\"#\">x</a>") << url;
  }
  for (const char* url :
       {"/runs/1", "#main", "?q=a:b", "run:1/../x?y", "https://host/a:b", "runs/a:b"}) {
    const bool is_other_scheme = std::string(url).starts_with("run:");
    Html html;
    html.element("a", {{"href", url}}, "x");
    EXPECT_EQ(attribute_of(html.finish().str(), "href"), is_other_scheme ? "#" : url);
  }
}

TEST(Html, NoPartOfAPageLetsAHostileTextThrough) {
  const WallTime start{};
  const std::vector<PageFact> facts = {{kHostile, kHostile}};
  const std::vector<SafeHtml> parts = {
      card(kHostile, kHostile, words(kHostile)),
      fact_list(facts),
      command_box(kHostile),
      page_heading(kHostile, kHostile, kHostile),
      data_table({.caption = kHostile,
                  .columns = {{.title = kHostile}, {.title = kHostile, .is_title_hidden = true}},
                  .rows = {{words(kHostile), file_name(kHostile)}}}),
      time_plot({.title = kHostile,
                 .time_text = [](WallTime, TimeDetail) { return kHostile; },
                 .series = {{.name = kHostile,
                             .samples = {{start, 1}, {start + std::chrono::hours(1), 2}}},
                            {.name = kHostile}}}),
      histogram({.title = kHostile,
                 .counted = kHostile,
                 .buckets = {{1, 2, 3}},
                 .marks = {{kHostile, 1.5}}}),
      host_bands(
          {.title = kHostile,
           .range = {start, start + std::chrono::hours(1)},
           .time_text = [](WallTime, TimeDetail) { return kHostile; },
           .hosts = {{kHostile, {{start, start + std::chrono::hours(1), HostState::away}}}}}),
      treemap({.title = kHostile, .labelled = kHostile, .items = {{kHostile, 1}}})};
  Html body;
  for (const SafeHtml& part : parts) {
    expect_harmless(part.str());
    body.add(part);
  }
  PageFrame frame{.title = kHostile,
                  .lang = kHostile,
                  .links = {{kHostile, kHostile}},
                  .status = words(kHostile),
                  .footer = words(kHostile)};
  expect_harmless(page(frame, body.finish()));
}

}  // namespace
}  // namespace tidemill::html
