#include "tidemill/ui/command/values.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "tidemill/ui/command/sample_program.h"

namespace tidemill::command {
namespace {

using namespace sample;

using Texts = std::map<std::string, std::vector<std::string>>;

Texts texts_of(const Values& values) {
  Texts texts;
  for (const auto& [name, value] : values.flags) texts[name] = value.texts;
  for (const auto& [name, words] : values.arguments) texts["argument " + name] = words;
  return texts;
}

Words line_of(const Values& values) {
  Words words;
  std::string verb = values.verb;
  for (std::size_t blank = verb.find(' '); blank != std::string::npos; blank = verb.find(' ')) {
    words.push_back(verb.substr(0, blank));
    verb.erase(0, blank + 1);
  }
  words.push_back(verb);
  const auto arguments = values.as_arguments();
  words.insert(words.end(), arguments.begin(), arguments.end());
  return words;
}

TEST(Values, AsArgumentsReturnsTheCompleteLineInDescriptionOrder) {
  const auto values = values_of({"-q", "each", "a", "--dry-run", "-xb", "-x", "--c", "-j2",
                                 "--no-keep-going", "--", "wc", "-l", "--", "x"});
  EXPECT_EQ(values.as_arguments(),
            (Words{"--jobs=2", "--timeout=5m", "--exclude=b", "--exclude=--c", "--no-keep-going",
                   "--dry-run", "--color=auto", "--quiet", "a", "--", "wc", "-l", "--", "x"}));
}

TEST(Values, AsArgumentsIncludesValuesFromConfigAndEnvironment) {
  ParseContext context;
  context.environment = [](const std::string& name) {
    return name == "MILL_JOBS" ? std::optional<std::string>("7") : std::nullopt;
  };
  context.config_paths = {"c"};
  context.read = [](const std::string&) { return "quiet = true\n[each]\nmemory = 1024\n"; };
  const auto values = values_of({"each", "--", "c"}, context);
  EXPECT_EQ(texts_of(values_of(line_of(values))), texts_of(values));
  EXPECT_TRUE(values_of(line_of(values)).is_on("quiet"));
}

TEST(Values, NamesThatLookLikeFlagsOrVerbsRoundTrip) {
  const auto values = values_of({"copy", "--", "-a", "--", "each", "++", "t"});
  EXPECT_EQ(texts_of(values_of(line_of(values))), texts_of(values));
  EXPECT_EQ(values.as_arguments(), (Words{"--color=auto", "--", "-a", "--", "each", "++", "t"}));
}

// Bytes as a command line can hold them.
rc::Gen<std::string> any_word() {
  const auto any = rc::gen::container<std::string>(
      rc::gen::oneOf(rc::gen::elementOf(std::string("-=+[],{}. ")), rc::gen::nonZero<char>()));
  return rc::gen::oneOf(any, rc::gen::element<std::string>("--", "++", "-", "--help", "each", "-j",
                                                           "retry", "--exclude=", "[a,b]"));
}

RC_GTEST_PROP(Values, AsArgumentsRoundTrips, ()) {
  Words words{"each"};
  if (*rc::gen::arbitrary<bool>()) {
    words.push_back("-j" + std::to_string(*rc::gen::inRange(1, 1001)));
  }
  for (const auto& text : *rc::gen::container<Words>(any_word())) {
    words.push_back("--exclude=" + text);
  }
  const auto toggles =
      Words{"-k", "--no-keep-going", "--dry-run", "-q", "--no-quiet", "--color=never"};
  for (const auto& toggle : *rc::gen::container<Words>(rc::gen::elementOf(toggles))) {
    words.push_back(toggle);
  }
  for (const auto& name : *rc::gen::container<Words>(rc::gen::nonEmpty(any_word()))) {
    if (!name.starts_with('-')) words.push_back(name);
  }
  words.insert(words.end(), {"--", "command"});
  for (const auto& word : *rc::gen::container<Words>(any_word())) words.push_back(word);

  const auto values = values_of(words);
  RC_ASSERT(values.verb == "each");
  RC_ASSERT(texts_of(values_of(line_of(values))) == texts_of(values));
}

RC_GTEST_PROP(Values, AnyFileNamesRoundTrip, ()) {
  Words words{"copy", "--"};
  for (const auto& name : *rc::gen::container<Words>(rc::gen::nonEmpty(any_word()))) {
    words.push_back(name);
  }
  words.insert(words.end(), {"a", "b"});
  const auto values = values_of(words);
  RC_ASSERT(values.verb == "copy");
  RC_ASSERT(texts_of(values_of(line_of(values))) == texts_of(values));
}

TEST(Values, WorkWithoutADescription) {
  const Values values{.verb = "each",
                      .flags = {{"jobs", {.texts = {"4"}}}, {"quiet", {.texts = {"true"}}}},
                      .arguments = {{"ROOT", {"a"}}}};
  EXPECT_EQ(values.count("jobs"), 4U);
  EXPECT_TRUE(values.is_on("quiet"));
  EXPECT_FALSE(values.is_on("other"));
  EXPECT_EQ(values.text("other"), "");
  EXPECT_EQ(values.as_arguments(), (Words{"--jobs=4", "--quiet=true", "a"}));
}

#ifndef NDEBUG
TEST(ValuesDeathTest, AbortsOnAnUndescribedNameOrKind) {
  const auto values = values_of({"each", "--", "c"});
  EXPECT_DEATH((void)values.count("wrokers"), "no such flag");
  EXPECT_DEATH((void)values.count("timeout"), "another kind");
  EXPECT_DEATH((void)values.argument("FILE"), "no such argument");
}
#endif

}  // namespace
}  // namespace tidemill::command
