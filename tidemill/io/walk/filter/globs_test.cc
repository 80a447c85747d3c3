#include "tidemill/io/walk/filter/globs.h"

#include <chrono>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include "tidemill/io/walk/filter/sieve.h"

namespace tidemill::walk {
namespace {

bool matches(std::string_view pattern, std::string_view path, bool is_folder = false) {
  const auto glob = Glob::compile(pattern);
  EXPECT_TRUE(glob.has_value()) << pattern;
  return glob && glob->matches(path, path.substr(path.rfind('/') + 1), is_folder);
}

// A reference implementation that tries everything: simple, but exponential.
struct SlowGlob {
  // The alternatives of the first outermost brace, each with the text around the brace.
  static std::vector<std::string> expand(const std::string& pattern) {
    const std::size_t open = pattern.find('{');
    if (open == std::string::npos) return {pattern};
    std::vector<std::string> whole;
    std::size_t begin = open + 1;
    std::vector<std::string> parts;
    int depth = 0;
    std::size_t i = begin;
    for (;; ++i) {
      if (pattern[i] == '{') ++depth;
      if (pattern[i] == '}' && depth-- == 0) break;
      if (pattern[i] == ',' && depth == 0) {
        parts.push_back(pattern.substr(begin, i - begin));
        begin = i + 1;
      }
    }
    parts.push_back(pattern.substr(begin, i - begin));
    for (const std::string& part : parts) {
      for (const std::string& all :
           expand(pattern.substr(0, open) + part + pattern.substr(i + 1))) {
        whole.push_back(all);
      }
    }
    return whole;
  }

  static bool match(std::string_view p, std::string_view t, bool begins_part) {
    if (p.empty()) return t.empty();
    if (p.starts_with("**")) {
      while (p.starts_with('*')) p.remove_prefix(1);
      if (begins_part && p.starts_with('/')) {
        if (match(p.substr(1), t, true)) return true;
      }
      for (std::size_t n = 0; n <= t.size(); ++n) {
        if (match(p, t.substr(n), false)) return true;
      }
      return false;
    }
    if (p.front() == '*') {
      for (std::size_t n = 0;; ++n) {
        if (match(p.substr(1), t.substr(n), false)) return true;
        if (n == t.size() || t[n] == '/') return false;
      }
    }
    if (t.empty()) return false;
    if (p.front() == '?') return t.front() != '/' && match(p.substr(1), t.substr(1), false);
    if (p.starts_with("[ab]")) {
      return (t.front() == 'a' || t.front() == 'b') && match(p.substr(4), t.substr(1), false);
    }
    return p.front() == t.front() && match(p.substr(1), t.substr(1), p.front() == '/');
  }

