#include "tidemill/formats/html/page.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>

#include "tidemill/formats/html/html_testing.h"
#include "tidemill/formats/html/progress_bar.h"
#include "tidemill/formats/html/style_sheet.h"
#include "tidemill/formats/html/table.h"

namespace tidemill::html {
namespace {

TEST(Page, AFileHasTheStyleSheetAndAPolicyThatLoadsNothing) {
  const std::string html =
      page({.title = "t", .script_url = "/x.js", .refresh = std::chrono::seconds(5)}, words("x"));
  EXPECT_EQ(mistake_in(html), "");
  EXPECT_NE(html.find("<style>" + std::string(style_sheet()) + "</style>"), std::string::npos);
  const auto policy = html.find("http-equiv=\"Content-Security-Policy\"");
  EXPECT_LT(policy, html.find("<style>"));
  EXPECT_NE(html.find("default-src &#39;none&#39;; style-src &#39;sha256-"), std::string::npos);
  EXPECT_EQ(html.find("<script"), std::string::npos);
  EXPECT_EQ(html.find("<link"), std::string::npos);
  EXPECT_EQ(html.find("http-equiv=\"refresh\""), std::string::npos);
}

TEST(Page, AServedPageHasNoInlineStyleAndLoadsItsOwnFilesOnly) {
  const std::string html = page({.title = "t",
                                 .kind = PageKind::served,
                                 .links = {{"Runs", "/", true}, {"Hosts", "/hosts"}},
                                 .script_url = "/live.js",
                                 .refresh = std::chrono::seconds(5)},
                                words("x"));
  EXPECT_EQ(mistake_in(html), "");
  EXPECT_EQ(html.find("<style"), std::string::npos);
  EXPECT_EQ(html.find(" style="), std::string::npos);
  EXPECT_NE(html.find("<link rel=\"stylesheet\" href=\"/style.css\">"), std::string::npos);
  EXPECT_NE(html.find("<script src=\"/live.js\" defer></script>"), std::string::npos);
  EXPECT_NE(html.find("<noscript><meta http-equiv=\"refresh\" content=\"5\"></noscript>"),
            std::string::npos);
  EXPECT_NE(html.find("<a href=\"/\" aria-current=\"page\">Runs</a><a href=\"/hosts\">Hosts</a>"),
            std::string::npos);
}

TEST(Page, TheHashIsThatOfTheStyleSheet) {
  EXPECT_EQ(style_sheet_hash().size(), 64U);
  EXPECT_EQ(file_policy().find("sha256-"), file_policy().rfind("sha256-"));
  EXPECT_EQ(file_policy().substr(file_policy().find("sha256-") + 50, 2),
            "='");  // 32 bytes in base64
}

TEST(DataTable, HasHeadersOfColumnsAndRows) {
  const std::string html = data_table({.caption = "Failures",
                                       .columns = {{.title = "tasks", .is_number = true},
                                                   {.title = "reason", .is_header = true},
                                                   {.title = "action", .is_title_hidden = true}},
                                       .rows = {{words("7"), words("timed out")}}})
                               .str();
  EXPECT_EQ(mistake_in(html), "");
  EXPECT_NE(html.find("<section class=\"scroll\" tabindex=\"0\" aria-label=\"Failures\""),
            std::string::npos);
  EXPECT_NE(html.find("<caption class=\"quiet\">Failures</caption>"), std::string::npos);
  EXPECT_NE(html.find("<td class=\"number\">7</td><th scope=\"row\">timed out</th><td></td>"),
            std::string::npos);
  EXPECT_NE(html.find("<span class=\"hidden\">action</span>"), std::string::npos);
}

TEST(DataTable, BarsHaveTheirShareInWords) {
  EXPECT_NE(share_bar(0.77, 1).str().find(" 77 %"), std::string::npos);
  EXPECT_NE(share_bar(0.004, 0.5).str().find("0.4 %"), std::string::npos);
  EXPECT_NE(share_bar(0.0004, 0.5).str().find("&lt;0.1 %"), std::string::npos);
  for (const double share : {std::nan(""), std::numeric_limits<double>::infinity(), -3.0}) {
    EXPECT_NE(share_bar(share, share).str().find(" 0 %"), std::string::npos);
    EXPECT_EQ(mistake_in(share_bar(share, share).str()), "");
  }
}

TEST(ProgressBar, NamesEveryPart) {
  const std::string html = progress_bar({.done = 98, .skipped = 1, .failed = 1, .left = 100}).str();
  EXPECT_EQ(mistake_in(html), "");
  EXPECT_EQ(attribute_of(html, "aria-label"),
            "Progress: 98 done (49 %), 1 failed (0.5 %), 1 skipped (0.5 %), 100 left (50 %)");
  EXPECT_NE(html.find("<b>98</b> done"), std::string::npos);
  EXPECT_NE(html.find("of 200"), std::string::npos);
}

TEST(ProgressBar, OneFailureOfAMillionIsSeenAndIsNotAllDone) {
  const std::string html = progress_bar({.done = 999'999, .failed = 1}).str();
  EXPECT_NE(html.find("<rect class=\"fill red\" x=\"994\" y=\"0\" width=\"6\""), std::string::npos);
  EXPECT_NE(html.find("999,999 done (&gt;99.9 %), 1 failed (&lt;0.1 %)"), std::string::npos);
}

TEST(ProgressBar, WithoutTasksOrWhileCountingItHasNoPercentage) {
  EXPECT_EQ(progress_bar({}).str().find('%'), std::string::npos);
  EXPECT_EQ(mistake_in(progress_bar({}).str()), "");
  const std::string html = progress_bar({.done = 1, .left = 2, .is_counting = true}).str();
  EXPECT_EQ(html.find('%'), std::string::npos);
  EXPECT_NE(html.find("found so far: 3"), std::string::npos);
  const std::uint64_t most = std::numeric_limits<std::uint64_t>::max() / 4;
  EXPECT_EQ(
      mistake_in(progress_bar({.done = most, .skipped = most, .failed = most, .left = most}).str()),
      "");
}

}  // namespace
}  // namespace tidemill::html
