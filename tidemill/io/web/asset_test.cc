#include "tidemill/io/web/asset.h"

#include <gtest/gtest.h>
#include <zlib.h>

#include <algorithm>

namespace tidemill::web {
namespace {

Incoming accepting(const std::string& encodings) {
  return {.method = "GET", .headers = {{"accept-encoding", encodings}}};
}

std::string value_of(const WebReply& reply, const std::string& name) {
  const auto found =
      std::ranges::find(reply.headers, name, &std::pair<std::string, std::string>::first);
  return found == reply.headers.end() ? "" : found->second;
}

std::string unzipped(std::string bytes, std::size_t size) {
  std::string out(size, '\0');
  z_stream stream{};
  EXPECT_EQ(inflateInit2(&stream, 15 + 16), Z_OK);
  stream.next_in = reinterpret_cast<Bytef*>(bytes.data());
  stream.avail_in = static_cast<uInt>(bytes.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  EXPECT_EQ(inflate(&stream, Z_FINISH), Z_STREAM_END);
  EXPECT_EQ(inflateEnd(&stream), Z_OK);
  return out;
}

TEST(Asset, IsCompressedForAClientThatAcceptsIt) {
  std::string css;
  for (int i = 0; i < 200; ++i) css += ".row-" + std::to_string(i) + " { color: red }\n";
  const Asset asset(css, "text/css");
  const WebReply plain = asset.reply_to({.method = "GET"});
  EXPECT_TRUE(plain.body == css);
  EXPECT_EQ(plain.type, "text/css");
  EXPECT_EQ(value_of(plain, "Content-Encoding"), "");
  EXPECT_EQ(value_of(plain, "Vary"), "Accept-Encoding");
  const WebReply zipped = asset.reply_to(accepting("br, gzip"));
  EXPECT_LT(zipped.body.size(), css.size() / 4);
  EXPECT_TRUE(unzipped(zipped.body, css.size()) == css);
  EXPECT_EQ(value_of(zipped, "Content-Encoding"), "gzip");
  EXPECT_EQ(value_of(zipped, "Vary"), "Accept-Encoding");
  EXPECT_NE(value_of(zipped, "ETag"), value_of(plain, "ETag"));
}

TEST(Asset, IsNotSentAgainToAClientThatHasIt) {
  const Asset asset(std::string(1000, 'x'), "text/css");
  for (const char* encodings : {"gzip", "identity"}) {
    Incoming again = accepting(encodings);
    again.headers.emplace_back("if-none-match", value_of(asset.reply_to(again), "ETag"));
    const WebReply reply = asset.reply_to(again);
    EXPECT_EQ(reply.status, 304);
    EXPECT_EQ(reply.body, "");
    EXPECT_EQ(value_of(reply, "Vary"), "Accept-Encoding");
    EXPECT_EQ(value_of(reply, "Content-Encoding"), "");
  }
}

TEST(Asset, ThatDoesNotGetSmallerIsSentAsItIs) {
  const Asset asset("{}", "text/css");
  const WebReply reply = asset.reply_to(accepting("gzip"));
  EXPECT_EQ(reply.body, "{}");
  EXPECT_EQ(value_of(reply, "Vary"), "");
  EXPECT_EQ(Asset("", "text/css").reply_to(accepting("gzip")).body, "");
}

TEST(Asset, KnowsWhichClientsAcceptGzip) {
  for (const char* list : {"gzip", "br,gzip", " GZIP ;q=0.1 , br", "gzip;q=1", "gzip; q=0.01"}) {
    EXPECT_TRUE(accepts_gzip(accepting(list))) << list;
  }
  for (const char* list : {"", "br", "gzip;q=0", "gzip; q=0.000", "gzip2", "*", "xgzip", ",;"}) {
    EXPECT_FALSE(accepts_gzip(accepting(list))) << list;
  }
  EXPECT_FALSE(accepts_gzip({.method = "GET"}));
}

}  // namespace
}  // namespace tidemill::web
