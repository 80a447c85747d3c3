#include "tidemill/io/web/web_reply.h"

#include <gtest/gtest.h>

namespace tidemill::web {
namespace {

using namespace std::string_literals;

std::string sent(const WebReply& reply) { return bytes_of(reply, true, true); }

TEST(WebReply, SendsItsHeadersAndItsType) {
  EXPECT_EQ(sent({.body = "<p>",
                  .type = "text/html; charset=utf-8",
                  .headers = {{"Set-Cookie", "a=b"}, {"Set-Cookie", "c=d"}}}),
            "HTTP/1.1 200 OK\r\nContent-Length: 3\r\nContent-Type: text/html; charset=utf-8\r\n"
            "Set-Cookie: a=b\r\nSet-Cookie: c=d\r\nConnection: keep-alive\r\n\r\n<p>");
  EXPECT_EQ(sent({.status = 303, .headers = {{"Location", "/runs"}}}),
            "HTTP/1.1 303 See Other\r\nContent-Length: 0\r\nLocation: /runs\r\n"
            "Connection: keep-alive\r\n\r\n");
  EXPECT_EQ(sent({.status = 405, .allow = "POST"}),
            "HTTP/1.1 405 Method Not Allowed\r\nContent-Length: 0\r\nAllow: POST\r\n"
            "Connection: keep-alive\r\n\r\n");
}

TEST(WebReply, WithoutItsBodyHasTheLengthOfTheBody) {
  EXPECT_EQ(bytes_of({.body = "12345"}, false, false),
            "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Type: text/plain; charset=utf-8\r\n"
            "Connection: close\r\n\r\n");
}

TEST(WebReply, HasNoLengthWhereThereIsNeverABody) {
  for (const int status : {204, 304}) {
    const auto bytes = sent({.status = status, .body = "dropped"});
    EXPECT_EQ(bytes.find("Content-"), bytes.npos) << bytes;
    EXPECT_TRUE(bytes.ends_with("\r\n\r\n")) << bytes;
  }
}

TEST(WebReply, IsA500IfAHeaderCouldBeReadAsSomethingElse) {
  const std::vector<WebReply> wrong = {
      {.headers = {{"Location", "/a\r\nSet-Cookie: b=c"}}},
      {.headers = {{"Location", "/a\nb"}}},
      {.headers = {{"Location", "/a\rb"}}},
      {.headers = {{"Location", "/a\0b"s}}},
      {.headers = {{"X-A: b\r\nX-C", "d"}}},
      {.headers = {{"X A", "b"}}},
      {.headers = {{"", "b"}}},
      {.headers = {{"content-LENGTH", "0"}}},
      {.headers = {{"Content-Type", "text/html"}}},
      {.headers = {{"Transfer-Encoding", "chunked"}}},
      {.headers = {{"Connection", "close"}}},
      {.allow = "GET\r\nX-A: b"},
      {.type = "text/html\r\n\r\n<script>"},
      {.type = ""},
      {.status = 100},
      {.status = 1000},
  };
  for (const WebReply& reply : wrong) {
    EXPECT_EQ(sent(reply), sent({.status = 500, .body = "error\n"}));
  }
}

Incoming asking(const std::string& tags, const std::string& method = "GET") {
  return {.method = method, .headers = {{"if-none-match", tags}}};
}

TEST(ETag, IsSentWithA304WithoutABodyToAClientThatKnowsIt) {
  const WebReply page{.body = "page", .headers = {{"Cache-Control", "no-cache"}}};
  const WebReply fresh = with_etag(asking("\"old\""), "new", page);
  EXPECT_EQ(fresh.status, 200);
  EXPECT_EQ(fresh.body, "page");
  const WebReply same = with_etag(asking("\"new\""), "new", page);
  EXPECT_EQ(sent(same),
            "HTTP/1.1 304 Not Modified\r\nCache-Control: no-cache\r\nETag: \"new\"\r\n"
            "Connection: keep-alive\r\n\r\n");
  EXPECT_EQ(with_etag(asking("\"new\"", "POST"), "new", page).status, 200);
  EXPECT_EQ(with_etag(asking("\"new\""), "new", {.status = 404}).status, 404);
  EXPECT_EQ(with_etag(asking("*"), "a\"b", page).status, 500);
}

TEST(ETag, IsFoundInListsAndComparedWeakly) {
  for (const char* tags : {"\"t\"", "W/\"t\"", " \"a\" ,W/\"t\"", "\"a,b\",\"t\"", "*", " * "}) {
    EXPECT_TRUE(knows_etag(asking(tags), "t")) << tags;
  }
  for (const char* tags :
       {"", "t", "\"t", "\"a,t\"", "\"T\"", "w/\"t\"", "**", "\"a\" \"b\"", "W/"}) {
    EXPECT_FALSE(knows_etag(asking(tags), "t")) << tags;
  }
  Incoming two = asking("\"a\"");
  two.headers.emplace_back("if-none-match", "\"t\"");
  EXPECT_TRUE(knows_etag(two, "t"));
}

TEST(ETag, DependsOnEveryByte) {
  EXPECT_EQ(etag_of(""), "cbf29ce484222325-0");
  EXPECT_EQ(etag_of("a"), "af63dc4c8601ec8c-1");
  EXPECT_NE(etag_of("ab"), etag_of("ba"));
}

}  // namespace
}  // namespace tidemill::web
