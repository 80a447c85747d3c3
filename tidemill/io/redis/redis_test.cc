// Addresses and the protocol in both directions.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tidemill/io/redis/address.h"
#include "tidemill/io/redis/client.h"
#include "tidemill/io/redis/parser.h"
#include "tidemill/io/redis/redirect.h"

namespace tidemill::redis {
namespace {

using namespace std::string_literals;

RedisAddress address_of(const std::string& url) {
  auto address = parse_address(url, Origin::hidden);
  EXPECT_TRUE(address) << url << ": " << text_of(address.error());
  return address.value_or(RedisAddress{});
}

Cure cure_of(const auto& result) { return result ? Cure::resume : result.error().cure; }

TEST(RedisAddress, ParsesUrlsAndPrintsThemWithoutThePassword) {
  const std::vector<std::pair<std::string, RedisAddress>> table = {
      {"redis://h", {.hosts = {{"h", 6379}}}},
      {"redis://h:7001/3", {.hosts = {{"h", 7001}}, .database = 3}},
      {"rediss://u@[::1]:7001/", {.has_tls = true, .hosts = {{"::1", 7001}}, .user = "u"}},
      {"redis://:p%40ss@h", {.hosts = {{"h", 6379}}, .password = HiddenText("p@ss")}},
      {"redis://u%3A:a:b@h", {.hosts = {{"h", 6379}}, .user = "u:", .password = HiddenText("a:b")}},
      {"unix:///run/r%20.sock?db=2", {.socket = "/run/r .sock", .database = 2}},
      {"redis+sentinel://a,b:7/main/4",
       {.topology = Topology::sentinel,
        .hosts = {{"a", 26379}, {"b", 7}},
        .master = "main",
        .database = 4}},
      {"rediss+cluster://a,[fe80::1%25lo]:7",
       {.topology = Topology::cluster, .has_tls = true, .hosts = {{"a", 6379}, {"fe80::1%lo", 7}}}},
  };
  for (const auto& [url, wanted] : table) {
    EXPECT_EQ(address_of(url), wanted) << url;
    RedisAddress shown = wanted;
    shown.password = {};
    EXPECT_EQ(address_of(text_of(wanted)), shown) << text_of(wanted);
  }
}

TEST(RedisAddress, RejectsInvalidUrlsWithoutRevealingSecrets) {
  for (const std::string secret = "hunter2";
       const std::string& url : {""s,
                                 "hunter2"s,
                                 "redis:/u:hunter2@h"s,
                                 "http://u:hunter2@h"s,
                                 "REDIS://h"s,
                                 "redis://"s,
                                 "redis://u:hunter2@"s,
                                 "redis://u:hunter2@:1"s,
                                 "redis://h:0"s,
                                 "redis://u:hunter2@h:65536"s,
                                 "redis://u:hunter2@h:-1"s,
                                 "redis://h:"s,
                                 "redis://h: 1"s,
                                 "redis://u:hunter2@h/x"s,
                                 "redis://h/-1"s,
                                 "redis://h/4294967296"s,
                                 "redis://h/1/2"s,
                                 "redis://u:hunter2%@h"s,
                                 "redis://u:hunter2%zz@h"s,
                                 "redis://u:hunter2%00@h"s,
                                 "redis://u:hunter2@h?x=1"s,
                                 "redis://u:hunter2@h#f"s,
                                 "redis://a,b"s,
                                 "redis://::1"s,
                                 "redis://[::1"s,
                                 "redis://[h]"s,
                                 "redis://[::1]x"s,
                                 "redis://h\n"s,
                                 "redis://h h"s,
                                 "unix://run/x"s,
                                 "unix://"s,
                                 "unix:///x?y=1"s,
                                 "unix:///x?db="s,
                                 "unix:///x%00"s,
                                 "unix:///"s + std::string(107, 'x'),
                                 "redis+sentinel://h"s,
                                 "redis+sentinel://h/"s,
                                 "redis+sentinel://h,/m"s,
                                 "redis+cluster://h/1"s,
                                 "redis+cluster://,h"s,
                                 "redis://"s + std::string(256, 'h'),
                                 "redis://h\0x"s}) {
    for (const Origin origin : {Origin::command_line, Origin::hidden}) {
      const auto address = parse_address(url, origin);
      ASSERT_FALSE(address) << url;
      EXPECT_EQ(address.error().step, "usage");
      EXPECT_EQ(address.error().cure, Cure::give_up);
      EXPECT_FALSE(text_of(address.error()).contains(secret)) << url;
    }
  }
}

TEST(RedisAddress, TakesNoPasswordFromACommandLine) {
  const auto address = parse_address("redis://u:hunter2@h", Origin::command_line);
  ASSERT_FALSE(address);
  EXPECT_FALSE(text_of(address.error()).contains("hunter2"));
  EXPECT_FALSE(address.error().hint.empty());
  EXPECT_TRUE(parse_address("redis://u@h", Origin::command_line));
}

TEST(RedisAddress, ShowsNoPassword) {
  EXPECT_EQ(text_of(address_of("redis://u:hunter2@h/1")), "redis://u@h:6379/1");
}

TEST(Slots, MatchThoseOfRedis) {
  EXPECT_EQ(slot_of("123456789"), 0x31C3);
  EXPECT_EQ(slot_of(""), 0);
  EXPECT_EQ(slot_of("foo"), 12182);
  EXPECT_EQ(slot_of("{user1000}.following"), slot_of("user1000"));
  EXPECT_EQ(slot_of("foo{bar}{zap}"), slot_of("bar"));
  EXPECT_EQ(slot_of("foo{{bar}}zap"), slot_of("{bar"));
  EXPECT_EQ(slot_of("foo{}{bar}"), 8363);
  EXPECT_EQ(slot_of("a}b{"), slot_of("a}b{"));
}

TEST(Commands, EncodeToProtocolBytes) {
  Commands commands;
  commands.add({"SET", "k", "a\r\n\0b"s});
  commands.add({"", "x"});
  EXPECT_EQ(commands.bytes(),
            "*3\r\n$3\r\nSET\r\n$1\r\nk\r\n$5\r\na\r\n\0b\r\n*2\r\n$0\r\n\r\n$1\r\nx\r\n"s);
  EXPECT_EQ(commands.size(), 2U);
  EXPECT_EQ(with_asking(commands.bytes()),
            "*1\r\n$6\r\nASKING\r\n*3\r\n$3\r\nSET\r\n$1\r\nk\r\n$5\r\na\r\n\0b\r\n"
            "*1\r\n$6\r\nASKING\r\n*2\r\n$0\r\n\r\n$1\r\nx\r\n"s);
  commands.clear();
  EXPECT_EQ(commands.size(), 0U);
}

TEST(Commands, IdentifyScriptsBySha1) {
  EXPECT_EQ(Script("return 1").sha1(), "e0e1f9fabfc9d4800c877a703b823ac0578ff8db");
}

TEST(Redirects, AreParsedFromTheError) {
  EXPECT_EQ(redirect_of("MOVED 3999 127.0.0.1:6381"), (Redirect{true, {"127.0.0.1", 6381}}));
  EXPECT_EQ(redirect_of("ASK 3999 ::1:6381"), (Redirect{false, {"::1", 6381}}));
  EXPECT_EQ(redirect_of("MOVED 3999 :6381"), (Redirect{true, {"", 6381}}));
  for (const auto* error :
       {"ERR x", "MOVED", "MOVED 1", "MOVED 1 h:", "ASK 1 h:0", "ASK 1 h:99999"}) {
    EXPECT_FALSE(redirect_of(error)) << error;
  }
}

TEST(Failures, AreClassifiedByTheirFirstWord) {
  for (const auto* passing :
       {"LOADING x", "READONLY x", "CLUSTERDOWN x", "TRYAGAIN x", "BUSY x", "MASTERDOWN x",
        "NOREPLICAS x", "OOM x", "MISCONF x", "ERR max number of clients reached",
        "ERR Error running script: @user_script: 1: -READONLY You can't"}) {
    EXPECT_EQ(failure_of(passing, "s").cure, Cure::retry) << passing;
  }
  for (const auto* lasting : {"WRONGPASS x", "NOAUTH x", "NOPERM x", "WRONGTYPE x", "ERR x", "",
                              "BUSYGROUP x", "CROSSSLOT x"}) {
    EXPECT_EQ(failure_of(lasting, "s").cure, Cure::give_up) << lasting;
  }
  EXPECT_EQ(failure_of("ERR \x1b[2J\n\xff", "s").reason, "s: ERR ?[2J??");
  const auto kind = [](std::string_view error) { return failure_of(error, "s").kind; };
  EXPECT_EQ(kind("LOADING Redis is loading"), FailureKind::starting);
  EXPECT_EQ(kind("NOAUTH Authentication required."), FailureKind::unauthenticated);
  EXPECT_EQ(kind("ERR Error running script: -WRONGTYPE Operation"), FailureKind::wrong_type);
  EXPECT_EQ(kind("ERR This instance has cluster support disabled"), FailureKind::unsupported);
  EXPECT_EQ(kind("WRONGPASS invalid"), FailureKind::other);
}

Result<std::vector<Reply>> parsed(std::string_view bytes, std::size_t piece) {
  Parser parser;
  std::vector<Reply> replies;
  for (; !bytes.empty(); bytes.remove_prefix(std::min(piece, bytes.size()))) {
    if (auto fed = parser.feed(bytes.substr(0, piece)); !fed) return std::unexpected(fed.error());
    while (true) {
      auto reply = parser.next();
      if (!reply) return std::unexpected(reply.error());
      if (*reply == nullptr) break;
      replies.push_back(**reply);
    }
  }
  EXPECT_TRUE(parser.is_empty());
  return replies;
}

TEST(Parser, ParsesEveryKindOfReplyHoweverItIsSplit) {
  const std::string bytes =
      "+OK\r\n:-7\r\n$-1\r\n$5\r\na\r\n\0b\r\n-ERR x\r\n*-1\r\n*0\r\n"
      "*3\r\n:1\r\n*2\r\n$0\r\n\r\n*1\r\n+x\r\n$1\r\ny\r\n:2\r\n"s;
  using Kind = Reply::Kind;
  const Reply nested{
      .kind = Kind::list,
      .items = {{.kind = Kind::integer, .number = 1},
                {.kind = Kind::list,
                 .items = {{.kind = Kind::text},
                           {.kind = Kind::list, .items = {{.kind = Kind::status, .text = "x"}}}}},
                {.kind = Kind::text, .text = "y"}}};
  const std::vector<Reply> wanted = {{.kind = Kind::status, .text = "OK"},
                                     {.kind = Kind::integer, .number = -7},
                                     {.kind = Kind::nil},
                                     {.kind = Kind::text, .text = "a\r\n\0b"s},
                                     {.kind = Kind::error, .text = "ERR x"},
                                     {.kind = Kind::nil},
                                     {.kind = Kind::list},
                                     nested,
                                     {.kind = Kind::integer, .number = 2}};
  for (std::size_t piece = 1; piece <= bytes.size(); ++piece) {
    EXPECT_EQ(parsed(bytes, piece), wanted) << piece;
  }
}

TEST(Parser, RejectsInvalidReplies) {
  for (const auto& bytes :
       {"HTTP/1.1 400\r\n"s, "$-2\r\n"s, ":x\r\n"s, "*99999999999\r\n"s,
        "*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n:1\r\n"s, "\x15\x03\x03"s}) {
    const auto replies = parsed(bytes, bytes.size());
    ASSERT_FALSE(replies) << bytes;
    EXPECT_EQ(replies.error().cure, Cure::give_up);
  }
}

std::string nested(std::size_t depth) {
  std::string bytes;
  for (std::size_t i = 0; i < depth; ++i) bytes += "*1\r\n";
  return bytes + ":1\r\n";
}

TEST(Parser, RejectsListsNestedTooDeeply) {
  EXPECT_TRUE(parsed(nested(Parser::kMostDepth), 1'000));
  for (const std::size_t depth : {Parser::kMostDepth + 1, std::size_t{1'000'000}}) {
    const std::string bytes = nested(depth);
    for (const std::size_t piece : {std::size_t{3}, bytes.size()}) {
      const auto replies = parsed(bytes, piece);
      ASSERT_FALSE(replies) << depth;
      EXPECT_EQ(replies.error().cure, Cure::give_up);
      EXPECT_TRUE(replies.error().reason.contains("too deep")) << text_of(replies.error());
    }
  }
}

TEST(Parser, DoesNotAllocateForItemsThatNeverArrive) {
  Parser parser;
  ASSERT_TRUE(parser.feed("*2147483647\r\n*2147483647\r\n$400000000\r\n"));
  const auto reply = parser.next();
  ASSERT_TRUE(reply);
  EXPECT_EQ(*reply, nullptr);
  EXPECT_FALSE(parser.is_empty());
}

TEST(Parser, RejectsAReplyWithTooManyItems) {
  Parser parser;
  ASSERT_TRUE(parser.feed("*2147483647\r\n"));
  std::string block;
  for (int i = 0; i < 4096; ++i) block += "*0\r\n";
  Result<Reply*> reply = nullptr;
  std::size_t fed = 0;
  for (; reply && fed <= Parser::kMostItems; fed += 4096) {
    ASSERT_TRUE(parser.feed(block));
    reply = parser.next();
  }
  EXPECT_EQ(cure_of(reply), Cure::give_up);
  EXPECT_EQ(fed, Parser::kMostItems + 4096);
}

}  // namespace
}  // namespace tidemill::redis
