#include "tidemill/formats/epub/rules/rules.h"

#include <gtest/gtest.h>

#include <set>
#include <string_view>

namespace tidemill::epub {
namespace {

TEST(Rules, AreInTheOrderOfTheGrades) {
  ASSERT_EQ(rules().size(), kGrades.size());
  for (std::size_t at = 0; at < kGrades.size(); ++at) EXPECT_EQ(rules()[at].id, kGrades[at].id);
}

TEST(Rules, HaveUniqueTitlesTriggersAndHints) {
  std::set<std::string_view> titles;
  for (const Rule& rule : rules()) {
    EXPECT_FALSE(rule.title.empty() || rule.trigger.empty() || rule.hint.empty()) << rule.id;
    EXPECT_TRUE(titles.insert(rule.title).second) << rule.id << " has the title of another rule";
    EXPECT_FALSE(rule.title.ends_with('.')) << rule.id;
    EXPECT_TRUE(rule.trigger.ends_with('.')) << rule.id;
    EXPECT_TRUE(rule.hint.ends_with('.')) << rule.id;
  }
}

TEST(Rules, AreFoundByTheirNamesInAnyCase) {
  EXPECT_EQ(rule_named("rsc-005"), RuleId("RSC-005"));
  EXPECT_EQ(rule_named("OPF-086B"), RuleId("OPF-086b"));
  EXPECT_FALSE(rule_named("RSC-999"));
  EXPECT_EQ(rule_of("NCX-001").repair, Repairability::safe);
  EXPECT_EQ(name_of(rule_of("PKG-006").repair), "container");
  EXPECT_EQ(name_of(RuleId("RSC-016").severity()), "fatal");
}

}  // namespace
}  // namespace tidemill::epub
