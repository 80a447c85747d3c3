#include "tidemill/ui/command/completion/completion.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

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

// With every character in the help texts that is special to a shell.
Program hard_program() {
  auto program = sample::program();
  program.verbs.front().flags.back().help = "don't [say]: \"much\" \\ $(false) `false`";
  return program;
}

TEST(Completion, BashCanReadItsScript) { expect_parses("bash", bash_completion(hard_program())); }
TEST(Completion, ZshCanReadItsScript) { expect_parses("zsh", zsh_completion(hard_program())); }
TEST(Completion, FishCanReadItsScript) { expect_parses("fish", fish_completion(hard_program())); }

// The candidates for the last word, as bash would show them. The words are plain: no quoting.
std::string bash_offers(const Words& words, const std::string& program = "mill") {
  const TextFile script("completion.bash", bash_completion(sample::program()));
  std::string line = "source " + script.path() + "; COMP_WORDS=(" + program;
  for (const auto& word : words) line += " '" + word + "'";
  line += "); COMP_CWORD=" + std::to_string(words.size()) + "; _mill; echo \"${COMPREPLY[*]}\"";
  const TextFile test("completion_test.bash", line);
  return run_shell("bash --norc " + test.path()).output;
}

// A folder with a program `mill` that lists two runs.
class FakeMill final {
 public:
  FakeMill() {
    std::filesystem::create_directory(folder_);
    std::ofstream(path()) << "#!/bin/sh\n"
                             "test \"$*\" = 'runs --names' && printf 'last\\nb-2\\na-1\\n'\n";
    std::filesystem::permissions(path(), std::filesystem::perms::owner_all);
  }
  FakeMill(const FakeMill&) = delete;
  FakeMill& operator=(const FakeMill&) = delete;
  ~FakeMill() { std::filesystem::remove_all(folder_); }

  [[nodiscard]] std::string path() const { return folder_ + "/mill"; }
  [[nodiscard]] const std::string& folder() const { return folder_; }

 private:
  std::string folder_ = testing::TempDir() + std::to_string(::getpid()) + "_mill";
};

TEST(Completion, BashOffersRunsAndArgumentChoicesByPosition) {
  if (!has_tool("bash")) GTEST_SKIP() << "bash is not installed";
  const FakeMill mill;
  const auto offers = [&](const Words& words) { return bash_offers(words, mill.path()); };
  EXPECT_EQ(offers({"show", ""}), "last b-2 a-1\n");
  EXPECT_EQ(offers({"show", "l"}), "last\n");
  EXPECT_EQ(offers({"show", "-q", ""}), "last b-2 a-1\n");
  EXPECT_EQ(offers({"show", "last", ""}), "short long lines\n");
  EXPECT_EQ(offers({"show", "last", "--color", "never", "l"}), "long lines\n");
  EXPECT_EQ(offers({"look", "last", "s"}), "short\n");
  EXPECT_EQ(offers({"letters", "retry", ""}), "last b-2 a-1\n");
  EXPECT_EQ(offers({"letters", "retry", "last", ""}), "\n");
  EXPECT_EQ(offers({"show", "last", "long", mill.folder() + "/m"}), mill.path() + "\n");
  // The value of an alias is not an argument.
  EXPECT_EQ(offers({"each", "--workers", "4", "--jo"}), "--jobs\n");
}

TEST(Completion, BashOffersVerbsFlagsAndChoices) {
  if (!has_tool("bash")) GTEST_SKIP() << "bash is not installed";
  EXPECT_EQ(bash_offers({""}), "each letters show copy\n");
  EXPECT_EQ(bash_offers({"e"}), "each\n");
  EXPECT_EQ(bash_offers({"--c"}), "--color\n");
  EXPECT_EQ(bash_offers({"each", "--"}),
            "--jobs --timeout --memory --rate --exclude --state --keep-going --dry-run --color "
            "--quiet --help --version --verbose --print-config\n");
  EXPECT_EQ(bash_offers({"each", "--jo"}), "--jobs\n");
  EXPECT_EQ(bash_offers({"copy", "--jo"}), "\n");
  EXPECT_EQ(bash_offers({"letters", ""}), "retry drop\n");
  EXPECT_EQ(bash_offers({"letters", "retry", "--f"}), "--force\n");
  EXPECT_EQ(bash_offers({"each", "--color", ""}), "auto always never\n");
  EXPECT_EQ(bash_offers({"each", "--color", "=", "a"}), "auto always\n");
  EXPECT_EQ(bash_offers({"each", "--color", "="}), "auto always never\n");
  EXPECT_EQ(bash_offers({"--color", "never", "e"}), "each\n");
  EXPECT_EQ(bash_offers({"--color", "=", "never", "e"}), "each\n");
  // A value that has the name of a verb is a value.
  EXPECT_EQ(bash_offers({"--color", "=", "letters", ""}), "each letters show copy\n");
  EXPECT_EQ(bash_offers({"--color", "letters", ""}), "each letters show copy\n");
}

TEST(Completion, BashOffersFilesForAPathCommandsAfterDoubleDashAndNothingForANumber) {
  if (!has_tool("bash")) GTEST_SKIP() << "bash is not installed";
  const TextFile file("some_file", "");
  const auto start = file.path().substr(0, file.path().size() - 2);
  EXPECT_EQ(bash_offers({"each", "-j", ""}), "\n");
  EXPECT_EQ(bash_offers({"each", "--state", start}), file.path() + "\n");
  EXPECT_EQ(bash_offers({"each", start}), file.path() + "\n");
  EXPECT_EQ(bash_offers({"letters", start}), "\n");
  EXPECT_TRUE(bash_offers({"each", "--", "basena"}).starts_with("basename"));
  EXPECT_EQ(bash_offers({"each", "--", "cat", start}), file.path() + "\n");
  EXPECT_EQ(bash_offers({"each", "--", "cat", "--jo"}), "\n");
}

