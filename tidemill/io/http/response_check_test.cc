#include "tidemill/io/http/response_check.h"

#include <stdlib.h>
#include <sys/stat.h>

#include <cstddef>
#include <fstream>
#include <string>

#include <gtest/gtest.h>

#include "tidemill/io/http/secret.h"
#include "tidemill/testing/own_folder.h"

namespace tidemill::http {
namespace {

using namespace std::chrono_literals;

// Sun, 06 Nov 1994 08:49:37 GMT
constexpr WallTime kThen{784'111'777s};

Failure verdict(int status, Headers headers = {}, std::string body = {}) {
  const auto result =
      judge({.status = status, .headers = std::move(headers), .body = std::move(body)}, kThen);
  return result ? Failure{.step = "well"} : result.error();
}

TEST(ResponseCheck, ClassifiesEveryStatus) {
  for (int status = -1; status < 1'000; ++status) {
    const auto failure = verdict(status);
    const bool is_well = status >= 200 && status < 300;
    const bool is_retried = status == 408 || status == 409 || status == 425 || status == 429 ||
                            (status >= 500 && status < 600);
    EXPECT_EQ(failure.step == "well", is_well) << status;
    EXPECT_EQ(failure.step == "conflict", status == 409) << status;
    EXPECT_EQ(failure.cure, is_retried ? Cure::retry : Cure::give_up) << status;
    EXPECT_EQ(failure.not_before, status == 429 ? 60s : 0s) << status;
  }
}

TEST(ResponseCheck, HonoursRetryAfter) {
  EXPECT_EQ(verdict(429, {{"retry-after", "7"}}).not_before, 7s);
  EXPECT_EQ(verdict(503, {{"retry-after", "Sun, 06 Nov 1994 08:50:37 GMT"}}).not_before, 60s);
  EXPECT_EQ(verdict(429, {{"retry-after", "soon"}}).not_before, 60s);
  EXPECT_EQ(verdict(503, {{"retry-after", "soon"}}).not_before, 0s);
  EXPECT_EQ(verdict(404, {{"retry-after", "7"}}).not_before, 0s);
}

TEST(ResponseCheck, ReasonQuotesTheStartOfTheBodyWithoutTerminalControls) {
  const std::string body =
      "  {\"error\":\r\n\t\"gr\xc3\xbc\xc3\x9f\"}\x1b[2J\xff\xe2\x80\xae\xc2\x9b";
  EXPECT_EQ(verdict(400, {}, body).reason,
            "the server responded with 400: {\"error\": \"gr\xc3\xbc\xc3\x9f\"}?[2J??????");
  const auto large = verdict(500, {}, std::string(1'000'000, 'x')).reason;
  EXPECT_LT(large.size(), 400U);
  EXPECT_TRUE(large.ends_with("x..."));
  EXPECT_EQ(verdict(400, {}, "\xe2\x82").reason, "the server responded with 400: ??");
  EXPECT_EQ(verdict(400, {}, "\xed\xa0\x80").reason, "the server responded with 400: ???");
  EXPECT_EQ(verdict(400, {}, "\xf0\x80\x80\x80").reason, "the server responded with 400: ????");
}

TEST(ResponseCheck, TheHintSaysWhatCanBeDone) {
  EXPECT_TRUE(verdict(401).hint.contains("key"));
  EXPECT_TRUE(verdict(403).hint.contains("permission"));
  EXPECT_TRUE(verdict(301, {{"location", "https://new/"}}).hint.contains("https://new/"));
  EXPECT_FALSE(verdict(302).hint.empty());
}

TEST(RetryAfter, AcceptsSecondsAndThreeDateFormats) {
  EXPECT_EQ(retry_after("0", kThen), 0s);
  EXPECT_EQ(retry_after(" 120 ", kThen), 120s);
  EXPECT_EQ(retry_after("Sun, 06 Nov 1994 08:49:47 GMT", kThen), 10s);
  EXPECT_EQ(retry_after("Sunday, 06-Nov-94 08:49:47 GMT", kThen), 10s);
  EXPECT_EQ(retry_after("Sun Nov  6 08:49:47 1994", kThen), 10s);
  EXPECT_EQ(retry_after("Sun Nov 06 08:49:47 1994", kThen), 10s);
  EXPECT_EQ(retry_after("Sun, 06 Nov 1994 08:49:47 GMT", kThen + 1'500us), 9'999ms);
}

TEST(RetryAfter, AcceptsFractionalSeconds) {
  EXPECT_EQ(retry_after("12.345", kThen), 12'345ms);
  EXPECT_EQ(retry_after("0.0001", kThen), 1ms);
  EXPECT_EQ(retry_after("1.5", kThen), 1'500ms);
  EXPECT_EQ(retry_after("1.9999", kThen), 2s);
}

TEST(RetryAfter, IsNeverNegativeAndAtMostADay) {
  EXPECT_EQ(retry_after("Sun, 06 Nov 1994 08:49:36 GMT", kThen), 0s);
  EXPECT_EQ(retry_after("Thu, 01 Jan 0001 00:00:00 GMT", kThen), 0s);
  EXPECT_EQ(retry_after("Fri, 31 Dec 9999 23:59:59 GMT", kThen), 24h);
  EXPECT_EQ(retry_after("86401", kThen), 24h);
  EXPECT_EQ(retry_after("86400.9", kThen), 24h);
  EXPECT_EQ(retry_after(std::string(100'000, '9'), kThen), 24h);
  EXPECT_EQ(retry_after("Friday, 01-Jan-44 00:00:00 GMT", kThen), 24h);  // 2044: 50 years ahead
  EXPECT_EQ(retry_after("Sunday, 01-Jan-45 00:00:00 GMT", kThen), 0s);   // 1945
}

TEST(RetryAfter, RejectsInvalidValues) {
  for (const char* value : {"",
                            " ",
                            "-1",
                            "+1",
                            "1e3",
                            "0x10",
                            "1,5",
                            "1.",
                            ".5",
                            "1.2.3",
                            "12 s",
                            "soon",
                            "Sun, 06 Nov 1994 08:49:37",
                            "Sun, 6 Nov 1994 08:49:37 GMT",
                            "Sun, 31 Feb 1994 08:49:37 GMT",
                            "Sun, 06 Nov 1994 24:00:00 GMT",
                            "Sun, 06 Nov 1994 08:60:00 GMT",
                            "Sun, 06 Nov 1994 08:49:37 GMT x",
                            "Xxx, 06 Nov 1994 08:49:37 GMT",
                            "Sun, 06 Xxx 1994 08:49:37 GMT",
                            "Sun",
                            "Sun,",
                            "Sun Nov"}) {
    EXPECT_EQ(retry_after(value, kThen), std::nullopt) << value;
  }
}

TEST(ResponseCheck, CountsOnlyServerSideFailures) {
  for (const int status : {500, 502, 503, 504, 599})
    EXPECT_TRUE(is_server_error({.status = status}));
  for (const int status : {200, 404, 409, 429, 499, 501, 600}) {
    EXPECT_FALSE(is_server_error({.status = status})) << status;
  }
}

TEST(Secret, IsHiddenWhereverItOccurs) {
  const Secret secret("abab");
  EXPECT_EQ(secret.hide("x abab y abab"), "x [secret] y [secret]");
  EXPECT_EQ(secret.hide("abababab!"), "[secret]!");  // overlapping: nothing of the secret is left
  EXPECT_EQ(secret.hide("abaabab"), "aba[secret]");
  EXPECT_EQ(secret.hide("aba"), "aba");
  EXPECT_EQ(secret.hide("a b a b"), "a b a b");
  EXPECT_EQ(Secret("abc").hide("abc"), "abc");  // too short: it would match in every text
  EXPECT_EQ(Secret().hide("abc"), "abc");
}

TEST(Secret, HidingTakesLinearTime) {
  const std::string text(4'000'000, 'a');
  EXPECT_EQ(Secret(std::string(60'000, 'a') + "b").hide(text).size(), text.size());
  EXPECT_EQ(Secret(std::string(60'000, 'a')).hide(text), "[secret]");
}

class SecretFile : public ::testing::Test {
 protected:
  [[nodiscard]] std::string file(std::string_view text, mode_t mode = 0600) const {
    const std::string path = folder_ / "key";
    std::ofstream(path, std::ios::binary | std::ios::trunc) << text;
    EXPECT_EQ(::chmod(path.c_str(), mode), 0);
    return path;
  }
  [[nodiscard]] const std::string& folder() const { return folder_.path(); }

  static std::string refusal(const std::string& path) {
    const auto secret = read_secret(path, nullptr);
    if (secret) return "none: " + secret->reveal();
    EXPECT_EQ(secret.error().step, "secret");
    EXPECT_EQ(secret.error().cure, Cure::give_up);
    EXPECT_TRUE(secret.error().reason.starts_with(path + ": ")) << secret.error().reason;
    return text_of(secret.error());
  }

 private:
  testing::OwnFolder folder_;
};

TEST_F(SecretFile, SecretIsTheTrimmedFirstLine) {
  for (const char* text : {"the key", "the key\n", " \tthe key \r\nsecond line\n"}) {
    const auto secret = read_secret(file(text), "PATH");
    ASSERT_TRUE(secret) << text_of(secret.error());
    EXPECT_EQ(secret->reveal(), "the key");
  }
}

TEST_F(SecretFile, IsRejectedWhenOthersCanReadIt) {
  for (const mode_t mode : {0640U, 0604U, 0644U, 0660U}) {
    const std::string path = file("the key", mode);
    EXPECT_TRUE(refusal(path).contains("chmod 600 " + path)) << mode;
  }
  EXPECT_EQ(refusal(file("the key", 0400)), "none: the key");
}

TEST_F(SecretFile, IsRejectedWhenMissingOrInvalid) {
  EXPECT_TRUE(refusal(folder() + "/missing").contains("No such file"));
  EXPECT_TRUE(refusal(folder()).contains("not a regular file"));
  const std::string fifo = folder() + "/fifo";
  ASSERT_EQ(::mkfifo(fifo.c_str(), 0600), 0);
  EXPECT_TRUE(refusal(fifo).contains("not a regular file"));
  EXPECT_TRUE(refusal(file("")).contains("empty"));
  EXPECT_TRUE(refusal(file("\nkey on the second line")).contains("empty"));
  EXPECT_TRUE(refusal(file(std::string("a\0b", 3))).contains("control"));
  EXPECT_TRUE(refusal(file(std::string(65'537, 'x'))).contains("64 KiB"));
  EXPECT_TRUE(refusal(file(std::string(65'536, 'x'))).starts_with("none"));
}

TEST(Secret, ComesFromTheEnvironmentWhenThereIsNoFile) {
  ::setenv("TIDEMILL_TEST_KEY", " the key\n", 1);
  EXPECT_EQ(read_secret("", "TIDEMILL_TEST_KEY")->reveal(), "the key");
  ::setenv("TIDEMILL_TEST_KEY", "the\nkey", 1);
  const auto bad = read_secret("", "TIDEMILL_TEST_KEY");
  ASSERT_FALSE(bad);
  EXPECT_TRUE(bad.error().reason.starts_with("TIDEMILL_TEST_KEY: "));
  ::unsetenv("TIDEMILL_TEST_KEY");
  EXPECT_TRUE(read_secret("", "TIDEMILL_TEST_KEY")->is_empty());
  EXPECT_TRUE(read_secret("", nullptr)->is_empty());
}

}  // namespace
}  // namespace tidemill::http
