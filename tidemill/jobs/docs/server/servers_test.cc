#include "tidemill/jobs/docs/server/servers.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace tidemill::docs {
namespace {

using Keys = std::vector<std::string>;

const Secrets kBoth{.outline = http::Secret("ol_api_x"), .assistant = http::Secret("sk-x")};
const Secrets kOne{.outline = http::Secret("ol_api_x")};

TEST(ExposedKeys, AreThoseThatLeaveThisMachineUnencrypted) {
  EXPECT_EQ(exposed_keys({.url = "http://wiki.lan", .ai_url = "http://gpu.lan:1/v1"}, kBoth),
            (Keys{"the API key to wiki.lan:80", "the assistant's key to gpu.lan:1"}));
  EXPECT_EQ(exposed_keys({.url = "https://wiki.lan", .ai_url = "http://localhost:1/v1"}, kBoth),
            Keys{});
  EXPECT_EQ(exposed_keys({.url = "http://localhost", .proxy = "http://proxy.lan"}, kOne),
            Keys{"the API key to localhost:80"});
}

TEST(ExposedKeys, IncludeTheAssistantOnlyWithAKeyOrAPasswordInItsUrl) {
  EXPECT_EQ(exposed_keys({.url = "https://wiki.lan", .ai_url = "http://gpu.lan/v1"}, kOne), Keys{});
  EXPECT_EQ(exposed_keys({.url = "https://wiki.lan", .ai_url = "http://me:pw@gpu.lan/v1"}, kOne),
            Keys{"the assistant's key to gpu.lan:80"});
}

TEST(ExposedKeys, ADryRunDoesNotAskTheAssistant) {
  EXPECT_EQ(
      exposed_keys({.url = "https://wiki.lan", .dry_run = true, .ai_url = "http://gpu.lan"}, kBoth),
      Keys{});
}

}  // namespace
}  // namespace tidemill::docs