std::string fish_offers(const std::string& line, const std::string& bin = "/nonexistent") {
  const TextFile script("completion.fish", fish_completion(sample::program()));
  return run_shell("PATH=" + bin + ":$PATH HOME=/nonexistent fish --no-config -c 'source " +
                   script.path() + "; complete -C \"" + line + "\"' | cut -f1 | tr '\\n' ' '")
      .output;
}

TEST(Completion, FishOffersVerbsFlagsAndChoices) {
  if (!has_tool("fish")) GTEST_SKIP() << "fish is not installed";
  EXPECT_EQ(fish_offers("mill "), "copy each letters show ");
  EXPECT_EQ(fish_offers("mill each --jo"), "--jobs ");
  EXPECT_EQ(fish_offers("mill copy --jo"), "");
  EXPECT_EQ(fish_offers("mill letters "), "drop retry ");
  EXPECT_EQ(fish_offers("mill letters retry --f"), "--force ");
  EXPECT_EQ(fish_offers("mill each --color "), "always auto never ");
  EXPECT_EQ(fish_offers("mill each --color=n"), "--color=never ");
  EXPECT_EQ(fish_offers("mill --color never e"), "each ");
  EXPECT_EQ(fish_offers("mill --color letters "), "copy each letters show ");
  EXPECT_EQ(fish_offers("mill each -j 4 --jo"), "--jobs ");
}

TEST(Completion, FishOffersRunsAndArgumentChoicesByPosition) {
  if (!has_tool("fish")) GTEST_SKIP() << "fish is not installed";
  const FakeMill mill;
  const auto offers = [&](const std::string& line) { return fish_offers(line, mill.folder()); };
  EXPECT_EQ(offers("mill show "), "last b-2 a-1 ");
  EXPECT_EQ(offers("mill show -q l"), "last ");
  EXPECT_EQ(offers("mill show last s"), "short ");
  EXPECT_EQ(offers("mill look last s"), "short ");
  EXPECT_EQ(offers("mill letters retry "), "last b-2 a-1 ");
  EXPECT_EQ(offers("mill letters retry last "), "");
  EXPECT_EQ(offers("mill each --workers 4 --jo"), "--jobs ");
}

// Runs zsh on a pseudo-terminal: the completions after Tab are written to a file, and Ctrl-X marks
// the end.
constexpr std::string_view kZshDriver = R"ZSH(
zmodload zsh/zpty
zpty z zsh -f -i
zpty -w z "PS1=; unset zle_bracketed_paste; autoload -U compinit; compinit -u -D; source $1"
zpty -w z "compadd() { local -a hits; builtin compadd -O hits \"\$@\"; print -l -- \$hits >> $2; builtin compadd \"\$@\" }"
zpty -w z 'finished() { print -r -- CAME"TO"ANEND; }; zle -N finished; bindkey "^X" finished; bindkey "^I" complete-word'
zpty -w z 'print RE"AD"Y'
zpty -r z text '*READY*'
zpty -w -n z "$3"$'\t\x18'
zpty -r z text '*CAMETOANEND*'
zpty -d z
)ZSH";

std::string zsh_offers(const std::string& line, const std::string& bin) {
  const TextFile script("_mill", zsh_completion(sample::program()));
  const TextFile driver("driver.zsh", kZshDriver);
  const TextFile hits("hits", "");
  (void)run_shell("PATH=" + bin + ":$PATH HOME=/nonexistent TERM=dumb zsh -f " + driver.path() +
                  " " + script.path() + " " + hits.path() + " '" + line + "' >/dev/null");
  return run_shell("grep . " + hits.path() + " | tr '\\n' ' '").output;
}

TEST(Completion, ZshOffersVerbsFlagsChoicesAndRuns) {
  if (!has_tool("zsh")) GTEST_SKIP() << "zsh is not installed";
  const FakeMill mill;
  const auto offers = [&](const std::string& line) { return zsh_offers(line, mill.folder()); };
  EXPECT_EQ(offers("mill sh"), "show ");
  EXPECT_EQ(offers("mill each --color=n"), "never ");
  EXPECT_EQ(offers("mill show "), "last b-2 a-1 ");
  EXPECT_EQ(offers("mill show last s"), "short ");
  EXPECT_EQ(offers("mill look last s"), "short ");
  EXPECT_EQ(offers("mill letters retry "), "last b-2 a-1 ");
  const auto flags = offers("mill each --workers 4 --");
  EXPECT_NE(flags.find("--jobs "), std::string::npos) << flags;
  EXPECT_EQ(flags.find("--workers"), std::string::npos) << flags;
}

TEST(Completion, FishOffersFilesForAPathAndCommandsAfterDoubleDash) {
  if (!has_tool("fish")) GTEST_SKIP() << "fish is not installed";
  const TextFile file("some_file", "");
  const auto start = file.path().substr(0, file.path().size() - 2);
  EXPECT_EQ(fish_offers("mill each -j "), "");
  EXPECT_EQ(fish_offers("mill each --state " + start), file.path() + " ");
  EXPECT_EQ(fish_offers("mill each " + start), file.path() + " ");
  EXPECT_EQ(fish_offers("mill letters " + start), "");
  EXPECT_EQ(fish_offers("mill each -- basena"), "basename ");
  EXPECT_EQ(fish_offers("mill each -- cat " + start), file.path() + " ");
}

}  // namespace
}  // namespace tidemill::command
