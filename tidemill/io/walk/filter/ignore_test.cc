#include "tidemill/io/walk/filter/ignore.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <random>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "tidemill/base/descriptor.h"
#include "tidemill/testing/own_folder.h"

namespace tidemill::walk {
namespace {

namespace fs = std::filesystem;

bool ignores(std::string_view text, std::string_view path) {
  IgnoreRules rules("", nullptr);
  rules.add(text);
  const bool is_folder = path.ends_with('/');
  if (is_folder) path.remove_suffix(1);
  return rules.ignores(path, path.substr(path.rfind('/') + 1), is_folder);
}

TEST(IgnoreRules, MatchAsInGitignore) {
  struct Case {
    std::string_view text, path;
    bool is_ignored;
  };
  using namespace std::string_view_literals;
  for (const auto& [text, path, is_ignored] : std::vector<Case>{
           {"a", "a", true},
           {"a", "x/a", true},
           {"/a", "x/a", false},
           {"x/a", "y/x/a", false},
           {"a/", "a", false},
           {"a/", "a/", true},
           {"a/", "x/a/", true},
           {"a//", "a/", false},
           {"*.o\n!b.o", "b.o", false},
           {"!b.o\n*.o", "b.o", true},
           {"# a", "# a", false},
           {"\\#a", "#a", true},
           {"\\!a", "!a", true},
           {"!!a\na*", "!a", false},
           {"a*\n!!a", "a", true},
           {"a  ", "a", true},
           {"a\\ ", "a ", true},
           {"a\\ ", "a", false},
           {"a\\  ", "a ", true},
           {"a\t", "a", false},
           {"a\r\n", "a", true},
           {"\xef\xbb\xbf"
            "a",
            "a", true},
           {"a\0b"sv, "a", true},
           {"x/*", "x/a", true},
           {"x/*", "x/y/a", false},
           {"**/a", "a", true},
           {"**/a", "x/y/a", true},
           {"x/**", "x/", false},
           {"x/**", "x/y/a", true},
           {"x/**/a", "x/a", true},
           {"x/**/a", "x/y/z/a", true},
           {"x/b**c", "x/b/c", false},
           {"x/b**c", "x/bac", true},
           {"a**", "abc", true},
           {"/**", "x/y", true},
           {"{a,b}", "a", false},
           {"{a,b}*", "{a,b}", true},
           {"{a,b}", "{a,b}", true},
           {"[ab]", "b", true},
           {"[!ab]", "b", false},
           {"[^ab]", "c", true},
           {"[]a]", "]", true},
           {"[a-]", "-", true},
           {"[a-c-e]", "d", false},
           {"[a-c-e]", "-", true},
           {"[--0]", ".", true},
           {"[\\]x]", "]", true},
           {"[[:digit:]x]", "7", true},
           {"[[:digit:]x]", "y", false},
           {"[[:nonsense:]]", "n", false},
           {"[[:x]", ":", true},
           {"[a", "[a", false},
           {"a\\", "a\\", false},
           {"a/[/]b", "a//b", false},
           {"?", "\xff", true},
           {"x?a", "x/a", false},
           {"/", "x/", false},
           {"!", "x", false},
       }) {
    EXPECT_EQ(ignores(text, path), is_ignored) << '"' << text << "\" on \"" << path << '"';
  }
}

TEST(IgnoreRules, DeeperRulesTakePrecedenceAndAreRelativeToTheirFolder) {
  auto top = std::make_shared<IgnoreRules>("", nullptr);
  top->add("*.o\n/sub/x\n");
  IgnoreRules deep("sub", top);
  deep.add("!keep.o\n/y\n");
  EXPECT_FALSE(deep.ignores("sub/keep.o", "keep.o", false));
  EXPECT_TRUE(deep.ignores("sub/more/other.o", "other.o", false));
  EXPECT_TRUE(deep.ignores("sub/x", "x", false));
  EXPECT_TRUE(deep.ignores("sub/y", "y", false));
  EXPECT_FALSE(deep.ignores("sub/more/y", "y", false));
  EXPECT_EQ(deep.nested(), 2U);
}

TEST(IgnoreRules, ManyStarsDoNotTakeExponentialTime) {
  std::string pattern;
  for (int i = 0; i < 200; ++i) pattern += "*a";
  EXPECT_FALSE(ignores(pattern + "b", std::string(250, 'a')));
}

TEST(IgnoreRules, LoadOnlyFromRegularFilesOfLimitedSize) {
  const testing::OwnFolder own;
  const std::string& folder = own.path();
  const Descriptor here(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  const auto read = [&](const char* name) { return read_rules(here.number(), "", {name}, {}); };
  std::ofstream(folder + "/rules") << "a";
  fs::create_symlink("rules", folder + "/link");
  ASSERT_EQ(::mkfifo((folder + "/fifo").c_str(), 0600), 0);
  EXPECT_NE(read("rules").rules, nullptr);
  FoundRules nested;
  for (std::size_t i = 0; i < IgnoreRules::kMostNested; ++i) {
    nested = read_rules(here.number(), "", {"rules"}, nested.rules);
  }
  EXPECT_EQ(nested.error, 0);
  EXPECT_EQ(read_rules(here.number(), "", {"rules"}, nested.rules).error, E2BIG);
  for (const char* name : {"link", "fifo", ".", "none"}) {
    EXPECT_EQ(read(name).rules, nullptr) << name;
    EXPECT_EQ(read(name).error, 0) << name;
  }
  for (const std::uintmax_t size : {IgnoreRules::kMostText + 1, std::size_t{1} << 40U}) {
    fs::resize_file(folder + "/rules", size);
    EXPECT_EQ(read("rules").error, EFBIG) << size;
  }
  fs::resize_file(folder + "/rules", IgnoreRules::kMostText);
  EXPECT_EQ(read("rules").error, 0);
}

// A temporary repository, and what git says about it.
class Repository {
 public:
  Repository() {
    git_ = "HOME=" + path_ + " GIT_CONFIG_NOSYSTEM=1 git -C " + path_ + ' ';
    works_ = std::system((git_ + "init -q 2>/dev/null").c_str()) == 0;
  }

  [[nodiscard]] bool works() const { return works_; }
  [[nodiscard]] const std::string& path() const { return path_; }

  [[nodiscard]] std::set<std::string> ignored(const std::vector<std::string>& paths) const {
    {
      std::ofstream list(path_ + "/.git/list", std::ios::binary);
      for (const std::string& path : paths) list << path << '\0';
    }
    const std::string command =
        git_ + "check-ignore -z --no-index --stdin < " + path_ + "/.git/list";
    std::set<std::string> found;
    std::FILE* out = ::popen(command.c_str(), "r");
    std::string path;
    for (int c = std::getc(out); c != EOF; c = std::getc(out)) {
      if (c != '\0') {
        path += static_cast<char>(c);
      } else {
        found.insert(std::exchange(path, {}));
      }
    }
    ::pclose(out);
    return found;
  }

 private:
  testing::OwnFolder own_;
  const std::string& path_ = own_.path();
  std::string git_;
  bool works_ = false;
};

// One thread. Makes patterns that are likely to match something.
class PatternMaker {
 public:
  explicit PatternMaker(unsigned seed) : random_(seed) {}

  std::string text() {
    std::string text;
    for (auto n = random_() % 6 + 1; n > 0; --n) text += line() + '\n';
    return text;
  }

 private:
  std::string pick(const std::vector<std::string>& of) { return of[random_() % of.size()]; }

  std::string part() {
    return pick({"a",     "b",           "c",    "ab",     "a*",     "*b",
                 "*",     "?",           "[ab]", "[!a]",   "[a-b]*", "\\a",
                 "{a,b}", "[[:alpha:]]", "b ",   "\\b\\ ", "[]a-]",  "[^[:upper:]b]",
                 "a?",    "c[",          "*a*"});
  }
  std::string line() {
    std::string line = pick({"", "", "", "!", "#", "/", "!/", "**/", "!**/"});
    for (auto n = random_() % 3; n > 0; --n) line += pick({part(), part(), part(), "**"}) + '/';
    line += pick({part(), part(), part(), part(), "**"});
    return line + pick({"", "", "", "/", " ", "\r", "/**"});
  }

  std::mt19937 random_;
};

// Entries below an ignored folder are not checked, as in a sweep.
void compare(const fs::path& root, const std::string& below,
             const std::shared_ptr<const IgnoreRules>& above, std::map<std::string, bool>& ours) {
  const std::string folder = (root / below).string();
  const Descriptor open_folder(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  const FoundRules found = read_rules(open_folder.number(), below, {".gitignore"}, above);
  ASSERT_EQ(found.error, 0);
  for (const auto& entry : fs::directory_iterator(folder)) {
    const std::string name = entry.path().filename().string();
    if (name == ".git") continue;
    const std::string path = below.empty() ? name : below + '/' + name;
    ours[path] = found.rules && found.rules->ignores(path, name, entry.is_directory());
    if (entry.is_directory() && !ours[path]) compare(root, path, found.rules, ours);
  }
}

TEST(IgnoreRules, AgreeWithGit) {
  const Repository repository;
  if (!repository.works()) GTEST_SKIP() << "SKIPPED: git is not installed";
  const std::vector<std::string> names{"a", "b", "c", "ab", "a b", "b ", "{a,b}", "\xff"};
  std::vector<std::string> folders{""};
  for (const char* folder : {"a", "b", "ab", "a/b", "a/c", "b/a", "ab/a", "a/b/a", "a/b/c"}) {
    fs::create_directories(repository.path() + '/' + folder);
    folders.push_back(std::string(folder) + '/');
  }
  for (const std::string& folder : folders) {
    for (const std::string& name : names) {
      const std::string path = repository.path() + '/' + folder + name;
      if (!fs::exists(path)) std::ofstream(path) << "";
    }
  }
  for (unsigned seed = 1; seed <= 60; ++seed) {
    PatternMaker patterns(seed);
    for (const char* folder : {"", "a/", "a/b/"}) {
      std::ofstream(repository.path() + '/' + folder + ".gitignore", std::ios::binary)
          << patterns.text();
    }
    std::map<std::string, bool> ours;
    compare(repository.path(), "", nullptr, ours);
    std::vector<std::string> paths;
    for (const auto& [path, is_ignored] : ours) paths.push_back(path);
    const std::set<std::string> theirs = repository.ignored(paths);
    for (const auto& [path, is_ignored] : ours) {
      EXPECT_EQ(is_ignored, theirs.contains(path)) << "seed " << seed << ": \"" << path << '"';
    }
  }
}

}  // namespace
}  // namespace tidemill::walk
