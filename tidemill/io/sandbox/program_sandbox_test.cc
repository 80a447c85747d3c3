#include "tidemill/io/sandbox/program_sandbox.h"

#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <string>
#include <thread>

#include <gtest/gtest.h>

#include "tidemill/testing/own_folder.h"

namespace tidemill::sandbox {
namespace {

class ProgramSandboxes : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_.file("book", "text").file("private", "secret").folder("writable");
    sandbox_rules_ = {.readable = {"/usr", "/bin", "/lib", "/lib64", "/etc", folder_ / "book"},
                      .writable = folder_ / "writable"};
  }
  // The exit status of a script that runs under the restrictions.
  int run(const std::string& script) {
    int status = -1;
    std::jthread([&] {
      const auto has_landlock = confine_thread(sandbox_rules_);
      ASSERT_TRUE(has_landlock) << text_of(has_landlock.error());
      has_landlock_ = *has_landlock;
      const std::string command = "cd " + folder_.path() + " && { " + script + "; } 2>/dev/null";
      status = std::system(command.c_str());  // NOLINT(concurrency-mt-unsafe)
    }).join();
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }

  testing::OwnFolder folder_;
  ProgramSandbox sandbox_rules_;
  bool has_landlock_ = false;
};

TEST_F(ProgramSandboxes, AllowReadingAndWritingListedPaths) {
  EXPECT_EQ(run("cat book >/dev/null && echo text >writable/new && rm writable/new"), 0);
}

TEST_F(ProgramSandboxes, DenyReadingAndWritingAnythingElse) {
  (void)run("true");
  if (!has_landlock_) GTEST_SKIP() << "NOT TESTED: this kernel has no Landlock";
  EXPECT_NE(run("cat private"), 0);
  EXPECT_NE(run("ls"), 0);
  EXPECT_NE(run("echo text >new"), 0);
  EXPECT_NE(run("echo text >>book"), 0);
  EXPECT_NE(run("rm book"), 0);
  EXPECT_NE(run("mv book writable/"), 0);
  EXPECT_EQ(::access((folder_ / "book").c_str(), F_OK), 0);
}

TEST_F(ProgramSandboxes, DenySocketsAndSignalsToOtherProcesses) {
  EXPECT_NE(run("kill -0 " + std::to_string(::getpid())), 0);
  const std::string python = "/usr/bin/python3 -c 'import socket; ";
  if (run(python + "'") != 0) GTEST_SKIP() << "NOT TESTED: sockets, without /usr/bin/python3";
  EXPECT_EQ(run(python + "socket.socket()'"), 1);
  EXPECT_EQ(run(python + "socket.socket(socket.AF_UNIX)'"), 1);
}

TEST_F(ProgramSandboxes, DenyReadingTheEnvironmentAndMapsOfTheParent) {
  sandbox_rules_.readable.emplace_back("/proc");
  const std::string parent = "/proc/" + std::to_string(::getpid());
  EXPECT_EQ(run("cat /proc/self/environ >/dev/null"), 0);
  if (!has_landlock_) GTEST_SKIP() << "NOT TESTED: this kernel has no Landlock";
  EXPECT_NE(run("cat " + parent + "/environ"), 0);
  EXPECT_NE(run("cat " + parent + "/maps"), 0);
}

TEST_F(ProgramSandboxes, DoNotConfineOtherThreads) {
  EXPECT_EQ(run("true"), 0);
  EXPECT_EQ(::access((folder_ / "private").c_str(), R_OK), 0);
  folder_.file("new", "text");
  EXPECT_EQ(std::system(("cat " + folder_.path() + "/new >/dev/null").c_str()),  // NOLINT
            0);
}

}  // namespace
}  // namespace tidemill::sandbox
