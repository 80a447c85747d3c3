#include "tidemill/jobs/docs/command/decision.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "tidemill/jobs/docs/server/sound.h"

namespace tidemill::docs {
namespace {

// Random bytes, made valid UTF-8, so that every character can occur.
std::string any_text() { return sound(*rc::gen::arbitrary<std::string>()); }

std::vector<std::string> any_list() {
  auto list = *rc::gen::arbitrary<std::vector<std::string>>();
  for (std::string& item : list) item = sound(item);
  return list;
}

Decision any_decision() {
  Decision decision;
  decision.document = any_text();
  decision.command.name =
      *rc::gen::element(CommandName::file, CommandName::ask, CommandName::summarize,
                        CommandName::title, CommandName::related);
  decision.command.is_uncertain = *rc::gen::arbitrary<bool>();
  decision.command.argument = any_text();
  decision.title = any_text();
  decision.collection = any_text();
  decision.had_summary = *rc::gen::arbitrary<bool>();
  decision.had_terms = *rc::gen::arbitrary<bool>();
  decision.new_title = any_text();
  decision.summary = any_text();
  decision.terms = any_list();
  decision.move_to = any_text();
  decision.mark = *rc::gen::element(CommandMark::remove, CommandMark::uncertain);
  decision.comment = any_text();
  decision.revision = *rc::gen::arbitrary<std::int64_t>();
  decision.is_unmarked = *rc::gen::arbitrary<bool>();
  decision.left_alone = any_list();
  return decision;
}

RC_GTEST_PROP(Decision, RoundTrips, ()) {
  const Decision decision = any_decision();
  const auto read = decision_of(text_of(decision));
  RC_ASSERT(read.has_value());
  RC_ASSERT(*read == decision);
}

TEST(Decision, ReplacesInvalidUtf8) {
  Decision decision;
  decision.title = "a\xff\xc3";
  decision.terms = {"\xe2\x82", "\xe2\x82\xac"};
  const auto read = decision_of(text_of(decision));
  ASSERT_TRUE(read.has_value());
  EXPECT_EQ(read->title, "a\xef\xbf\xbd\xef\xbf\xbd");
  EXPECT_EQ(read->terms[0], "\xef\xbf\xbd\xef\xbf\xbd");
  EXPECT_EQ(read->terms[1], "\xe2\x82\xac");
}

TEST(Decision, RejectsInvalidText) {
  const std::string good = text_of(Decision{});
  const auto with = [&](const std::string& from, const std::string& to) {
    std::string text = good;
    EXPECT_NE(text.find(from), std::string::npos) << from;
    return text.replace(text.find(from), from.size(), to);
  };
  for (const std::string& text :
       {std::string(), std::string("{}"), std::string("[]"), good.substr(0, good.size() - 1),
        with("\"v\":1", "\"v\":2"), with("\"file\"", "\"fly\""), with("\"remove\"", "\"\""),
        with("\"terms\":[]", "\"terms\":[1]"), with("\"terms\":[]", "\"terms\":{}"),
        with("\"revision\":0", "\"revision\":0.5"), with("\"title\":\"\"", "\"title\":null"),
        with("\"had_terms\":false", "\"had_terms\":0"), with("\"move_to\"", "\"to\"")}) {
    const auto read = decision_of(text);
    ASSERT_FALSE(read.has_value()) << text;
    EXPECT_EQ(read.error().cure, Cure::give_up);
    EXPECT_EQ(read.error().step, "decision");
  }
  EXPECT_TRUE(decision_of(good).has_value());
}

}  // namespace
}  // namespace tidemill::docs
