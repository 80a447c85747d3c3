#include "tidemill/jobs/tasks/names.h"

#include <unistd.h>

#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>

namespace tidemill::jobs {
namespace {

using Names = std::vector<std::string>;

class NamesTest : public ::testing::Test {
 protected:
  void SetUp() override {
    for (const char* file : {"one/a", "one/sub/b", "one/z", "two/a", "two/.c"}) {
      std::filesystem::create_directories((folder_ / file).parent_path());
      std::ofstream(folder_ / file) << "x";
    }
    source_.roots = {(folder_ / "one").string(), (folder_ / "two").string()};
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  // The names, and the position of the source after each.
  [[nodiscard]] Names all(std::string_view from, Names* positions = nullptr) {
    Names names;
    EXPECT_TRUE(each_name(source_, from, {}, [&](TaskName&& name) {
      names.push_back(std::move(name.subject));
      if (positions != nullptr) positions->push_back(std::move(name.position));
      return true;
    }));
    return names;
  }
  void expect_resumable() {
    Names positions;
    const Names names = all("", &positions);
    for (std::size_t i = 0; i < names.size(); ++i) {
      EXPECT_EQ(all(positions[i]),
                Names(names.begin() + static_cast<std::ptrdiff_t>(i) + 1, names.end()))
          << positions[i];
    }
  }

  const std::filesystem::path folder_ =
      std::filesystem::path(::testing::TempDir()) / ("names-" + std::to_string(::getpid()));
  FileSource source_;
};

TEST_F(NamesTest, WalksFoldersOneAfterTheOther) {
  const std::string one = source_.roots[0];
  const std::string two = source_.roots[1];
  EXPECT_EQ(all(""), (Names{one + "/a", one + "/sub/b", one + "/z", two + "/.c", two + "/a"}));
  source_.no_hidden = true;
  source_.excludes = {"sub"};
  EXPECT_EQ(all(""), (Names{one + "/a", one + "/z", two + "/a"}));
}

TEST_F(NamesTest, FoldersResumeAfterEveryPosition) { expect_resumable(); }

TEST_F(NamesTest, AListResumesAfterEveryPosition) {
  source_.files_from = (folder_ / "list").string();
  std::ofstream(source_.files_from) << "a\n\n-b\nc d\n\n\nlast";
  EXPECT_EQ(all(""), (Names{"a", "-b", "c d", "last"}));
  expect_resumable();
}

TEST_F(NamesTest, ANulSeparatedListHoldsAnyName) {
  source_.files_from = (folder_ / "list").string();
  source_.is_nul_separated = true;
  std::ofstream(source_.files_from) << std::string("a\nb\0\xff\0", 6);
  EXPECT_EQ(all(""), (Names{"a\nb", "\xff"}));
}

TEST_F(NamesTest, RejectsAListThatHasShrunk) {
  source_.files_from = (folder_ / "list").string();
  std::ofstream(source_.files_from) << "a\n";
  EXPECT_FALSE(each_name(source_, "2", {}, [](TaskName&&) { return true; }));
}

TEST_F(NamesTest, FailsOnAMissingSourceAndDoesNotReportAStopAsTheEnd) {
  source_.roots = {"/no/such/folder"};
  EXPECT_FALSE(each_name(source_, "", {}, [](TaskName&&) { return true; }));
  source_.files_from = "/no/such/list";
  EXPECT_FALSE(each_name(source_, "", {}, [](TaskName&&) { return true; }));
  source_ = {.roots = {folder_.string()}};
  const auto stopped = each_name(source_, "", {}, [](TaskName&&) { return false; });
  ASSERT_FALSE(stopped);
  EXPECT_EQ(stopped.error().cure, Cure::resume);
}

}  // namespace
}  // namespace tidemill::jobs
