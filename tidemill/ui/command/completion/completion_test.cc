#include "tidemill/ui/command/completion/completion.h"

#include <gtest/gtest.h>

#include <string>

#include "tidemill/ui/command/sample_program.h"
#include "tidemill/ui/command/shell_check.h"

namespace tidemill::command {
namespace {

using sample::Words;

void expect_parses(const std::string& shell, const std::string& script) {
  if (!has_tool(shell)) GTEST_SKIP() << shell << " is not installed";
  const TextFile file("completion." + shell, script);
  const auto ran = run_shell(shell + " -n " + file.path());
  EXPECT_EQ(ran.status, 0) << ran.output << script;
  EXPECT_EQ(ran.output, "");
}

// With everything in a help text that a shell could stumble over.
Program hard_program() {
  auto program = sample::program();
  program.verbs.front().flags.back().help = "don't [say]: \"much\" \\ $(false) `false`";
  return program;
}

TEST(Completion, BashCanReadItsScript) { expect_parses("bash", bash_completion(hard_program())); }
TEST(Completion, ZshCanReadItsScript) { expect_parses("zsh", zsh_completion(hard_program())); }
TEST(Completion, FishCanReadItsScript) { expect_parses("fish", fish_completion(hard_program())); }

// The candidates for the last word, as bash would show them. The words are plain: no quoting.
std::string bash_offers(const Words& words) {
  const TextFile script("completion.bash", bash_completion(sample::program()));
  std::string line = "source " + script.path() + "; COMP_WORDS=(mill";
  for (const auto& word : words) line += " '" + word + "'";
  line += "); COMP_CWORD=" + std::to_string(words.size()) + "; _mill; echo \"${COMPREPLY[*]}\"";
  const TextFile test("completion_test.bash", line);
  return run_shell("bash --norc " + test.path()).output;
}

TEST(Completion, BashOffersVerbsFlagsAndChoices) {
  if (!has_tool("bash")) GTEST_SKIP() << "bash is not installed";
  EXPECT_EQ(bash_offers({""}), "each letters copy\n");
  EXPECT_EQ(bash_offers({"e"}), "each\n");
  EXPECT_EQ(bash_offers({"--c"}), "--color\n");
  EXPECT_EQ(bash_offers({"each", "--"}),
            "--workers --timeout --memory --rate --exclude --state --keep-going --dry-run --color "
            "--quiet --help --version --print-config\n");
  EXPECT_EQ(bash_offers({"each", "--wo"}), "--workers\n");
  EXPECT_EQ(bash_offers({"copy", "--wo"}), "\n");
  EXPECT_EQ(bash_offers({"letters", ""}), "retry drop\n");
  EXPECT_EQ(bash_offers({"letters", "retry", "--f"}), "--force\n");
  EXPECT_EQ(bash_offers({"each", "--color", ""}), "auto always never\n");
  EXPECT_EQ(bash_offers({"each", "--color", "=", "a"}), "auto always\n");
  EXPECT_EQ(bash_offers({"each", "--color", "="}), "auto always never\n");
  EXPECT_EQ(bash_offers({"--color", "never", "e"}), "each\n");
  EXPECT_EQ(bash_offers({"--color", "=", "never", "e"}), "each\n");
  // A value that has the name of a verb is a value.
  EXPECT_EQ(bash_offers({"--color", "=", "letters", ""}), "each letters copy\n");
  EXPECT_EQ(bash_offers({"--color", "letters", ""}), "each letters copy\n");
}

TEST(Completion, BashOffersNothingForANumberFilesForAPathAndCommandsAfterTheDashes) {
  if (!has_tool("bash")) GTEST_SKIP() << "bash is not installed";
  const TextFile file("some_file", "");
  const auto start = file.path().substr(0, file.path().size() - 2);
  EXPECT_EQ(bash_offers({"each", "-w", ""}), "\n");
  EXPECT_EQ(bash_offers({"each", "--state", start}), file.path() + "\n");
  EXPECT_EQ(bash_offers({"each", start}), file.path() + "\n");
  EXPECT_EQ(bash_offers({"letters", start}), "\n");
  EXPECT_TRUE(bash_offers({"each", "--", "basena"}).starts_with("basename"));
  EXPECT_EQ(bash_offers({"each", "--", "cat", start}), file.path() + "\n");
  EXPECT_EQ(bash_offers({"each", "--", "cat", "--wo"}), "\n");
}

std::string fish_offers(const std::string& line) {
  const TextFile script("completion.fish", fish_completion(sample::program()));
  return run_shell("HOME=/nonexistent fish --no-config -c 'source " + script.path() +
                   "; complete -C \"" + line + "\"' | cut -f1 | tr '\\n' ' '")
      .output;
}

TEST(Completion, FishOffersVerbsFlagsAndChoices) {
  if (!has_tool("fish")) GTEST_SKIP() << "fish is not installed";
  EXPECT_EQ(fish_offers("mill "), "copy each letters ");
  EXPECT_EQ(fish_offers("mill each --wo"), "--workers ");
  EXPECT_EQ(fish_offers("mill copy --wo"), "");
  EXPECT_EQ(fish_offers("mill letters "), "drop retry ");
  EXPECT_EQ(fish_offers("mill letters retry --f"), "--force ");
  EXPECT_EQ(fish_offers("mill each --color "), "always auto never ");
  EXPECT_EQ(fish_offers("mill each --color=n"), "--color=never ");
  EXPECT_EQ(fish_offers("mill --color never e"), "each ");
  EXPECT_EQ(fish_offers("mill --color letters "), "copy each letters ");
  EXPECT_EQ(fish_offers("mill each -w 4 --wo"), "--workers ");
}

TEST(Completion, FishOffersFilesForAPathAndCommandsAfterTheDashes) {
  if (!has_tool("fish")) GTEST_SKIP() << "fish is not installed";
  const TextFile file("some_file", "");
  const auto start = file.path().substr(0, file.path().size() - 2);
  EXPECT_EQ(fish_offers("mill each -w "), "");
  EXPECT_EQ(fish_offers("mill each --state " + start), file.path() + " ");
  EXPECT_EQ(fish_offers("mill each " + start), file.path() + " ");
  EXPECT_EQ(fish_offers("mill letters " + start), "");
  EXPECT_EQ(fish_offers("mill each -- basena"), "basename ");
  EXPECT_EQ(fish_offers("mill each -- cat " + start), file.path() + " ");
}

}  // namespace
}  // namespace tidemill::command