  // Braces are expanded first, so stars on both sides of a brace can become adjacent.
  static bool any(const std::string& pattern, std::string_view text) {
    for (const std::string& one : expand(pattern)) {
      if (match(one, text, true)) return true;
    }
    return false;
  }
};

TEST(Glob, MatchesANameWhenThePatternHasNoSlash) {
  EXPECT_TRUE(matches("*.txt", "a.txt"));
  EXPECT_TRUE(matches("*.txt", "deep/down/a.txt"));
  EXPECT_FALSE(matches("*.txt", "a.txt/b"));
  EXPECT_TRUE(matches("?", "x"));
  EXPECT_FALSE(matches("?", "xy"));
  EXPECT_FALSE(matches("a", "A"));
  EXPECT_TRUE(matches("*", ".hidden"));
}

TEST(Glob, MatchesThePathBelowTheRootWhenThePatternHasASlash) {
  EXPECT_TRUE(matches("src/*.cc", "src/a.cc"));
  EXPECT_FALSE(matches("src/*.cc", "src/deep/a.cc"));
  EXPECT_FALSE(matches("src/*.cc", "x/src/a.cc"));
  EXPECT_TRUE(matches("/a.cc", "a.cc"));
  EXPECT_FALSE(matches("/a.cc", "b/a.cc"));
  EXPECT_FALSE(matches("a?b/c", "a/b/c"));
  EXPECT_FALSE(matches("a[/]b/c", "a/b/c"));
}

TEST(Glob, TwoStarsCrossFolders) {
  EXPECT_TRUE(matches("**/a", "a"));
  EXPECT_TRUE(matches("**/a", "x/y/a"));
  EXPECT_FALSE(matches("**/a", "x/ya"));
  EXPECT_TRUE(matches("x/**/a", "x/a"));
  EXPECT_TRUE(matches("x/**/a", "x/1/2/a"));
  EXPECT_TRUE(matches("x/**", "x/1/2/a"));
  EXPECT_FALSE(matches("x/**", "x"));
  EXPECT_TRUE(matches("{x,y}/**/a", "y/a"));
  EXPECT_TRUE(matches("{x/,y/}**/a", "y/a"));
  EXPECT_FALSE(matches("{x,y/}**/a", "xa"));
  EXPECT_FALSE(matches("z{**/a,b}/c", "za/c"));
}

TEST(Glob, SupportsClassesAndAlternatives) {
  EXPECT_TRUE(matches("[a-c]x", "bx"));
  EXPECT_FALSE(matches("[!a-c]x", "bx"));
  EXPECT_TRUE(matches("[^a-c]x", "\xffx"));
  EXPECT_TRUE(matches("[]-]", "]"));
  EXPECT_TRUE(matches("[]-]", "-"));
  EXPECT_TRUE(matches("*.{jp{e,}g,png}", "a.jpg"));
  EXPECT_TRUE(matches("*.{jp{e,}g,png}", "a.jpeg"));
  EXPECT_FALSE(matches("*.{jp{e,}g,png}", "a.jp"));
  EXPECT_TRUE(matches("a,b}", "a,b}"));
}

TEST(Glob, EscapedCharactersMatchLiterally) {
  EXPECT_TRUE(matches("\\*\\{\\[", "*{["));
  EXPECT_FALSE(matches("\\*", "x"));
  EXPECT_TRUE(matches("\\!x", "!x"));
}

TEST(Glob, MatchesNamesAsBytes) {
  EXPECT_TRUE(matches("a?b", "a\nb"));
  EXPECT_TRUE(matches("*\x1b*", "x\x1b[31m"));
  EXPECT_TRUE(matches("[\x80-\xff]", "\xc3"));
}

TEST(Glob, RejectsInvalidPatterns) {
  for (const std::string pattern :
       {"", "!x", "[a", "[", "[]", "{a", "a{b,{c}", "x\\", "[a\\", "/", "[a-"}) {
    const auto glob = Glob::compile(pattern);
    ASSERT_FALSE(glob.has_value()) << pattern;
    EXPECT_EQ(glob.error().step, "glob");
    EXPECT_EQ(glob.error().cure, Cure::give_up);
  }
  EXPECT_FALSE(Glob::compile(std::string(Glob::kMostStates, 'x')).has_value());
  EXPECT_TRUE(
      matches(std::string(Glob::kMostStates - 1, 'x'), std::string(Glob::kMostStates - 1, 'x')));
}

TEST(Glob, ManyStarsOnALongNameDoNotTakeExponentialTime) {
  std::string stars;
  for (int i = 0; i < 200; ++i) stars += "*a{a,aa,}";
  const auto glob = Glob::compile(stars + "*b?");
  ASSERT_TRUE(glob.has_value());
  const std::string name(4000, 'a');
  const auto begin = std::chrono::steady_clock::now();
  EXPECT_FALSE(glob->matches(name, name, false));
  // Backtracking would not terminate in any practical time.
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(20));
}

RC_GTEST_PROP(Glob, AgreesWithASlowReference, ()) {
  const auto pieces = *rc::gen::container<std::vector<std::string>>(rc::gen::element<std::string>(
      "a", "b", "/", "*", "**", "**/", "?", "[ab]", "{a,b}", "{*,b/}", "{,a{b,/}}", "/a"));
  RC_PRE(pieces.size() < 9U);
  std::string pattern = "a";
  for (const std::string& piece : pieces) {
    // Stars that only become adjacent by expanding a brace would read as "**": a different pattern.
    const bool meets = piece.starts_with('{') && (pattern.ends_with('*') || pattern.ends_with('}'));
    if (meets || (piece.starts_with('*') && pattern.ends_with('}'))) continue;
    pattern += piece;
  }
  pattern += "/b";
  const auto glob = Glob::compile(pattern);
  RC_ASSERT(glob.has_value());
  for (int i = 0; i < 20; ++i) {
    const auto size = *rc::gen::inRange<std::size_t>(0, 7);
    const auto middle = *rc::gen::container<std::string>(size, rc::gen::element('a', 'b', '/'));
    const std::string path = "a" + middle + "/b";
    RC_ASSERT(glob->matches(path, "", false) == SlowGlob::any(pattern, path));
  }
}

TEST(Sieve, ExcludesWinOverGlobs) {
  const auto sieve = Sieve::compile({"*.txt", "*.md"}, {"secret*", "build/", "out/**"});
  ASSERT_TRUE(sieve.has_value());
  EXPECT_TRUE(sieve->takes_file("a/b.md", "b.md"));
  EXPECT_FALSE(sieve->takes_file("a/b.cc", "b.cc"));
  EXPECT_FALSE(sieve->takes_file("secret.txt", "secret.txt"));
  EXPECT_FALSE(sieve->takes_file("out/x.txt", "x.txt"));
  EXPECT_FALSE(sieve->enters_folder("a/build", "build"));
  EXPECT_TRUE(sieve->enters_folder("out", "out"));
  EXPECT_TRUE(Sieve::compile({}, {"build/"})->takes_file("build", "build"));
}

TEST(Sieve, RejectsAGlobWithATrailingSlash) {
  const auto sieve = Sieve::compile({"src/"}, {});
  ASSERT_FALSE(sieve.has_value());
  EXPECT_NE(sieve.error().hint, "");
}

}  // namespace
}  // namespace tidemill::walk
