#include "tidemill/app/doctor/fleet_rights.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "tidemill/app/doctor/gather.h"
#include "tidemill/testing/redis_server.h"

namespace tidemill::app {
namespace {

using Names = std::vector<std::string>;

std::vector<std::string> words_of(const std::string& text) {
  std::istringstream stream(text);
  std::vector<std::string> words;
  for (std::string word; stream >> word;) words.push_back(word);
  return words;
}

// A server with the user `somebody`.
class FleetRightsTest : public ::testing::Test {
 protected:
  void SetUp() override {
    TIDEMILL_NEEDS_REDIS();
    server_.emplace();
  }

  // The commands and keys of an ACL.
  Result<FleetRights> ask(const std::vector<std::string>& rules) {
    set_user(rules);
    auto client = redis::Client::make(client_options(), clock_);
    return ask_rights(**client, "films", {});
  }

  void set_user(const std::vector<std::string>& rules) {
    redis::Commands commands;
    std::vector<std::string_view> words = {"ACL", "SETUSER", "somebody", "reset", "on", ">word"};
    words.insert(words.end(), rules.begin(), rules.end());
    commands.add(words);
    const auto admin = redis::Client::make(
        {.address = *redis::parse_address(server_->url(), redis::Origin::hidden)}, clock_);
    const auto replies = (*admin)->ask(commands, {});
    ASSERT_TRUE(replies);
    ASSERT_FALSE(replies->front().is_error()) << replies->front().text;
  }

  [[nodiscard]] redis::ClientOptions client_options() const {
    redis::ClientOptions options{.address =
                                     *redis::parse_address(server_->url(), redis::Origin::hidden)};
    options.address.user = "somebody";
    options.address.password = redis::HiddenText("word");
    return options;
  }

  [[nodiscard]] std::string keys() const { return server_->say({"DBSIZE"}); }

