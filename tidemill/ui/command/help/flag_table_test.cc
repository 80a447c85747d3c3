#include "tidemill/ui/command/help/flag_table.h"

#include <gtest/gtest.h>

#include <string>

#include "tidemill/ui/command/sample_program.h"

namespace tidemill::command {
namespace {

void expect_row(const Program& program, const std::string& row) {
  const auto table = flag_table(program);
  EXPECT_NE(table.find("\n" + row + "\n"), std::string::npos) << row << "\n" << table;
}

TEST(FlagTable, HasOneRowForAFlagOfSeveralVerbs) {
  auto program = sample::program();
  program.verbs.back().flags = {program.verbs.front().flags.front()};
  expect_row(program,
             "| `-j`, `--jobs N` (also `--workers, -w`) | parallel commands [all CPUs] | each, "
             "copy |");
}

TEST(FlagTable, ListsTheMeaningForEachVerbWhenTheyDiffer) {
  auto program = sample::program();
  auto flag = program.verbs.front().flags.front();
  flag.help = "files | copied at a time";
  program.verbs.back().flags = {flag};
  expect_row(program,
             "| `-j`, `--jobs N` (also `--workers, -w`) | *each*: parallel commands [all "
             "CPUs]<br>*copy*: files \\| copied at a time [all CPUs] | each, copy |");
}

TEST(FlagTable, ListsFlagsByVerbGlobalFlagsAndShortFlags) {
  const auto program = sample::program();
  expect_row(
      program,
      "### letters retry\n| flag | meaning |\n|---|---|\n| `--force` | even if it was dropped |");
  expect_row(program, "| `--color auto\\|always\\|never` | colours [auto] |");
  expect_row(program, "| `-j` | `--jobs` |");
}

}  // namespace
}  // namespace tidemill::command
