#include "tidemill/ui/command/help/man.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tidemill/ui/command/sample_program.h"
#include "tidemill/ui/command/shell_check.h"

namespace tidemill::command {
namespace {

constexpr std::string_view kDate = "2026-01-31";

TEST(Man, EscapesRoffSyntax) {
  EXPECT_EQ(roff(".TH"), "\\&.TH");
  EXPECT_EQ(roff("'quote"), "\\&\\(aqquote");
  EXPECT_EQ(roff("a\\b --c"), "a\\eb \\-\\-c");
  EXPECT_EQ(roff("say \"x\" ~`^"), "say \\(dqx\\(dq \\(ti\\(ga\\(ha");
  EXPECT_EQ(roff("a\n.b\t"), "a .b");
  EXPECT_EQ(roff("A…"), "A\\[u2026]");
  EXPECT_EQ(roff("\xff"), "?");
}

TEST(Man, ThereIsAPageForTheProgramAndEachVerb) {
  std::vector<std::string> files;
  for (const auto& page : man_pages(sample::program(), kDate)) files.push_back(page.file);
  EXPECT_EQ(files, (std::vector<std::string>{"mill.1", "mill-each.1", "mill-letters.1",
                                             "mill-letters-retry.1", "mill-letters-drop.1",
                                             "mill-show.1", "mill-copy.1"}));
}

TEST(Man, SectionsAreInOrder) {
  const auto program = sample::program();
  const auto page = man_page(program, &program.verbs.front(), kDate).text;
  std::size_t at = 0;
  for (const std::string title :
       {"NAME", "SYNOPSIS", "EXAMPLES", "DESCRIPTION", "ARGUMENTS", "OPTIONS", "NOTES",
        "ENVIRONMENT", "FILES", "EXIT STATUS", "SEE ALSO"}) {
    const auto found = page.find(".SH \"" + title + "\"\n");
    ASSERT_NE(found, std::string::npos) << title;
    EXPECT_GE(found, at) << title;
    at = found;
  }
  EXPECT_TRUE(page.starts_with(".TH \"MILL\\-EACH\" \"1\" \"2026-01-31\" \"mill 1.2.3\"\n"))
      << page;
  EXPECT_EQ(page, man_page(program, &program.verbs.front(), kDate).text);
}

TEST(Man, PassesMandocLintWithoutWarnings) {
  if (!has_tool("mandoc")) GTEST_SKIP() << "mandoc is not installed";
  for (const auto& page : man_pages(sample::program(), kDate)) {
    const TextFile file(page.file, page.text);
    const auto ran = run_shell("mandoc -T lint -W warning " + file.path());
    EXPECT_EQ(ran.status, 0) << page.text;
    EXPECT_EQ(ran.output, "") << page.text;
  }
}

TEST(Man, MandocRendersTheTextAsWritten) {
  if (!has_tool("mandoc")) GTEST_SKIP() << "mandoc is not installed";
  const auto program = sample::program();
  const auto page = man_page(program, &program.verbs.front(), kDate);
  const TextFile file(page.file, page.text);
  const auto ran = run_shell("mandoc -T utf8 -O width=200 " + file.path() + " | col -bx");
  for (const std::string text : {".starts with a dot, 'and a quote, and has a back\\slash.",
                                 "$ mill each --exclude '*.o' -- sh -c 'echo \\\\ \"$1\"'",
                                 "mill each [ROOT…] [OPTIONS] -- COMMAND [ARGS…]", "-j, --jobs=N",
                                 "skip names like [a-z] (repeatable)", "Nothing is \"rounded\"."}) {
    EXPECT_NE(ran.output.find(text), std::string::npos) << text << "\n" << ran.output;
  }
}

}  // namespace
}  // namespace tidemill::command