  std::optional<testing::RedisServer> server_;
  SystemClock clock_;
};

bool has(const Names& names, std::string_view name) {
  return std::ranges::find(names, name) != names.end();
}

// The rights that these commands need, one by one.
std::vector<std::string> rules_for(const std::vector<FleetCommand>& commands) {
  std::set<std::string> rules = {"+eval"};
  for (const FleetCommand& command : commands) {
    rules.insert("+" + words_of(command.name).front());
  }
  std::vector<std::string> all = {"resetkeys", "~{films}:*", "-@all"};
  all.insert(all.end(), rules.begin(), rules.end());
  return all;
}

TEST(FleetRights, AServerThatCannotSayIsNotAServerThatRefuses) {
  using redis::Reply;
  const auto old = rights_of({}, "films", "redis://x");
  ASSERT_FALSE(old);
  EXPECT_EQ(old.error().kind, FailureKind::unsupported);
  EXPECT_FALSE(rights_of({.kind = Reply::Kind::error, .text = "ERR no scripts"}, "films", "x"));
  const auto strange =
      rights_of({.kind = Reply::Kind::list,
                 .items = {{.kind = Reply::Kind::text, .text = "7.0"},
                           {.kind = Reply::Kind::list,
                            .items = {{.kind = Reply::Kind::integer, .number = 0},
                                      {.kind = Reply::Kind::integer, .number = -7},
                                      {.kind = Reply::Kind::integer, .number = 1'000'000}}}}},
                "films", "x");
  ASSERT_TRUE(strange);
  EXPECT_EQ(strange->to_coordinate, Names{});
  EXPECT_EQ(strange->to_work, Names{});
}

TEST_F(FleetRightsTest, AUserWithAllRightsLacksNothing) {
  const auto rights = ask({"~*", "+@all"});
  ASSERT_TRUE(rights) << text_of(rights.error());
  EXPECT_EQ(rights->to_coordinate, Names{});
  EXPECT_EQ(rights->to_work, Names{});
  EXPECT_FALSE(rights->version.empty());
}

TEST_F(FleetRightsTest, WithoutScriptsNothingElseIsAsked) {
  const auto rights = ask({"~*", "+@all", "-eval"});
  ASSERT_TRUE(rights) << text_of(rights.error());
  EXPECT_EQ(rights->to_coordinate, Names{"eval"});
  EXPECT_EQ(rights->to_work, Names{"eval"});
}

TEST_F(FleetRightsTest, NamesTheKeyThatIsMissing) {
  const auto rights = ask({"~{films}:hosts", "~{films}:*:q", "~{films}:*:out", "~{films}:*:forged",
                           "%R~{films}:runs", "%R~{films}:published", "%R~{films}:paused",
                           "%R~{films}:drained", "+@all"});
  ASSERT_TRUE(rights) << text_of(rights.error());
  EXPECT_EQ(rights->to_work, (Names{"eval {films}:*:w", "hset {films}:*:w", "hdel {films}:*:w"}));
  EXPECT_FALSE(rights->to_coordinate.empty());
}

TEST_F(FleetRightsTest, ReadingAloneIsNotEnoughForAKeyThatIsWritten) {
  const auto rights = ask({"~*", "+@all", "resetkeys", "%R~{films}:*"});
  ASSERT_TRUE(rights) << text_of(rights.error());
  EXPECT_TRUE(has(rights->to_work, "xadd {films}:*:out"));
  EXPECT_TRUE(has(rights->to_coordinate, "xgroup|create {films}:*:q"));
  EXPECT_FALSE(has(rights->to_work, "hgetall {films}:runs"));
}

TEST_F(FleetRightsTest, EveryCommandThatIsMissingIsNamed) {
  for (const bool is_worker : {false, true}) {
    const auto needed = is_worker ? commands_of_worker("films") : commands_of_coordinator("films");
    const auto rules = rules_for(needed);
    const auto whole = ask(rules);
    ASSERT_TRUE(whole) << text_of(whole.error());
    EXPECT_EQ(is_worker ? whole->to_work : whole->to_coordinate, Names{});
    for (const std::string& rule : rules) {
      if (!rule.starts_with("+") || rule == "+eval") continue;
      auto fewer = rules;
      fewer.push_back("-" + rule.substr(1));
      const auto rights = ask(fewer);
      ASSERT_TRUE(rights) << text_of(rights.error());
      const Names& missing = is_worker ? rights->to_work : rights->to_coordinate;
      ASSERT_FALSE(missing.empty()) << rule;
      EXPECT_EQ(words_of(missing.front()).front(), rule.substr(1));
    }
  }
}

TEST_F(FleetRightsTest, AskingWritesNothingAndReadsTheClock) {
  set_user({"~*", "+@all"});
  FleetFacts facts{.name = "films"};
  gather_fleet(client_options(), clock_, {}, facts);
  EXPECT_EQ(keys(), ":0\r\n");
  EXPECT_EQ(facts.user, "somebody");
  ASSERT_TRUE(facts.rights && *facts.rights);
  ASSERT_TRUE(facts.clock && *facts.clock);
  const ClockLead lead = **facts.clock;
  EXPECT_LE(lead.least, lead.most);
  EXPECT_LT(lead.least, std::chrono::seconds(1));  // it is this machine's clock
  EXPECT_GT(lead.most, std::chrono::seconds(-1));
}

TEST_F(FleetRightsTest, AClockThatMayNotBeReadIsAFailureOfThatCheckOnly) {
  set_user({"~*", "+@all", "-time"});
  FleetFacts facts{.name = "films"};
  gather_fleet(client_options(), clock_, {}, facts);
  ASSERT_TRUE(facts.rights && *facts.rights);
  EXPECT_EQ((*facts.rights)->to_work, Names{"time"});
  ASSERT_TRUE(facts.clock);
  EXPECT_FALSE(*facts.clock);
}

}  // namespace
}  // namespace tidemill::app
