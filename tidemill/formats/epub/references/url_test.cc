#include "tidemill/formats/epub/references/url.h"
#include "tidemill/formats/epub/unicode.h"

#include <gtest/gtest.h>

#include <string>

#include "tidemill/formats/epub/references/fragment.h"
#include "tidemill/formats/epub/references/url_faults.h"

namespace tidemill::epub {
namespace {

using Kind = LinkTarget::Kind;

LinkTarget at(std::string_view url) { return resolve(url, "OPS/text/x.xhtml"); }

TEST(Url, ResolvesRelativeToTheFolderOfTheDocument) {
  EXPECT_EQ(at("a.xhtml").path, "OPS/text/a.xhtml");
  EXPECT_EQ(at("./a/../b.xhtml").path, "OPS/text/b.xhtml");
  EXPECT_EQ(at("../a.xhtml").path, "OPS/a.xhtml");
  EXPECT_EQ(at("%2e%2E/a.xhtml").path, "OPS/a.xhtml");
  EXPECT_EQ(at("..").path, "OPS/");
  EXPECT_EQ(at("").path, "OPS/text/x.xhtml");
  EXPECT_EQ(at("#a").path, "OPS/text/x.xhtml");
  EXPECT_EQ(at(" \n a.xhtml ").path, "OPS/text/a.xhtml");
  EXPECT_EQ(resolve("a", "x").path, "a");
}

TEST(Url, ThePathIsDecodedAndComposed) {
  EXPECT_EQ(at("a%20b%2Fc").path, "OPS/text/a b/c");
  EXPECT_EQ(at("u%CC%88").path, "OPS/text/\xC3\xBC");
  EXPECT_EQ(at("a%FFb").path,
            "OPS/text/a\xFF"
            "b");
  EXPECT_EQ(composed("\xC3\xBC"), "\xC3\xBC");
}

TEST(Url, FlagsPathsThatLeaveTheBookAndKeepsTheRemainder) {
  EXPECT_FALSE(at("../../a").leaks);
  EXPECT_TRUE(at("../../../a").leaks);
  EXPECT_EQ(at("../../../a").path, "a");
  EXPECT_TRUE(at("/a/b").leaks);
  EXPECT_EQ(at("/a/b").path, "a/b");
}

TEST(Url, SplitsOffFragmentAndQuery) {
  const LinkTarget target = at("a.xhtml?q=1#b%20c");
  EXPECT_EQ(target.path, "OPS/text/a.xhtml");
  EXPECT_TRUE(target.has_query);
  EXPECT_EQ(target.query, "q=1");
  EXPECT_EQ(target.fragment, "b c");
  EXPECT_FALSE(at("a").has_fragment);
  EXPECT_TRUE(at("a#").has_fragment);
}

TEST(Url, DeterminesTheTargetKindFromTheScheme) {
  EXPECT_EQ(at("HTTP://Example.ORG/A#b").kind, Kind::remote);
  EXPECT_EQ(at("HTTP://Example.ORG/A#b").path, "http://example.org/A");
  EXPECT_EQ(at("//example.org").path, "https://example.org/");
  EXPECT_EQ(at("file:/a").path, at("file:///a").path);
  EXPECT_EQ(at("file:/a").kind, Kind::file);
  EXPECT_EQ(at("data:image/PNG;base64,AA AA").path, "image/png");
  EXPECT_EQ(at("data:,a b").problem, "");
  EXPECT_EQ(at("mailto:a@b").kind, Kind::other);
  EXPECT_EQ(at("1a:b").kind, Kind::inside);
  EXPECT_TRUE(at("tel:1").is_outside());
  EXPECT_FALSE(at("data:,").is_outside());
}

TEST(Url, ReportsProblemsButStillResolves) {
  for (const char* bad :
       {"a b", "a|b", "a\\b", "a[1]", "a%2", "a%zz", "a\tb", "#a b", "a?b|c", "mailto:a b",
        "http:a", "http:///a", "http://a:99999/", "\xC2\x85", "\xEF\xBF\xBD", "#\xEF\xB7\x90"}) {
    EXPECT_FALSE(at(bad).problem.empty()) << bad;
    EXPECT_NE(at(bad).kind, Kind::malformed) << bad;
  }
  for (const char* good : {"a'b", "a~b", "\xC3\xA9", "a;b=1,c", "http://a_b.com/", "http://*.a/"}) {
    EXPECT_TRUE(at(good).problem.empty()) << good;
  }
  EXPECT_EQ(at("a\\b").path, "OPS/text/a/b");
}

TEST(Url, AnInvalidHostIsMalformed) {
  for (const char* bad : {"http://", "http://a b/", "http://a..b/", "http://a:b/", "http://[::1",
                          "http://a%b/", "https://?x", "http://[]/", "http://[::z]/",
                          "http://[1:2:3:4:5:6:7:8:9]/", "http://[1::2::3]/", "http://[1:2]/"}) {
    EXPECT_EQ(at(bad).kind, Kind::malformed) << bad;
  }
  for (const char* good : {"http://[::1]:80/", "http://[::]/", "http://[1:2:3:4:5:6:7:8]/",
                           "http://[1:2:3:4:5:6:7::]/", "http://[::ffff:1.2.3.4]/"}) {
    EXPECT_EQ(at(good).kind, Kind::remote) << good;
  }
  EXPECT_EQ(at("http://a:b@c:1/").kind, Kind::remote);
}

TEST(Url, ARemoteBaseMakesEverythingRemote) {
  const LinkTarget target = resolve("a.png", "http://example.org/x/y");
  EXPECT_EQ(target.kind, Kind::remote);
  EXPECT_EQ(target.path, "http://example.org/x/a.png");
}

TEST(Fragment, MeaningDependsOnTheTargetMediaType) {
  const auto read = [](std::string_view url, std::string_view type) {
    return read_fragment(at(url), type);
  };
  EXPECT_EQ(read("a#x", "application/xhtml+xml").id, "x");
  EXPECT_EQ(read("a#x:~:text=y", "application/xhtml+xml").id, "x");
  EXPECT_EQ(read("a#t=10&x=1", "application/xhtml+xml").id, "");
  EXPECT_EQ(read("a#epubcfi(/6/4)", "application/xhtml+xml").scheme, "epubcfi");
  EXPECT_TRUE(read("a#svgView(viewBox(0,0,1,1))", "image/svg+xml").is_valid);
  EXPECT_TRUE(read("a#xywh=percent:0,0,50,50&t=1", "image/svg+xml").is_valid);
  EXPECT_FALSE(read("a#xywh=1,2", "image/svg+xml").is_valid);
  EXPECT_FALSE(read("a#foo=1", "image/svg+xml").is_valid);
  EXPECT_EQ(read("a#x&t=1,2", "image/svg+xml").id, "x");
}

TEST(Scheme, RecognisesRegisteredSchemes) {
  EXPECT_TRUE(is_registered_scheme("mailto"));
  EXPECT_FALSE(is_registered_scheme("foo"));
}

}  // namespace
}  // namespace tidemill::epub
