#include "tidemill/ui/term/spdlog_log.h"

#include <stdlib.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tidemill/testing/fake_clock.h"

namespace tidemill::term {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

struct Folder {
  fs::path path;

  Folder() {
    std::string name = (fs::temp_directory_path() / "tidemill-log-XXXXXX").string();
    EXPECT_NE(::mkdtemp(name.data()), nullptr);
    path = name;
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  ~Folder() { fs::remove_all(path); }

  [[nodiscard]] std::string read(const std::string& name) const {
    std::ifstream file(path / name);
    return {std::istreambuf_iterator<char>(file), {}};
  }
};

TEST(SpdlogLog, WritesOneLinePerEntryAtOrAboveItsLevel) {
  const Folder folder;
  testing::FakeClock clock;
  clock.advance(42ms);
  auto log = SpdlogLog::open({.folder = folder.path / "made"}, clock);
  ASSERT_TRUE(log) << text_of(log.error());
  (*log)->write(LogLevel::debug, "not said");
  (*log)->write(LogLevel::info, "two\nlines {} %v \xff");
  (*log)->write(LogLevel::error, "bad");
  EXPECT_EQ(folder.read("made/tidemill.log"),  // nothing is buffered
            "1970-02-11T16:00:00.042Z info two\\nlines {} %v \\xff\n"
            "1970-02-11T16:00:00.042Z error bad\n");
}

TEST(SpdlogLog, WritesJson) {
  const Folder folder;
  const testing::FakeClock clock;
  auto log =
      SpdlogLog::open({.folder = folder.path, .is_json = true, .level = LogLevel::debug}, clock);
  ASSERT_TRUE(log);
  (*log)->write(LogLevel::debug, "a \"b\"\n");
  EXPECT_EQ(nlohmann::json::parse(folder.read("tidemill.log")),
            (nlohmann::json{
                {"time", "1970-02-11T16:00:00.000Z"}, {"level", "debug"}, {"text", "a \"b\"\n"}}));
}

TEST(SpdlogLog, RotatesAndLimitsTheNumberOfFiles) {
  const Folder folder;
  const testing::FakeClock clock;
  auto log = SpdlogLog::open({.folder = folder.path, .most = kib(1), .old_files = 2}, clock);
  ASSERT_TRUE(log);
  for (int i = 0; i < 200; ++i) (*log)->write(LogLevel::info, "line " + std::to_string(i));
  std::size_t files = 0;
  for (const auto& file : fs::directory_iterator(folder.path)) {
    EXPECT_LE(file.file_size(), 1024U);
    ++files;
  }
  EXPECT_EQ(files, 3U);
  EXPECT_TRUE(folder.read("tidemill.log").ends_with("line 199\n"));
}

TEST(SpdlogLog, FailsWhenTheFileCannotBeMade) {
  const testing::FakeClock clock;
  const auto log = SpdlogLog::open({.folder = "/dev/null/no"}, clock);
  ASSERT_FALSE(log);
  EXPECT_EQ(log.error().cure, Cure::give_up);
  EXPECT_TRUE(log.error().reason.contains("/dev/null/no"));
}

TEST(SpdlogLog, DropsLinesSilentlyWhenTheDiskIsFull) {
  const testing::FakeClock clock;
  auto log = SpdlogLog::open({.folder = "/dev", .name = "full"}, clock);
  ASSERT_TRUE(log) << text_of(log.error());
  ::testing::internal::CaptureStderr();
  (*log)->write(LogLevel::info, std::string(100'000, 'x'));
  EXPECT_EQ(::testing::internal::GetCapturedStderr(), "");
  EXPECT_GE((*log)->lost(), 1U);
}

TEST(SpdlogLog, RejectsLinksInAWorldWritableFolder) {
  const Folder folder;
  const testing::FakeClock clock;
  fs::create_directory(folder.path / "all");
  fs::permissions(folder.path / "all", fs::perms::all);
  fs::create_symlink("../treasure.log", folder.path / "all/tidemill.log");
  EXPECT_FALSE(SpdlogLog::open({.folder = folder.path / "all"}, clock));
  EXPECT_FALSE(fs::exists(folder.path / "treasure.log"));
  fs::remove(folder.path / "all/tidemill.log");
  std::ofstream(folder.path / "treasure.log") << "treasure";
  fs::create_hard_link(folder.path / "treasure.log", folder.path / "all/tidemill.log");
  EXPECT_FALSE(SpdlogLog::open({.folder = folder.path / "all"}, clock));
  EXPECT_EQ(fs::file_size(folder.path / "treasure.log"), 8U);
}

TEST(SpdlogLog, SupportsConcurrentWriters) {
  const Folder folder;
  const testing::FakeClock clock;
  auto log = SpdlogLog::open({.folder = folder.path}, clock);
  ASSERT_TRUE(log);
  std::vector<std::jthread> writers;
  for (int w = 0; w < 3; ++w) {
    writers.emplace_back([&] {
      for (int i = 0; i < 100; ++i) (*log)->write(LogLevel::info, "line");
    });
  }
  writers.clear();
  const auto text = folder.read("tidemill.log");
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 300);
}

}  // namespace
}  // namespace tidemill::term
