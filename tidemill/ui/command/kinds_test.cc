#include "tidemill/ui/command/kinds.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <array>
#include <limits>
#include <string>
#include <utility>

#include "tidemill/ui/command/usage.h"

namespace tidemill::command {
namespace {

using namespace std::chrono_literals;

template <class T>
std::string reason(const Result<T>& result) {
  return result ? "accepted" : result.error().reason;
}

TEST(Kinds, DurationsHaveUnitsAndABareNumberIsSeconds) {
  EXPECT_EQ(parse_duration("250ms"), 250ms);
  EXPECT_EQ(parse_duration("30s"), 30s);
  EXPECT_EQ(parse_duration("30"), 30s);
  EXPECT_EQ(parse_duration("1.5s"), 1500ms);
  EXPECT_EQ(parse_duration("0.25"), 250ms);
  EXPECT_EQ(parse_duration("1.50000000000000000000s"), 1500ms);
  EXPECT_EQ(parse_duration("5m"), 5min);
  EXPECT_EQ(parse_duration("2h"), 2h);
  EXPECT_EQ(parse_duration("1d"), 24h);
  EXPECT_EQ(parse_duration("0"), 0ms);
}

TEST(Kinds, AnInvalidDurationSaysWhatIsAccepted) {
  for (const std::string text : {"", "s", "ms", "-1s", "+1s", " 1s", "1s ", "1 s", "1.s", ".5s",
                                 "1.2.3s", "1e3", "5x", "0x10", "inf", "nan", "1S", "\xff"}) {
    EXPECT_TRUE(reason(parse_duration(text)).ends_with("is not a duration such as 30s, 5m"))
        << text;
  }
  EXPECT_EQ(reason(parse_duration("1.5ms")), "'1.5ms' is not a whole number of milliseconds");
  EXPECT_EQ(reason(parse_duration("0.0001")), "'0.0001' is not a whole number of milliseconds");
}

TEST(Kinds, RejectsValuesThatAreTooLargeAndNeverTruncates) {
  EXPECT_EQ(parse_duration("36500d"), kLongestDuration);
  EXPECT_EQ(reason(parse_duration("36500.1d")), "'36500.1d' is too large");
  EXPECT_EQ(reason(parse_duration("36501d")), "'36501d' is too large");
  EXPECT_EQ(reason(parse_duration("18446744073709551616s")),
            "'18446744073709551616s' is too large");
  EXPECT_EQ(parse_count("18446744073709551615"), std::numeric_limits<std::uint64_t>::max());
  EXPECT_EQ(reason(parse_count("18446744073709551616")), "'18446744073709551616' is too large");
  EXPECT_EQ(parse_size("16777215T")->count, 16777215ULL << 40U);
  EXPECT_EQ(reason(parse_size("16777216T")), "'16777216T' is too large");
  EXPECT_EQ(
      reason(parse_rate(std::string(400, '9') + "/s")).find("out of range") != std::string::npos,
      true);
}

TEST(Kinds, SizesArePowersOf1024WithOrWithoutB) {
  EXPECT_EQ(parse_size("4096")->count, 4096U);
  EXPECT_EQ(parse_size("4096B")->count, 4096U);
  for (const std::string text : {"64K", "64k", "64KB", "64KiB"}) {
    EXPECT_EQ(parse_size(text)->count, 65536U) << text;
  }
  EXPECT_EQ(parse_size("2G"), Bytes{2ULL << 30U});
  EXPECT_EQ(parse_size("1T"), Bytes{1ULL << 40U});
  for (const std::string text : {"", "K", "1X", "1KK", "1iB", "1Ki", "-1", "1.5G", "1 K", "1KBs"}) {
    EXPECT_FALSE(parse_size(text)) << text;
  }
}

TEST(Kinds, ConvertsRatesToPerSecond) {
  EXPECT_DOUBLE_EQ(*parse_rate("10/s"), 10.0);
  EXPECT_DOUBLE_EQ(*parse_rate("600/m"), 10.0);
  EXPECT_DOUBLE_EQ(*parse_rate("5400/h"), 1.5);
  EXPECT_DOUBLE_EQ(*parse_rate("0.5/s"), 0.5);
  for (const std::string text : {"", "10", "/s", "10/", "10/d", "-1/s", "inf/s", "nan/s", "1e3/s",
                                 "1.2.3/s", " 1/s", "1/s ", "0x1/s"}) {
    EXPECT_FALSE(parse_rate(text)) << text;
  }
  EXPECT_EQ(reason(parse_rate("0/s")), "'0/s' is not above zero");
}

TEST(Kinds, AFlagHasARangeAndChoices) {
  const Flag jobs{.name = "jobs", .kind = ValueKind::count, .least = "1", .most = "64"};
  EXPECT_TRUE(check(jobs, "1"));
  EXPECT_TRUE(check(jobs, "64"));
  EXPECT_EQ(reason(check(jobs, "0")), "'0' is below the minimum of 1");
  EXPECT_EQ(reason(check(jobs, "65")), "'65' is above the maximum of 64");
  const Flag wait{.name = "wait", .kind = ValueKind::duration, .least = "1s"};
  EXPECT_TRUE(check(wait, "1000ms"));
  EXPECT_FALSE(check(wait, "999ms"));
  const Flag color{.name = "color", .kind = ValueKind::choice, .choices = {"auto", "never"}};
  EXPECT_TRUE(check(color, "never"));
  EXPECT_EQ(reason(check(color, "nev")), "'nev' is not one of auto, never");
  EXPECT_FALSE(check(Flag{.kind = ValueKind::text}, std::string_view("a\0b", 3)));
  EXPECT_TRUE(check(Flag{.kind = ValueKind::path}, "\xff\n"));
  EXPECT_FALSE(check(Flag{.kind = ValueKind::path}, ""));
}

RC_GTEST_PROP(Kinds, EveryDurationInRangeRoundTrips, ()) {
  const auto number = *rc::gen::inRange<std::int64_t>(0, 36'500);
  constexpr std::array<std::pair<const char*, std::chrono::milliseconds>, 5> kUnits{
      {{"ms", 1ms}, {"s", 1s}, {"m", 1min}, {"h", 1h}, {"d", 24h}}};
  const auto unit = kUnits.at(*rc::gen::inRange<std::size_t>(0, kUnits.size()));
  RC_ASSERT(parse_duration(std::to_string(number) + unit.first).value() == number * unit.second);
}

RC_GTEST_PROP(Kinds, AnyCountRoundTripsAndIsAlsoASize, (std::uint64_t number)) {
  RC_ASSERT(parse_count(std::to_string(number)).value() == number);
  RC_ASSERT(parse_size(std::to_string(number))->count == number);
  const auto scaled = parse_size(std::to_string(number) + "M");
  RC_ASSERT(scaled.has_value() == (number <= std::numeric_limits<std::uint64_t>::max() >> 20U));
  RC_ASSERT((!scaled || scaled->count >> 20U == number));
}

RC_GTEST_PROP(Kinds, AnyBytesAreReadOrRefusedInOneLine, ()) {
  const auto text = *rc::gen::container<std::string>(rc::gen::oneOf(
      rc::gen::elementOf(std::string("0123456789.smhdKMGTiB/")), rc::gen::arbitrary<char>()));
  for (const auto& why : {reason(parse_duration(text)), reason(parse_size(text)),
                          reason(parse_rate(text)), reason(parse_count(text))}) {
    RC_ASSERT(!why.empty());
    RC_ASSERT(why.find_first_of("\n\x1b") == std::string::npos);
  }
}

TEST(Misuse, FindsTheFlagAtTheStartOfTheReason) {
  const auto flag = [](std::string reason) { return misuse(std::move(reason)).error().subject; };
  EXPECT_EQ(flag("--jobs is a number from 1 to 1024"), "jobs");
  EXPECT_EQ(flag("--files-from: 'x' is a folder"), "files-from");
  EXPECT_EQ(flag("either one TASK or --tasks"), "");
  EXPECT_EQ(flag("which folder?"), "");
  EXPECT_EQ(misuse("x").error().kind, FailureKind::usage);
}

}  // namespace
}  // namespace tidemill::command
