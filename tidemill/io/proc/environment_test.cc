#include "tidemill/io/proc/environment.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace tidemill::proc {
namespace {

using Entries = std::vector<std::string>;

Entries with(Environment& environment, const Entries& additions) {
  Entries all;
  for (char* const* entry = environment.with(additions); *entry != nullptr; ++entry) {
    all.emplace_back(*entry);
  }
  return all;
}

TEST(Environment, AdditionReplacesTheEntryOfTheSameNameOrIsAppended) {
  Environment environment({"A=1", "AB=2", "B=3"});
  EXPECT_EQ(with(environment, {"AB=x", "C=y"}), (Entries{"A=1", "AB=x", "B=3", "C=y"}));
  EXPECT_EQ(with(environment, {"A="}), (Entries{"A=", "AB=2", "B=3"}));
  EXPECT_EQ(with(environment, {}), (Entries{"A=1", "AB=2", "B=3"}));
}

TEST(Environment, LastOfTwoAdditionsWithTheSameNameWins) {
  Environment environment({"A=1"});
  EXPECT_EQ(with(environment, {"A=2", "A=3", "C=1", "C=2"}), (Entries{"A=3", "C=2"}));
  EXPECT_EQ(with(environment, {}), Entries{"A=1"});
}

TEST(Environment, KeepsTheFirstOfTwoEntriesWithTheSameName) {
  Environment environment({"A=1", "B=2", "A=3", "odd", "odd"});
  EXPECT_EQ(with(environment, {}), (Entries{"A=1", "B=2", "odd", "odd"}));
  EXPECT_EQ(with(environment, {"A=4"}), (Entries{"A=4", "B=2", "odd", "odd"}));
}

}  // namespace
}  // namespace tidemill::proc
