#include "tidemill/ui/term/table.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include "tidemill/formats/text/columns.h"

namespace tidemill::term {
namespace {

Table runs() {
  Table table({{.heading = "RUN", .align = Align::right},
               {.heading = "STATE"},
               {.heading = "FAILED", .align = Align::right},
               {.heading = "COMMAND"}});
  table.add({"7", "done", "0", "convert {} {.}.png"});
  table.add({"12", "broken", "118", "sh -c 'a very long command that processes >out.txt'"});
  return table;
}

TEST(Table, ColumnsLineUp) {
  EXPECT_EQ(runs().text(),
            "RUN  STATE   FAILED  COMMAND\n"
            "  7  done         0  convert {} {.}.png\n"
            " 12  broken     118  sh -c 'a very long command that processes >out.txt'\n");
}

TEST(Table, ShortensTheWidestTextFirst) {
  EXPECT_EQ(runs().text(50),
            "RUN  STATE   FAILED  COMMAND\n"
            "  7  done         0  convert {} {.}.png\n"
            " 12  broken     118  sh -c 'a very …sses >out.txt'\n");
}

TEST(Table, ShortensNumbersLast) {
  EXPECT_EQ(runs().text(33),
            "RUN  STATE   FAILED  COMMAND\n"
            "  7  done         0  conve….}.png\n"
            " 12  broken     118  sh -c…t.txt'\n");
}

TEST(Table, KeepsANumberIntactEvenIfItIsWiderThanTheText) {
  Table table({{.heading = "BYTES", .align = Align::right}, {.heading = "NAME"}});
  table.add({"18,446,744,073", "a-name-of-20-columns"});
  EXPECT_EQ(table.text(28), "         BYTES  NAME\n18,446,744,073  a-nam…olumns\n");
}

TEST(Table, MeasuresDisplayWidthAndEscapesControlCharacters) {
  Table table({{.heading = "NAME"}, {.heading = "N", .align = Align::right}});
  table.add({"漢字", "1"});
  table.add({"a\nb", "22"});
  EXPECT_EQ(table.text(), "NAME   N\n漢字   1\na\\nb  22\n");
}

TEST(Table, PrintsHeadingsWithoutRows) {
  EXPECT_EQ(Table({{.heading = "A"}, {.heading = "B"}}).text(), "A  B\n");
}

RC_GTEST_PROP(Table, NeverExceedsTheWidth, ()) {
  const auto count = *rc::gen::inRange<std::size_t>(1, 7);
  const auto width = *rc::gen::inRange<std::size_t>(0, 90);
  const auto text = rc::gen::oneOf(rc::gen::arbitrary<std::string>(),
                                   rc::gen::element<std::string>("漢字漢字漢字", "1,234,567", ""));
  std::vector<TableColumn> columns(count);
  for (auto& column : columns) {
    column = {.heading = *text, .align = *rc::gen::element(Align::left, Align::right)};
  }
  Table table(columns);
  const auto rows = *rc::gen::inRange<std::size_t>(0, 5);
  for (std::size_t r = 0; r < rows; ++r) {
    table.add(*rc::gen::container<std::vector<std::string>>(count, text));
  }
  std::string left = table.text(width);
  std::size_t lines = 0;
  for (; !left.empty(); ++lines) {
    const auto end = left.find('\n');
    RC_ASSERT(text::columns(std::string_view(left).substr(0, end)) <= width);
    left.erase(0, end + 1);
  }
  RC_ASSERT(lines == rows + 1);
}

}  // namespace
}  // namespace tidemill::term
