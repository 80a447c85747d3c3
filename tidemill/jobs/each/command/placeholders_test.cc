#include "tidemill/jobs/each/command/placeholders.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

namespace tidemill::each {
namespace {

using Words = std::vector<std::string>;

Words expanded(const Words& words, std::string_view name, std::uint64_t number = 7) {
  Words arguments = {"rubbish", "from", "the", "task", "before", "this", "one"};
  Placeholders(words).expand(name, number, arguments);
  return arguments;
}

TEST(Placeholders, EachOneTakesItsPartOfTheName) {
  EXPECT_EQ(expanded({"p", "{}", "{.}", "{/}", "{//}", "{/.}", "{#}"}, "photos/x/a.b.jpg"),
            (Words{"p", "photos/x/a.b.jpg", "photos/x/a.b", "a.b.jpg", "photos/x", "a.b", "7"}));
  EXPECT_EQ(expanded({"p", "{}", "{.}", "{/}", "{//}", "{/.}"}, "plain"),
            (Words{"p", "plain", "plain", "plain", ".", "plain"}));
  EXPECT_EQ(expanded({"p", "{.}", "{//}"}, "/x.y"), (Words{"p", "/x", "/"}));
  EXPECT_EQ(expanded({"p", "{.}", "{/.}"}, "a.d/.profile"),
            (Words{"p", "a.d/.profile", ".profile"}));
  EXPECT_EQ(expanded({"p", "{.}"}, "a.d/noext"), (Words{"p", "a.d/noext"}));
}

TEST(Placeholders, ExpandInsideAWordWithTextAround) {
  EXPECT_EQ(expanded({"cp", "{}", "out/{/.}-{#}.{x}{"}, "in/a.txt"),
            (Words{"cp", "in/a.txt", "out/a-7.{x}{"}));
}

TEST(Placeholders, AppendTheNameWhenNoPlaceholderUsesIt) {
  EXPECT_EQ(expanded({"gzip", "-k"}, "a"), (Words{"gzip", "-k", "a"}));
  EXPECT_EQ(expanded({"echo", "{#}"}, "a"), (Words{"echo", "7", "a"}));
  EXPECT_EQ(expanded({"{}"}, "a"), (Words{"{}", "a"}));  // the program is never expanded
}

TEST(Placeholders, ProtectNamesThatLookLikeOptions) {
  EXPECT_EQ(expanded({"rm"}, "-rf"), (Words{"rm", "./-rf"}));
  EXPECT_EQ(expanded({"rm", "{/}", "{.}"}, "x/-rf"), (Words{"rm", "./-rf", "x/-rf"}));
  EXPECT_EQ(expanded({"rm", "--in={}", "a{}"}, "-x"), (Words{"rm", "--in=-x", "a-x"}));
}

TEST(Placeholders, LeaveAScriptUnchangedAndPassTheNameAsItsFirstArgument) {
  EXPECT_EQ(shell_arguments("echo {} \"$1\"", "$(rm)"),
            (Words{"sh", "-c", "echo {} \"$1\"", "sh", "$(rm)"}));
  EXPECT_EQ(shell_arguments("cat", "-n").back(), "./-n");
}

RC_GTEST_PROP(Placeholders, AnyNameStaysOneArgument, (std::string name)) {
  const Words arguments = expanded({"p", "a", "{}", "b"}, name);
  RC_ASSERT(arguments.size() == 4U);
  RC_ASSERT(arguments[2] == (name.starts_with('-') ? "./" + name : name));
}

}  // namespace
}  // namespace tidemill::each
