#include "tidemill/io/http/address.h"

#include <gtest/gtest.h>

namespace tidemill::http {
namespace {

TEST(HttpAddress, LoopbackAndEncryptedUrlsAreNotExposed) {
  for (const char* url :
       {"http://localhost:3000", "http://LOCALHOST", "http://127.0.0.1/x", "http://127.9.9.9",
        "http://127.1", "http://0x7f000001", "http://[::1]:3000", "http://[::ffff:127.0.0.1]",
        "https://wiki.example.org", "HTTPS://wiki.example.org",
        "http://wiki.example.org@localhost"}) {
    EXPECT_FALSE(is_exposed(url, "")) << url;
  }
}

TEST(HttpAddress, RemoteUrlsAreExposedEvenIfTheyLookLikeLoopback) {
  for (const char* url :
       {"http://wiki.example.org", "HTTP://wiki.example.org", "http://localhost.example.org",
        "http://127.0.0.1.example.org", "http://127.0.0.1@example.org", "http://localhost:80@x.org",
        "http://example.org/@localhost", "http://example.org#@localhost",
        "http://example.org?localhost", "http://127example.org", "http://128.0.0.1",
        "http://10.0.0.1", "http://[fe80::1]", "http://[2001:db8::1]", "http://[::ffff:10.0.0.1]",
        "http://localhost.", "http://2130706434x"}) {
    EXPECT_TRUE(is_exposed(url, "")) << url;
  }
}

TEST(HttpAddress, RemoteProxyExposesUnencryptedUrls) {
  EXPECT_TRUE(is_exposed("http://localhost", "http://proxy.example.org:3128"));
  EXPECT_TRUE(is_exposed("http://localhost", "proxy.example.org"));
  EXPECT_TRUE(is_exposed("http://wiki.example.org", "http://localhost:3128"));
  EXPECT_FALSE(is_exposed("http://localhost", "localhost:3128"));
  EXPECT_FALSE(is_exposed("http://localhost", "socks5h://127.0.0.1:1080"));
  EXPECT_FALSE(is_exposed("https://wiki.example.org", "http://proxy.example.org:3128"));
}

TEST(HttpAddress, ReportsHostAndPortAndWhetherItHasAUser) {
  const auto address = address_of("http://me:hidden@[::1]/x?key=hidden");
  ASSERT_TRUE(address);
  EXPECT_EQ(address->place(), "[::1]:80");
  EXPECT_TRUE(address->has_user);
  EXPECT_FALSE(address_of("http://h:3000")->has_user);
  EXPECT_FALSE(address_of("ftp://h"));
}

}  // namespace
}  // namespace tidemill::http
