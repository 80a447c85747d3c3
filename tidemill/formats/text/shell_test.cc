#include "tidemill/formats/text/shell.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace tidemill::text {
namespace {

using Words = std::vector<std::string>;

// The output of the shell, including errors.
std::string said_by(const std::string& shell, const std::string& script) {
  const std::array<const char*, 4> arguments = {shell.c_str(), "-c", script.c_str(), nullptr};
  std::array<int, 2> ends{};
  if (::pipe(ends.data()) != 0) return "no pipe";
  const pid_t child = ::fork();
  if (child == 0) {
    ::dup2(ends[1], 1);
    ::dup2(ends[1], 2);
    ::close(ends[0]);
    ::close(ends[1]);
    ::execvp(arguments.front(), const_cast<char* const*>(arguments.data()));  // NOLINT
    ::_exit(127);
  }
  ::close(ends[1]);
  std::string said;
  std::array<char, 4096> buffer{};
  for (ssize_t got = 0; (got = ::read(ends[0], buffer.data(), buffer.size())) > 0;) {
    said.append(buffer.data(), static_cast<std::size_t>(got));
  }
  ::close(ends[0]);
  ::waitpid(child, nullptr, 0);
  return said;
}

// tests/security/shell_names.py does this with 100,000 names, and with zsh and busybox as well.
void expect_read_back(const Words& names) {
  Words words = {"printf", "[%s]"};
  std::string wanted;
  for (const std::string& name : names) {
    words.push_back(name);
    wanted += "[" + name + "]";
  }
  for (const char* shell : {"dash", "bash"}) {
    EXPECT_EQ(said_by(shell, shell_line(words)), wanted) << shell << ": " << shell_line(words);
  }
}

TEST(ShellLine, PlainWordsAreNotQuoted) {
  EXPECT_EQ(shell_line(Words{"each", "--workers=4", "a/b.c", "--", "wc", "-l", "{}"}),
            "each --workers=4 a/b.c -- wc -l {}");
}

TEST(ShellLine, UnprintableWordsUsePrintf) {
  EXPECT_EQ(shell_line(Words{"wc", "-a\n'%\\ \xff"}), R"x(wc "$(printf '\055a\n\047%%\\ \377')")x");
  EXPECT_EQ(shell_line(Words{"wc", "a b", "c\n"}),
            R"x(eval "$(printf 'wc \047a b\047 \047c\n\047')")x");
}

TEST(ShellLine, RoundTripsThroughShells) {
  expect_read_back({"",
                    "a b",
                    "it's",
                    "$HOME",
                    "`id`",
                    "$(id)",
                    "\\",
                    "a\\b",
                    "=ls",
                    "~",
                    "-n",
                    "new\nline",
                    "\ttab\r",
                    "\x1b[2J",
                    "\x01'; echo ran; #",
                    "%s%n\x02",
                    "-v\x02",
                    "\xff",
                    "\xe2\x80\xae"
                    "rtl",
                    "é",
                    "*",
                    "'\n\\\xfe"
                    "1"});
}

TEST(ShellLine, TrailingNewlinesAreKept) {
  expect_read_back({"\n", "a\n\n", "it's\\n\n", "%\x01\n", "last"});
  expect_read_back({"first", "\n"});
}

TEST(ShellLine, EveryByteIsReadBack) {
  Words names;
  for (int byte = 1; byte < 256; ++byte) {
    names.push_back(std::string(1, static_cast<char>(byte)) + "x");
    if (byte != '\n') names.push_back("x" + std::string(1, static_cast<char>(byte)));
  }
  expect_read_back(names);
}

// The first word is parsed as a command and as nothing else.
TEST(ShellLine, QuotesACommandThatIsShellSyntax) {
  for (const char* command : {"if", "time", "a=b", "{}", "%1", "!", "-"}) {
    EXPECT_EQ(shell_line(Words{command, "x"}), "'" + std::string(command) + "' x");
  }
  EXPECT_EQ(shell_line(Words{"/usr/bin/time", "if"}), "/usr/bin/time if");
}

TEST(ShellLine, IsOneLineOfPrintableAscii) {
  // Without its backslash the third would be a character; the byte 9b alone is a control sequence
  // on some terminals.
  const Words names = {"a\nb\x1b]0;x\x07", "\xff", "\xc3\\\x9b", "\xe2\x80\xae", "b\n"};
  for (std::size_t i = 0; i < names.size(); ++i) {
    for (const char c : shell_line(std::span(names).subspan(0, i + 1))) {
      EXPECT_TRUE(c >= ' ' && c <= '~') << i;
    }
  }
}

}  // namespace
}  // namespace tidemill::text
