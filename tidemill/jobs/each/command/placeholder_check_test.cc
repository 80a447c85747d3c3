#include "tidemill/jobs/each/command/placeholder_check.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace tidemill::each {
namespace {

// The message about the command; empty: it passes.
std::string said_of(const std::vector<std::string>& command, bool is_shell = false) {
  EachOptions options;
  options.command = command;
  options.shell = is_shell;
  const auto checked = check_placeholders(options);
  if (checked) return "";
  EXPECT_EQ(checked.error().step, "usage");
  return checked.error().reason + " | " + checked.error().hint;
}

std::string said_of_script(const std::string& script) { return said_of({script}, true); }

TEST(PlaceholderCheck, RejectsAScriptWithAPlaceholderAndShowsTheFix) {
  EXPECT_EQ(said_of_script("gzip -k {} && rm {1}"),
            "--shell: {} is not replaced in a script | use \"$1\", as in: --shell -- "
            "'gzip -k \"$1\" && rm \"$1\"'; for a literal {} use {\"\"}");
  for (const std::string part : {"{}",    "{.}",  "{/}",   "{//}",  "{/.}",  "{#}",         "{1}",
                                 "{12}",  "{-1}", "{1.}",  "{2//}", "{1/.}", "{..}",        "{...}",
                                 "{/..}", "{+/}", "{+..}", "{%}",   "{##}",  "{= s/a/b/ =}"}) {
    EXPECT_TRUE(said_of_script("echo out/" + part).contains(part + " is not replaced")) << part;
    EXPECT_TRUE(said_of_script("echo \"" + part + "\"").contains(part)) << part;
  }
}

TEST(PlaceholderCheck, ShowsAGenericExampleWhenItCannotRewriteTheScript) {
  EXPECT_TRUE(said_of_script("echo \"{}\"").contains("--shell -- 'gzip -k \"$1\"'"));
  EXPECT_TRUE(said_of_script("cp {} {.}.bak").contains("--shell -- 'gzip -k \"$1\"'"));
}

TEST(PlaceholderCheck, AcceptsBracesWithOtherMeanings) {
  for (const std::string script :
       {"echo \"${1}\" \"${#}\" \"${x}\"", "{ wc -l; } <\"$1\"", "echo {1..3} {a,b} {01..9}",
        "awk '{print $1}' \"$1\"", "grep -E '[0-9]{4}x{2}(a){3}.{9}' \"$1\"", "f() { :; }; f",
        "find \"$1\" -exec rm {\"\"} +", "find \"$1\" -exec rm \\{\\} +",
        "sed 's/a\\{2\\}/b/' \"$1\"", "echo '{0}' {x} {+} { }"}) {
    EXPECT_EQ(said_of_script(script), "") << script;
  }
}

TEST(PlaceholderCheck, RejectsUnknownPlaceholdersInArgumentsWithASuggestion) {
  EXPECT_EQ(said_of({"cp", "{}", "out/{1/.}.bak"}),
            "no such placeholder: {1/.} | use {/.}; for a literal {1/.} use --shell -- "
            "'COMMAND {\"\"1/.} \"$1\"'");
  EXPECT_TRUE(said_of({"echo", "{2}"}).contains("use {} {.} {/} {//} {/.} or {#}"));
  EXPECT_TRUE(said_of({"echo", "{}{..}"}).contains("no such placeholder: {..}"));
}

TEST(PlaceholderCheck, AcceptsKnownPlaceholdersAndOtherBracesInArguments) {
  EXPECT_EQ(said_of({"cp", "{}", "{.}{/}{//}{/.}{#}", "{{}}", "{?}", "{x}"}), "");
  EXPECT_EQ(said_of({"grep", "-E", "[0-9]{4}"}), "");
  EXPECT_EQ(said_of({"sh", "-c", "echo \"${1}\"", "sh", "{}"}), "");
}

}  // namespace
}  // namespace tidemill::each
