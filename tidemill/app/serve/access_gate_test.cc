#include "tidemill/app/serve/access_gate.h"

#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "tidemill/app/serve/serve_address.h"
#include "tidemill/app/serve/serve_token.h"
#include "tidemill/testing/own_folder.h"

namespace tidemill::app {
namespace {

const std::string kToken(kTokenDigits, 'a');
constexpr std::uint16_t kPort = 8585;

GateAnswer answer_to(std::vector<std::pair<std::string, std::string>> headers,
                     const std::string& query = {}) {
  headers.emplace_back("host", "127.0.0.1:8585");
  return AccessGate(kToken, kPort)
      .check({.method = "GET", .path = "/", .headers = std::move(headers)},
             web::parse_form(query).value());
}

TEST(ServeAddress, IsOfThisMachineOnly) {
  for (const char* text : {"127.0.0.1:8585", "127.9.8.7:1", "localhost:0", "LocalHost:0",
                           "[::1]:8585", "unix:/run/x"}) {
    EXPECT_TRUE(serve_address_of(text)) << text;
  }
  for (const char* text :
       {"0.0.0.0:80", "[::]:80", "10.0.0.1:80", "127.1:80", "localhost.:80", "example.com:80", "",
        ":80", "127.0.0.1", "127.0.0.1:", "127.0.0.1:99999", "127.0.0.1:8 ", "unix:x", "::1:80"}) {
    const auto address = serve_address_of(text);
    ASSERT_FALSE(address) << text;
    EXPECT_EQ(address.error().kind, FailureKind::usage) << text;
  }
}

TEST(ServeAddress, LocalhostIsNotLookedUp) {
  EXPECT_EQ(serve_address_of("localhost:80")->listened, "127.0.0.1:80");
}

TEST(ServeAddress, HostHeaderMustNameThisServer) {
  for (const char* host : {"127.0.0.1:8585", "localhost:8585", "LOCALHOST:8585", "[::1]:8585"}) {
    EXPECT_TRUE(is_own_host(host, kPort)) << host;
  }
  for (const char* host :
       {"evil.example:8585", "127.0.0.1.evil.example:8585", "localhost.evil.example:8585",
        "localhost:80", "localhost", "", ":8585", "127.0.0.1:8585:8585", "[::1]x:8585",
        "user@localhost:8585", "127.0.0.1:08x", "localhost :8585"}) {
    EXPECT_FALSE(is_own_host(host, kPort)) << host;
  }
  EXPECT_TRUE(is_own_host("localhost", 80));
  EXPECT_TRUE(is_own_host("localhost", 0));
  EXPECT_FALSE(is_own_host("evil.example", 0));
}

TEST(ServeToken, IsMadeOnceForThisUserOnly) {
  const ::tidemill::testing::OwnFolder folder;
  const std::string path = folder.path() + "/serve.token";
  const auto token = serve_token_at(path);
  ASSERT_TRUE(token) << text_of(token.error());
  EXPECT_EQ(token->size(), kTokenDigits);
  EXPECT_EQ(serve_token_at(path).value(), *token);
  struct stat status{};
  ASSERT_EQ(::stat(path.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 07777U, 0600U);
  EXPECT_NE(serve_token_at(folder.path() + "/other").value(), *token);
}

TEST(ServeToken, OneThatOthersCouldReadIsRefused) {
  const ::tidemill::testing::OwnFolder folder;
  const std::string path = folder.path() + "/serve.token";
  ASSERT_TRUE(serve_token_at(path));
  std::filesystem::permissions(path, std::filesystem::perms(0640));
  EXPECT_FALSE(serve_token_at(path));
}

TEST(ServeToken, SymlinksAndOtherTextsAreRefused) {
  const ::tidemill::testing::OwnFolder folder;
  const std::string path = folder.path() + "/serve.token";
  std::ofstream(path) << "guessed\n";
  std::filesystem::permissions(path, std::filesystem::perms(0600));
  EXPECT_FALSE(serve_token_at(path));
  ASSERT_TRUE(serve_token_at(folder.path() + "/real"));
  std::filesystem::remove(path);
  std::filesystem::create_symlink("real", path);
  EXPECT_FALSE(serve_token_at(path));
}

TEST(ServeToken, OnlyTheWholeTokenIsTheToken) {
  EXPECT_TRUE(is_same_token(kToken, kToken));
  EXPECT_FALSE(is_same_token("", kToken));
  EXPECT_FALSE(is_same_token("", ""));
  EXPECT_FALSE(is_same_token(kToken + "a", kToken));
  EXPECT_FALSE(is_same_token(kToken.substr(1), kToken));
  EXPECT_FALSE(is_same_token(kToken.substr(1) + "b", kToken));
}

TEST(AccessGate, TheTokenLetsInOnceAndTheCookieFromThenOn) {
  EXPECT_EQ(answer_to({}), GateAnswer::no_token);
  EXPECT_EQ(answer_to({}, "token=" + kToken), GateAnswer::first_visit);
  EXPECT_EQ(answer_to({{"cookie", "tidemill-8585=" + kToken}}), GateAnswer::granted);
  EXPECT_EQ(answer_to({{"cookie", "a=b; tidemill-8585=" + kToken + "; c=d"}}), GateAnswer::granted);
}

TEST(AccessGate, AnythingElseDoesNot) {
  const std::string wrong(kTokenDigits, 'b');
  EXPECT_EQ(answer_to({}, "token=" + wrong), GateAnswer::no_token);
  EXPECT_EQ(answer_to({}, "token=" + kToken.substr(1)), GateAnswer::no_token);
  EXPECT_EQ(answer_to({}, "token="), GateAnswer::no_token);
  for (const std::string& cookie : std::vector<std::string>{
           "tidemill-8585=" + wrong, "tidemill-8586=" + kToken, "tidemill-8585", "=" + kToken,
           kToken, "xtidemill-8585=" + kToken, "tidemill-8585=; tidemill-8585=" + kToken}) {
    EXPECT_EQ(answer_to({{"cookie", cookie}}), GateAnswer::no_token) << cookie;
  }
}

TEST(AccessGate, PagesOfOtherSitesMayOnlyLinkHere) {
  const std::string cookie = "tidemill-8585=" + kToken;
  for (const char* site : {"cross-site", "same-site"}) {
    EXPECT_EQ(answer_to({{"cookie", cookie}, {"sec-fetch-site", site}, {"sec-fetch-mode", "cors"}}),
              GateAnswer::foreign_site);
    EXPECT_EQ(answer_to({{"cookie", cookie}, {"sec-fetch-site", site}}), GateAnswer::foreign_site);
    EXPECT_EQ(
        answer_to({{"cookie", cookie}, {"sec-fetch-site", site}, {"sec-fetch-mode", "navigate"}}),
        GateAnswer::granted);
  }
  EXPECT_EQ(answer_to({{"cookie", cookie}, {"sec-fetch-site", "same-origin"}}),
            GateAnswer::granted);
}

TEST(AccessGate, ANameThatWasPointedHereIsRefusedWithTheTokenToo) {
  const web::Incoming rebound{
      .method = "GET",
      .path = "/",
      .headers = {{"host", "evil.example:8585"}, {"cookie", "tidemill-8585=" + kToken}}};
  const AccessGate gate(kToken, kPort);
  EXPECT_EQ(gate.check(rebound, {}), GateAnswer::foreign_host);
  EXPECT_EQ(gate.check_host(rebound), GateAnswer::foreign_host);
  EXPECT_EQ(gate.check_host({.method = "GET", .path = "/"}), GateAnswer::foreign_host);
}

}  // namespace
}  // namespace tidemill::app
