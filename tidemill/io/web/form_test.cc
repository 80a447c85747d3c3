#include "tidemill/io/web/form.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include "tidemill/io/web/path.h"

namespace tidemill::web {
namespace {

using namespace std::string_literals;

TEST(Form, DecodesNamesAndValues) {
  const auto form = parse_form("a=1&b=x+y%21&&empty=&bare&%61=2&nul=%00&equals=a=b");
  ASSERT_TRUE(form) << text_of(form.error());
  EXPECT_EQ(form->fields, (std::vector<std::pair<std::string, std::string>>{{"a", "1"},
                                                                            {"b", "x y!"},
                                                                            {"empty", ""},
                                                                            {"bare", ""},
                                                                            {"a", "2"},
                                                                            {"nul", "\0"s},
                                                                            {"equals", "a=b"}}));
  EXPECT_EQ(*form->value("a"), "1");
  EXPECT_EQ(form->value("c"), nullptr);
}

TEST(Form, RejectsInvalidEscapes) {
  for (const char* text : {"a=%", "a=%4", "a=%zz", "a=%4g", "%=1", "a=%%41"}) {
    const auto form = parse_form(text);
    ASSERT_FALSE(form) << text;
    EXPECT_EQ(form.error().kind, FailureKind::other) << text;
    EXPECT_EQ(form.error().step, "form");
  }
}

TEST(Form, HasLimits) {
  const FormLimits limits{.most_fields = 2, .most_bytes = {8}};
  EXPECT_TRUE(parse_form("a=1&b=22", limits));
  EXPECT_EQ(parse_form("a=1&b=223", limits).error().kind, FailureKind::over_limit);
  EXPECT_TRUE(parse_form("a&b&&", limits));
  EXPECT_EQ(parse_form("a&b&c", limits).error().kind, FailureKind::over_limit);
}

RC_GTEST_PROP(Form, ParsesWhatItWrites, ()) {
  Form form;
  form.fields = *rc::gen::container<std::vector<std::pair<std::string, std::string>>>(
      rc::gen::pair(rc::gen::arbitrary<std::string>(), rc::gen::arbitrary<std::string>()));
  RC_PRE(form.fields.size() <= FormLimits{}.most_fields);
  const std::string text = text_of(form);
  RC_PRE(text.size() <= FormLimits{}.most_bytes.count);
  const auto parsed = parse_form(text);
  RC_ASSERT(parsed.has_value());
  RC_ASSERT(*parsed == form);
}

TEST(Form, IsRecognisedByItsContentType) {
  const auto typed = [](const std::string& type) {
    return has_form({.method = "POST", .headers = {{"content-type", type}}});
  };
  EXPECT_TRUE(typed("application/x-www-form-urlencoded"));
  EXPECT_TRUE(typed("Application/X-WWW-Form-Urlencoded ; charset=utf-8"));
  EXPECT_FALSE(typed("text/plain"));
  EXPECT_FALSE(has_form({.method = "POST"}));
}

TEST(Path, GivesDecodedSegments) {
  EXPECT_EQ(segments_of("/"), std::vector<std::string>{});
  EXPECT_EQ(segments_of("/runs/a%20b+c/%C3%A9"),
            (std::vector<std::string>{"runs", "a b+c", "\xc3\xa9"}));
  EXPECT_EQ(segments_of("/%252e%252e"), std::vector<std::string>{"%2e%2e"});  // decoded once
  EXPECT_EQ(segments_of("/...").value().front(), "...");
}

TEST(Path, RejectsEveryOtherSpelling) {
  for (const char* path : {"",
                           "*",
                           "runs",
                           "http://host/runs",
                           "//host/runs",
                           "//",
                           "/runs/",
                           "/runs//1",
                           "/.",
                           "/..",
                           "/runs/../x",
                           "/%2e%2e/x",
                           "/%2E./x",
                           "/.%2e",
                           "/%2e",
                           "/a%2fb",
                           "/a%2Fb",
                           "/a%5cb",
                           "/a\\b",
                           "/a%00",
                           "/a%0d%0aSet-Cookie:x",
                           "/a%7f",
                           "/a%",
                           "/a%4",
                           "/a%zz",
                           "/a b",
                           "/a#b",
                           "/a?b",
                           "/\xc3\xa9",
                           "/a|b"}) {
    const auto segments = segments_of(path);
    ASSERT_FALSE(segments) << path;
    EXPECT_EQ(segments.error().step, "path") << path;
    EXPECT_EQ(segments.error().cure, Cure::give_up) << path;
  }
  std::string deep;
  for (std::size_t i = 0; i < kMostSegments; ++i) deep += "/a";
  EXPECT_TRUE(segments_of(deep));
  EXPECT_FALSE(segments_of(deep + "/a"));
}

}  // namespace
}  // namespace tidemill::web
