#include "tidemill/io/proc/program.h"

#include <filesystem>
#include <fstream>
#include <string>

#include <gtest/gtest.h>

#include "tidemill/testing/own_folder.h"

namespace tidemill::proc {
namespace {

namespace fs = std::filesystem;

class ProgramTest : public ::testing::Test {
 protected:
  void SetUp() override {
    for (const auto* sub : {"a", "b"}) fs::create_directory(folder_ / sub);
    make("a/plain", false);
    make("a/tool", false);
    make("b/tool", true);
    fs::create_directory(folder_ / "b/folder");
  }

  void make(const std::string& name, bool is_executable) {
    std::ofstream(folder_ / name) << "#!/bin/sh\n";
    fs::permissions(folder_ / name, is_executable ? fs::perms::owner_all : fs::perms::owner_read);
  }
  [[nodiscard]] std::string path(const std::string& name) const {
    return (folder_ / name).string();
  }
  [[nodiscard]] std::string search() const {
    return path("none") + ":" + path("a") + ":" + path("b");
  }

  testing::OwnFolder own_;
  const fs::path folder_ = own_.path();
};

TEST_F(ProgramTest, TakesTheFirstExecutableFileOfTheSearchPath) {
  EXPECT_EQ(resolve_program("tool", search()).value(), path("b/tool"));
  EXPECT_TRUE(resolve_program("sh").value().ends_with("/sh"));
}

TEST_F(ProgramTest, DoesNotSearchForANameWithASlash) {
  EXPECT_EQ(resolve_program(path("b/tool"), "").value(), path("b/tool"));
  EXPECT_FALSE(resolve_program("./tool-that-is-not-here", search()));
}

TEST_F(ProgramTest, EmptySearchPathEntryMeansTheCurrentFolder) {
  const fs::path before = fs::current_path();
  fs::current_path(folder_ / "b");
  EXPECT_EQ(resolve_program("tool", path("none") + ":").value(), "./tool");
  fs::current_path(before);
}

TEST_F(ProgramTest, ReportsWhetherAProgramIsMissingOrNotExecutable) {
  const auto missing = resolve_program("nothing", search()).error();
  EXPECT_EQ(missing.cure, Cure::give_up);
  EXPECT_EQ(missing.step, "start");
  EXPECT_EQ(missing.reason, "nothing: no such program");
  EXPECT_EQ(missing.hint, "check PATH: no folder in it has this program");
  EXPECT_EQ(resolve_program("plain", search()).error().reason, "plain: not an executable file");
  EXPECT_EQ(resolve_program("folder", search()).error().reason, "folder: not an executable file");
  EXPECT_EQ(resolve_program(path("no"), "").error().reason, path("no") + ": no such program");
  EXPECT_FALSE(resolve_program("", search()));
}

TEST_F(ProgramTest, SuggestsShellForACommandLine) {
  const std::string hint = "use --shell to run a shell command line";
  EXPECT_EQ(resolve_program("wc -l", search()).error().hint, hint);
  EXPECT_EQ(resolve_program("a|b", search()).error().hint, hint);
}

}  // namespace
}  // namespace tidemill::proc
