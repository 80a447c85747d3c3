#include "tidemill/jobs/tasks/list_source.h"

#include <string>
#include <variant>
#include <vector>

#include <gtest/gtest.h>

#include "tidemill/ui/command/parse.h"

namespace tidemill::jobs {
namespace {

using Words = std::vector<std::string>;

Result<ListSource> list_from(Words words) {
  words.insert(words.begin(), "count");
  const command::Program program{.name = "tidemill",
                                 .verbs = {{.name = "count",
                                            .arguments = {{.name = "FILE", .is_list = true}},
                                            .flags = list_source_flags("Files")}}};
  const auto parsed = command::parse(program, words, {});
  if (!parsed) return std::unexpected(parsed.error());
  const auto& values = std::get<command::Values>(*parsed);
  return list_source_of(values, values.argument("FILE"));
}

TEST(ListSource, IsNotGivenWithoutItsFlag) {
  const auto list = list_from({"a", "-g", "*.c", "--no-hidden"});
  ASSERT_TRUE(list);
  EXPECT_FALSE(list->is_given());
  EXPECT_TRUE(check(*list));
}

TEST(ListSource, IsAFileOrStandardInput) {
  const auto list = list_from({"--files-from", "-", "-0"});
  ASSERT_TRUE(list);
  EXPECT_TRUE(list->is_given() && list->is_nul_separated);
  EXPECT_EQ(names_of(*list).files_from, "-");
  EXPECT_TRUE(check(*list));
  EXPECT_FALSE(check(ListSource{.files_from = "/nowhere/list"}));
  EXPECT_FALSE(check(ListSource{.files_from = "/"})) << "a folder";
}

TEST(ListSource, RejectsRootsOrFiltersWithAListAndASeparatorWithoutOne) {
  for (const Words& words : {Words{"--files-from", "l", "a"}, Words{"--files-from", "l", "-g", "*"},
                             Words{"--files-from", "l", "-x", "*"},
                             Words{"--files-from", "l", "--no-hidden"}, Words{"a", "-0"}}) {
    const auto list = list_from(words);
    ASSERT_FALSE(list) << ::testing::PrintToString(words);
    EXPECT_EQ(list.error().step, "usage");
  }
}

}  // namespace
}  // namespace tidemill::jobs
