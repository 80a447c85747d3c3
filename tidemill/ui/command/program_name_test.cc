#include "tidemill/ui/command/program_name.h"

#include <gtest/gtest.h>

namespace tidemill::command {
namespace {

TEST(ProgramName, ReplacesItsPlaceholder) {
  EXPECT_EQ(with_program_name("%program runs; $%PROGRAM_STATE, 100 %", "word-count"),
            "word-count runs; $WORD_COUNT_STATE, 100 %");
  EXPECT_EQ(with_program_name("%program", "%program"), "%program");
}

TEST(ProgramName, IsReplacedInEveryTextOfAVerbAndItsNestedVerbs) {
  const Verb verb = with_program_name(
      Verb{.name = "a",
           .summary = "%program",
           .usage = {"%program a"},
           .examples = {{"%program a b", "as %program does"}},
           .description = {"see %program b"},
           .arguments = {{.name = "B", .help = "of %program"}},
           .flags = {{.name = "c", .help = "of %program", .fallback_text = "$%PROGRAM_C"}},
           .sections = {{"title", "%program"}},
           .below = {{.name = "a b", .usage = {"%program a b"}}}},
      "mine");
  EXPECT_EQ(verb.summary, "mine");
  EXPECT_EQ(verb.usage.front(), "mine a");
  EXPECT_EQ(verb.examples.front().line, "mine a b");
  EXPECT_EQ(verb.examples.front().text, "as mine does");
  EXPECT_EQ(verb.description.front(), "see mine b");
  EXPECT_EQ(verb.arguments.front().help, "of mine");
  EXPECT_EQ(verb.flags.front().help, "of mine");
  EXPECT_EQ(verb.flags.front().fallback_text, "$MINE_C");
  EXPECT_EQ(verb.sections.front().second, "mine");
  EXPECT_EQ(verb.below.front().usage.front(), "mine a b");
}

}  // namespace
}  // namespace tidemill::command
