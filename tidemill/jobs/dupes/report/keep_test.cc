#include "tidemill/jobs/dupes/report/keep.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include "tidemill/jobs/dupes/report/freed.h"

namespace tidemill::dupes {
namespace {

Copy copy_at(const std::string& path, std::int64_t mtime = 0, std::size_t root = 0) {
  return {.names = {{.path = path, .root = root}}, .stamp = {.mtime_ns = mtime}, .links = 1};
}

std::vector<std::string> ordered(const std::vector<KeepRule>& rules, std::vector<Copy> copies,
                                 const std::vector<std::string>& roots = {}) {
  const auto selector = KeepSelector::make(rules, roots);
  if (!selector) return {text_of(selector.error())};
  selector->order(copies);
  std::vector<std::string> paths;
  for (const Copy& copy : copies) paths.push_back(copy.host + copy.names.front().path);
  return paths;
}

using Paths = std::vector<std::string>;

TEST(KeepSelector, EachRuleSortsCopiesByItsCriterion) {
  const std::vector<Copy> copies{copy_at("long/b", 3, 1), copy_at("c", 1, 2), copy_at("aa", 2, 0)};
  EXPECT_EQ(ordered({{.by = KeepBy::oldest}}, copies), (Paths{"c", "aa", "long/b"}));
  EXPECT_EQ(ordered({{.by = KeepBy::newest}}, copies), (Paths{"long/b", "aa", "c"}));
  EXPECT_EQ(ordered({{.by = KeepBy::first_root}}, copies), (Paths{"aa", "long/b", "c"}));
  EXPECT_EQ(ordered({{.by = KeepBy::shortest}}, copies), (Paths{"c", "aa", "long/b"}));
  EXPECT_EQ(ordered({{.by = KeepBy::path, .glob = "long/*"}}, copies),
            (Paths{"long/b", "aa", "c"}));
}

TEST(KeepSelector, TheFirstRuleThatDistinguishesCopiesDecides) {
  const std::vector<Copy> copies{copy_at("a/x", 5), copy_at("b/x", 5), copy_at("a/y", 4)};
  EXPECT_EQ(ordered({{.by = KeepBy::oldest}, {.by = KeepBy::path, .glob = "b/**"}}, copies),
            (Paths{"a/y", "b/x", "a/x"}));
  EXPECT_EQ(ordered({{.by = KeepBy::path, .glob = "b/**"}, {.by = KeepBy::oldest}}, copies),
            (Paths{"b/x", "a/y", "a/x"}));
}

TEST(KeepSelector, OrdersExtremeModificationTimes) {
  const std::vector<Copy> copies{copy_at("first", std::numeric_limits<std::int64_t>::min()),
                                 copy_at("last", std::numeric_limits<std::int64_t>::max()),
                                 copy_at("now", 0)};
  EXPECT_EQ(ordered({{.by = KeepBy::newest}}, copies), (Paths{"last", "now", "first"}));
  EXPECT_EQ(ordered({{.by = KeepBy::oldest}}, copies), (Paths{"first", "now", "last"}));
}

TEST(KeepSelector, NoRuleOverturnsAReferenceOrPrefersAnotherHost) {
  Copy reference = copy_at("ref", 9, 3);
  reference.names.push_back({.path = "ref2", .root = 4, .is_reference = true});
  Copy foreign = copy_at(":old", 1);
  foreign.host = "nas";
  Copy foreign_reference = copy_at(":ref", 0);
  foreign_reference.host = "nas";
  foreign_reference.names.front().is_reference = true;
  EXPECT_EQ(
      ordered({{.by = KeepBy::oldest}}, {foreign, copy_at("own", 2), foreign_reference, reference}),
      (Paths{"ref", "own", "nas:ref", "nas:old"}));
}

TEST(KeepSelector, AGlobMatchesEveryNameAsGivenAndRelativeToItsRoot) {
  Copy linked = copy_at("/data/in/x.jpg");
  linked.names.push_back({.path = "/data/keep/deep/x.jpg"});
  const std::vector<Copy> copies{copy_at("/data/in/a.jpg"), linked};
  const Paths found{"/data/in/x.jpg", "/data/in/a.jpg"};
  const Paths not_found{"/data/in/a.jpg", "/data/in/x.jpg"};
  const auto order = [&](const std::string& glob, const std::vector<std::string>& roots) {
    return ordered({{.by = KeepBy::path, .glob = glob}}, copies, roots);
  };
  EXPECT_EQ(order("/data/keep/**", {}), found);
  EXPECT_EQ(order("keep/**", {"/data"}), found);
  EXPECT_EQ(order("keep/**", {"/data//"}), found);
  EXPECT_EQ(order("x.*", {}), found);
  EXPECT_EQ(order("keep/**", {}), not_found);
  EXPECT_EQ(order("a/keep/**", {"/dat"}), not_found);
  EXPECT_EQ(order("data/*", {"/"}), not_found);
}

TEST(KeepSelector, RejectsAnInvalidGlob) {
  for (const std::string glob : {"[a", "{", "", "!x", "folder/"}) {
    const std::vector<KeepRule> rules{{.by = KeepBy::path, .glob = glob}};
    const auto selector = KeepSelector::make(rules);
    ASSERT_FALSE(selector) << glob;
    EXPECT_EQ(selector.error().step, "usage");
  }
}

// Uniformly distributed, also in the first cases of a property.
int any_below(int end) { return *rc::gen::resize(rc::kNominalSize, rc::gen::inRange(0, end)); }

Copy any_copy() {
  Copy copy{
      .stamp = {.inode = static_cast<std::uint64_t>(any_below(1000)), .mtime_ns = any_below(3) - 1},
      .host = *rc::gen::element<std::string>("", "", "nas", "pi")};
  for (int i = any_below(3); i >= 0; --i) {
    copy.names.push_back({.path = *rc::gen::element<std::string>("a", "b/c", "\xff", "b/\n"),
                          .root = static_cast<std::size_t>(any_below(3)),
                          .is_reference = any_below(4) == 0});
  }
  return copy;
}

RC_GTEST_PROP(KeepSelector, TheOrderDoesNotDependOnTheOrderOfTheInput, ()) {
  std::vector<Copy> copies;
  std::vector<KeepRule> rules;
  for (int i = any_below(8); i > 0; --i) copies.push_back(any_copy());
  for (std::size_t i = 0; i < copies.size(); ++i) copies[i].stamp.device = i;  // files differ
  for (int i = any_below(4); i > 0; --i) {
    rules.push_back({.by = *rc::gen::element(KeepBy::oldest, KeepBy::newest, KeepBy::first_root,
                                             KeepBy::shortest, KeepBy::path),
                     .glob = "b/*"});
  }
  const auto selector = KeepSelector::make(rules);
  RC_ASSERT(selector.has_value());
  const auto devices = [&](std::vector<Copy> some) {
    selector->order(some);
    std::vector<std::uint64_t> order;
    for (const Copy& copy : some) order.push_back(copy.stamp.device);
    return order;
  };
  std::vector<Copy> other = copies;
  std::ranges::shuffle(other, std::minstd_rand(*rc::gen::arbitrary<unsigned>()));
  RC_ASSERT(devices(copies) == devices(other));
}

TEST(Reclaimable, CountsTheUnsharedBlocksOfTheOtherCopies) {
  Copy copy = copy_at("a");
  copy.blocks = 8;
  Group group{.size = 4000, .copies = {copy, copy, copy}};
  EXPECT_EQ(reclaimable_bytes(group), 2 * 4096U);
  group.copies[1].shared = 6;
  EXPECT_EQ(reclaimable_bytes(group), 1024U + 4096U);
  group.copies[1].shared = 60;  // an impossible value
  EXPECT_EQ(reclaimable_bytes(group), 4096U);
  EXPECT_EQ(reclaimable_bytes({}), 0U);
}

TEST(Reclaimable, IsZeroForReferencesOtherHostsAndUnseenLinks) {
  Copy copy = copy_at("a");
  copy.blocks = 8;
  EXPECT_EQ(freed_bytes(copy), 4096U);
  copy.links = 2;  // the other name was not found
  EXPECT_EQ(freed_bytes(copy), 0U);
  copy.names.push_back({.path = "b"});
  EXPECT_EQ(freed_bytes(copy), 4096U);
  copy.names.back().is_reference = true;
  EXPECT_EQ(freed_bytes(copy), 0U);
  copy.names.back().is_reference = false;
  copy.host = "nas";
  EXPECT_EQ(freed_bytes(copy), 0U);
}

}  // namespace
}  // namespace tidemill::dupes
