#include "tidemill/cli/run_text.h"

#include <sys/wait.h>
#include <unistd.h>

#include <array>

#include <gtest/gtest.h>

#include "tidemill/text/shell.h"

namespace tidemill::cli {
namespace {

using durable::LockHolder;
using std::chrono::milliseconds;
using text::shell_line;
using Words = std::vector<std::string>;

// What bash makes of the line, each word in brackets.
std::string in_bash(const std::string& line) {
  const std::string script = "printf '[%s]' " + line;
  std::string read;
  const std::array<const char*, 4> arguments = {"bash", "-c", script.c_str(), nullptr};
  std::array<int, 2> ends{};
  if (::pipe(ends.data()) != 0) return "no pipe";
  const pid_t child = ::fork();
  if (child == 0) {
    ::dup2(ends[1], 1);
    ::close(ends[0]);
    ::close(ends[1]);
    ::execvp("bash", const_cast<char* const*>(arguments.data()));  // NOLINT
    ::_exit(127);
  }
  ::close(ends[1]);
  std::array<char, 4096> buffer{};
  for (ssize_t got = 0; (got = ::read(ends[0], buffer.data(), buffer.size())) > 0;) {
    read.append(buffer.data(), static_cast<std::size_t>(got));
  }
  ::close(ends[0]);
  ::waitpid(child, nullptr, 0);
  return read;
}

TEST(RunText, ARunThatNobodyHoldsHasCrashed) {
  EXPECT_EQ(state_of("running", true, true), "running");
  EXPECT_EQ(state_of("running", false, true), "crashed");
  EXPECT_EQ(state_of("interrupted", false, true), "interrupted");
  EXPECT_EQ(state_of("complete", true, false), "complete");
}

TEST(RunText, ACompleteRunWithSomethingLeftIsIncomplete) {
  EXPECT_EQ(state_of("complete", false, true), "incomplete");
  EXPECT_EQ(state_of("complete", false, false), "complete");
}

TEST(RunText, OnlyARunningRunNamesItsProcess) {
  EXPECT_EQ(state_text("running", LockHolder{.process = 4711}), "running (pid 4711)");
  EXPECT_EQ(state_text("running", LockHolder{}), "running");
  EXPECT_EQ(state_text("complete", LockHolder{.process = 4711}), "complete");
}

TEST(RunText, PlainWordsAreNotQuoted) {
  EXPECT_EQ(shell_line(Words{"each", "--workers=4", "a/b.c", "--", "wc", "-l", "{}"}),
            "each --workers=4 a/b.c -- wc -l {}");
}

TEST(RunText, QuotedWordsAreReadBackByAShell) {
  const Words words = {"",
                       "a b",
                       "it's",
                       "$HOME",
                       "`id`",
                       "a\nb",
                       "\x1b[31m",
                       "\xff",
                       "back\\slash",
                       "\xe2\x80\xae"
                       "rtl",
                       "é",
                       "*",
                       "'\n\\\xfe"
                       "1"};
  std::string expected;
  for (const auto& word : words) expected += "[" + word + "]";
  EXPECT_EQ(in_bash(shell_line(words)), expected);
}

TEST(RunText, AQuotedLineDrivesNoTerminal) {
  const std::string line = shell_line(Words{"a\nb\x1b]0;x\x07", "\xff", "\xe2\x80\xae"});
  for (const char c : line) EXPECT_TRUE(c >= ' ' && c <= '~') << line;
}

TEST(RunText, FlagsWithTheirUsualValueAreLeftOut) {
  const command::Program program{
      .flags = {{.name = "color", .fallback = "auto"}},
      .verbs = {{.name = "each",
                 .flags = {{.name = "order", .fallback = "found"}, {.name = "workers"}}}}};
  const durable::RunCard card{.job = "each",
                              .arguments = {"--order=found", "--workers=", "--color=auto", "root",
                                            "--", "ls", "--order=found"}};
  EXPECT_EQ(chosen_arguments(card, program),
            (Words{"--workers=", "root", "--", "ls", "--order=found"}));
  EXPECT_EQ(chosen_arguments({.job = "other", .arguments = {"--order=found"}}, program),
            (Words{"--order=found"}));
}

TEST(RunText, TimesAreWrittenInUtcForPrograms) {
  const WallTime time(milliseconds(1'794'803'467'250));
  EXPECT_EQ(rfc3339(time), "2026-11-16T04:31:07.250Z");
  EXPECT_EQ(utc_date(time), "2026-11-16");
  EXPECT_EQ(rfc3339(WallTime(milliseconds(-1))), "1969-12-31T23:59:59.999Z");
}

TEST(RunText, LocalTimesAreOfTheSameMinute) {
  const WallTime time(milliseconds(1'794'803'467'250));
  EXPECT_EQ(local_minute(time) + ":07", local_second(time));
  EXPECT_EQ(local_minute(time).size(), std::string("2026-11-15 04:31").size());
}

}  // namespace
}  // namespace tidemill::cli
