#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tidemill/app/doctor/gather.h"
#include "tidemill/app/doctor/judge.h"

namespace tidemill::app {
namespace {

using namespace std::chrono_literals;

TEST(DoctorFleet, SaysWhatTheUserOfRedisMayDo) {
  const auto both = judge_rights("default", FleetRights{});
  EXPECT_EQ(both.level, CheckLevel::ok);
  EXPECT_EQ(both.found, "the user default may coordinate and work");
  EXPECT_EQ(both.advice, "");

  const auto worker = judge_rights("worker", FleetRights{.to_coordinate = {"a", "b", "c", "d"}});
  EXPECT_EQ(worker.level, CheckLevel::note);
  EXPECT_EQ(worker.found, "the user worker may only work; to coordinate it lacks a, b, c, …");
  EXPECT_TRUE(worker.advice.contains("Users of Redis")) << worker.advice;

  const auto coordinator = judge_rights("c", FleetRights{.to_work = {"xclaim {films}:*:q"}});
  EXPECT_EQ(coordinator.level, CheckLevel::note);
  EXPECT_EQ(coordinator.found,
            "the user c may only coordinate; to work it lacks xclaim {films}:*:q");

  const auto nobody = judge_rights("a\x1b", FleetRights{.to_coordinate = {"x"}, .to_work = {"y"}});
  EXPECT_EQ(nobody.level, CheckLevel::error);
  EXPECT_EQ(nobody.found,
            "the user a\\x1b may neither coordinate nor work; to work it lacks y; to coordinate it "
            "lacks x");
  EXPECT_TRUE(nobody.advice.contains("Users of Redis")) << nobody.advice;
}

TEST(DoctorFleet, RightsThatAServerCannotNameAreANote) {
  const auto old =
      judge_rights("default", fail(Cure::give_up, FailureKind::unsupported, "redis", "cannot say"));
  EXPECT_EQ(old.level, CheckLevel::note);
  EXPECT_TRUE(old.found.ends_with("cannot say")) << old.found;
  EXPECT_TRUE(old.advice.contains("7.0")) << old.advice;
  EXPECT_EQ(judge_rights("default", fail(Cure::retry, "redis", "timeout")).advice, "");
}

TEST(DoctorFleet, ProgramsGetAllMissingRights) {
  const auto finding = judge_rights("w", FleetRights{.to_coordinate = {"a", "b", "c", "d"}});
  const std::vector<std::pair<std::string, Measure>> expected = {
      {"user", "w"},
      {"mayCoordinate", false},
      {"mayWork", true},
      {"missingToCoordinate", "a, b, c, d"}};
  EXPECT_EQ(finding.facts, expected);
}

TEST(DoctorFleet, WarnsOnlyOfAClockDifferenceThatIsCertain) {
  const auto level = [](std::chrono::nanoseconds least, std::chrono::nanoseconds most) {
    return judge_clock(ClockLead{.least = least, .most = most}).level;
  };
  EXPECT_EQ(level(-1ms, 1ms), CheckLevel::ok);
  EXPECT_EQ(level(4'999ms, 5'001ms), CheckLevel::ok);
  EXPECT_EQ(level(-9s, 9s), CheckLevel::ok);  // a network so slow that nothing is certain
  EXPECT_EQ(level(5s, 6s), CheckLevel::warning);
  EXPECT_EQ(level(-6s, -5s), CheckLevel::warning);
  EXPECT_EQ(level(-6s, -4'999ms), CheckLevel::ok);
}

TEST(DoctorFleet, ClockDifferencesHaveADirection) {
  EXPECT_EQ(judge_clock(ClockLead{.least = -1ms, .most = 3ms}).found,
            "this clock agrees with that of Redis to within 3.0 ms");
  const auto ahead = judge_clock(ClockLead{.least = 8s, .most = 8s + 2ms});
  EXPECT_TRUE(
      ahead.found.starts_with("this clock is 8.0 s ahead of that of Redis, to within 1.0 ms"))
      << ahead.found;
  const auto behind = judge_clock(ClockLead{.least = -61s, .most = -61s});
  EXPECT_TRUE(behind.found.starts_with("this clock is 1 min 01 s behind that of Redis"))
      << behind.found;
  EXPECT_EQ(judge_clock(fail(Cure::give_up, "redis", "NOPERM")).level, CheckLevel::note);
}

redis::Reply time_of(std::string seconds, std::string micros) {
  using redis::Reply;
  return {.kind = Reply::Kind::list,
          .items = {{.kind = Reply::Kind::text, .text = std::move(seconds)},
                    {.kind = Reply::Kind::text, .text = std::move(micros)}}};
}

TEST(DoctorFleet, TheClockLeadIsAnIntervalAsWideAsTheCall) {
  const WallTime before(100s);
  const auto lead = clock_lead(before, time_of("90", "500000"), before + 20ms);
  ASSERT_TRUE(lead);
  EXPECT_EQ(lead->least, 9'500ms);
  EXPECT_EQ(lead->most, 9'520ms);
  EXPECT_FALSE(clock_lead(before, time_of("90", "0"), before - 1ms));  // the clock was set
  EXPECT_FALSE(clock_lead(before, time_of("now", "0"), before));
  EXPECT_FALSE(clock_lead(before, time_of("99999999999999", "0"), before));
  EXPECT_FALSE(clock_lead(before, {}, before));
}

TEST(DoctorFleet, AMissingKeyIsANoteUnlessItsFileWasNamed) {
  const Failure missing{.kind = FailureKind::not_found, .reason = "/k: no such file"};
  const auto good = judge_key({.path = "/k"});
  EXPECT_EQ(good.level, CheckLevel::ok);
  EXPECT_EQ(good.found, "/k");
  const auto none = judge_key({.path = "/k", .problem = missing});
  EXPECT_EQ(none.level, CheckLevel::note);
  EXPECT_TRUE(none.advice.contains("tidemill fleet key")) << none.advice;
  EXPECT_EQ(judge_key({.path = "/k", .is_named = true, .problem = missing}).level,
            CheckLevel::error);
  const auto open = judge_key({.path = "/k",
                               .problem = Failure{.kind = FailureKind::usage,
                                                  .reason = "/k: other users can access it",
                                                  .hint = "run chmod 600"}});
  EXPECT_EQ(open.level, CheckLevel::error);
  EXPECT_EQ(open.advice, "run chmod 600");
}

TEST(DoctorFleet, AFleetNeedsNoPersistence) {
  const RedisFacts redis{.version = "7.2",
                         .worries = {"maxmemory-policy is x: leases", "appendonly is no"}};
  const auto findings = judge_redis(redis, true);
  ASSERT_EQ(findings.size(), 2U);
  EXPECT_TRUE(findings[1].found.starts_with("maxmemory-policy is x: when"));
  EXPECT_TRUE(findings[1].advice.contains("noeviction"));
}

TEST(DoctorFleet, WithoutAServerOnlyTheKeyIsJudged) {
  const auto findings = judge_fleet({.name = "films", .key = {.path = "/k"}});
  ASSERT_EQ(findings.size(), 1U);
  EXPECT_EQ(findings[0].check, "fleet-key");
  EXPECT_EQ(judge_fleet({.rights = FleetRights{}, .clock = ClockLead{}}).size(), 3U);
}

}  // namespace
}  // namespace tidemill::app
