#include "tidemill/ui/redis_flags/fleet_flags.h"

#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/stat.h>

#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "tidemill/testing/own_folder.h"
#include "tidemill/ui/command/parse.h"

namespace tidemill::redis_flags {
namespace {

class FleetFlagsTest : public ::testing::Test {
 protected:
  void SetUp() override {
    ::setenv("XDG_CONFIG_HOME", folder_.path().c_str(), 1);
    ::unsetenv("REDIS_URL");
    ::unsetenv("TIDEMILL_REDIS_PASSWORD");
    folder_.folder("tidemill");
  }
  void TearDown() override { ::unsetenv("XDG_CONFIG_HOME"); }

  [[nodiscard]] std::string default_file() const { return folder_ / "tidemill/fleet.key"; }

  // fleet_of() with these words on the command line.
  Result<FleetChoice> choose(std::vector<std::string> words,
                             const std::string& typed = "redis:films",
                             KeyUse use = KeyUse::required) {
    words.insert(words.begin(), "work");
    auto parsed = command::parse(program_, words, {});
    EXPECT_TRUE(parsed) << text_of(parsed.error());
    values_ = std::get<command::Values>(*std::move(parsed));
    const cli::CliContext cli{
        .program = program_, .values = *values_, .state = run::StateFolder(folder_ / "state")};
    return fleet_of(typed, cli, use);
  }
  // The kind of its failure, which must be there.
  Failure failure(std::vector<std::string> words, const std::string& typed = "redis:films",
                  KeyUse use = KeyUse::required) {
    auto choice = choose(std::move(words), typed, use);
    EXPECT_FALSE(choice);
    return choice ? Failure{} : choice.error();
  }

  testing::OwnFolder folder_;
  command::Program program_{.name = "tidemill",
                            .verbs = {{.name = "work", .flags = fleet_flags("Fleet")}}};
  std::optional<command::Values> values_;
};

TEST_F(FleetFlagsTest, FleetHasAServerItsNameAndTheDefaultKey) {
  ASSERT_TRUE(fleet::FleetKey::create(default_file()));
  const auto choice = choose({"--redis", "redis://queue:7000", "--tls-ca", "ca.crt"});
  ASSERT_TRUE(choice) << text_of(choice.error());
  EXPECT_EQ(choice->fleet, "films");
  EXPECT_EQ(redis::text_of(choice->client.address), "redis://queue:7000");
  EXPECT_EQ(choice->client.tls.authorities, "ca.crt");
  EXPECT_EQ(choice->client.home, "{films}:runs");
  EXPECT_EQ(choice->key.sign("p", "x"), fleet::FleetKey::read(default_file())->sign("p", "x"));
}

TEST_F(FleetFlagsTest, WithoutAKeyTheHintIsHowToMakeOne) {
  const Failure none = failure({});
  EXPECT_EQ(none.kind, FailureKind::usage);
  EXPECT_TRUE(none.reason.contains(default_file())) << none.reason;
  EXPECT_TRUE(none.hint.contains("tidemill fleet key")) << none.hint;
}

TEST_F(FleetFlagsTest, InsecureFleetHasNoKeyEvenIfThereIsOne) {
  EXPECT_FALSE(choose({"--insecure-fleet"})->key.is_given());
  ASSERT_TRUE(fleet::FleetKey::create(default_file()));
  EXPECT_FALSE(choose({"--insecure-fleet"})->key.is_given());
  EXPECT_TRUE(choose({})->key.is_given());
}

TEST_F(FleetFlagsTest, NamedKeyIsUsedAndCannotBeCombinedWithInsecureFleet) {
  const std::string named = folder_ / "films.key";
  ASSERT_TRUE(fleet::FleetKey::create(default_file()));
  ASSERT_TRUE(fleet::FleetKey::create(named));
  const auto choice = choose({"--fleet-key", named});
  ASSERT_TRUE(choice) << text_of(choice.error());
  EXPECT_EQ(choice->key.sign("p", "x"), fleet::FleetKey::read(named)->sign("p", "x"));
  EXPECT_EQ(failure({"--fleet-key", named, "--insecure-fleet"}).kind, FailureKind::usage);
}

TEST_F(FleetFlagsTest, ViewerNeedsNoKeyButANamedOneMustExist) {
  const auto choice = choose({}, "redis:films", KeyUse::optional);
  ASSERT_TRUE(choice) << text_of(choice.error());
  EXPECT_FALSE(choice->key.is_given());
  EXPECT_EQ(failure({"--fleet-key", folder_ / "missing"}, "redis:films", KeyUse::optional).kind,
            FailureKind::usage);
}

TEST_F(FleetFlagsTest, KeyThatOthersCanReadIsRefused) {
  ASSERT_TRUE(fleet::FleetKey::create(default_file()));
  ASSERT_EQ(::chmod(default_file().c_str(), 0644), 0);
  EXPECT_EQ(failure({}).kind, FailureKind::usage);
  EXPECT_EQ(failure({}, "redis:films", KeyUse::optional).kind, FailureKind::usage);
}

TEST_F(FleetFlagsTest, OtherFormsOfAFleetAreRefused) {
  ASSERT_TRUE(fleet::FleetKey::create(default_file()));
  for (const std::string typed : {"films", "redis:", "redis://host/films", "redis:a{b}", ""}) {
    EXPECT_EQ(failure({}, typed).kind, FailureKind::usage) << typed;
  }
  EXPECT_TRUE(failure({}, "rediss://host").hint.contains("--redis URL"));
}

TEST_F(FleetFlagsTest, KeysOfAnotherTypeAreNotAFleet) {
  const FleetChoice choice{.fleet = "films"};
  const Failure advised = with_advice({.kind = FailureKind::wrong_type}, choice);
  EXPECT_TRUE(advised.reason.contains("{films}:")) << advised.reason;
  EXPECT_FALSE(advised.hint.empty());
}

}  // namespace
}  // namespace tidemill::redis_flags
