// Runs installed tools on generated texts, for the tests of completions and man pages.
#pragma once

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <string>
#include <string_view>

namespace tidemill::command {

struct Ran {
  int status = -1;
  std::string output{};  // standard output and standard error
};

// Runs `line` in a shell. It comes from the test, never from untrusted input.
[[nodiscard]] inline Ran run_shell(const std::string& line) {
  Ran ran;
  std::FILE* const pipe = ::popen(("{ " + line + "\n} 2>&1").c_str(), "r");
  if (pipe == nullptr) return ran;
  std::array<char, 4096> block{};
  while (const auto length = std::fread(block.data(), 1, block.size(), pipe)) {
    ran.output.append(block.data(), length);
  }
  const int status = ::pclose(pipe);
  ran.status = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  return ran;
}

// Prints a prominent note if the tool is not installed.
[[nodiscard]] inline bool has_tool(const std::string& name) {
  if (run_shell("command -v " + name).status == 0) return true;
  std::cerr << "\n*** NOT TESTED: " << name << " is not installed ***\n\n";
  return false;
}

// A file with the text; the destructor removes it. One thread.
class TextFile final {
 public:
  TextFile(const std::string& name, std::string_view text)
      : path_(testing::TempDir() + std::to_string(::getpid()) + "_" + name) {
    std::ofstream(path_) << text;
  }
  TextFile(const TextFile&) = delete;
  TextFile& operator=(const TextFile&) = delete;
  ~TextFile() { (void)std::remove(path_.c_str()); }

  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  std::string path_;
};

}  // namespace tidemill::command
