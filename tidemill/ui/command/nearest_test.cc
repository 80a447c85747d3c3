#include "tidemill/ui/command/nearest.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <vector>

namespace tidemill::command {
namespace {

TEST(Nearest, CountsAddedDroppedChangedAndSwappedLetters) {
  EXPECT_EQ(edit_distance("", ""), 0U);
  EXPECT_EQ(edit_distance("", "abc"), 3U);
  EXPECT_EQ(edit_distance("abc", ""), 3U);
  EXPECT_EQ(edit_distance("each", "eahc"), 1U);
  EXPECT_EQ(edit_distance("workers", "worker"), 1U);
  EXPECT_EQ(edit_distance("kitten", "sitting"), 3U);
}

TEST(Nearest, SuggestsTheClosestNameAndNothingFarAway) {
  const std::vector<std::string> names{"each", "letters", "resume", "runs"};
  EXPECT_EQ(nearest("eahc", names), "each");
  EXPECT_EQ(nearest("leters", names), "letters");
  EXPECT_EQ(nearest("run", names), "runs");
  EXPECT_EQ(nearest("zebra", names), "");
  EXPECT_EQ(nearest("", names), "");
  EXPECT_EQ(nearest(std::string(100'000, 'e'), names), "");
  EXPECT_EQ(nearest("x", std::vector<std::string>{"y"}), "");
}

RC_GTEST_PROP(Nearest, TheDistanceIsTheSameBothWays, (const std::string& a, const std::string& b)) {
  RC_ASSERT(edit_distance(a, b) == edit_distance(b, a));
  RC_ASSERT((edit_distance(a, b) == 0) == (a == b));
}

}  // namespace
}  // namespace tidemill::command
