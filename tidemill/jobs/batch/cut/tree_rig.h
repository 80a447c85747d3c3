// Test fixture with a temporary folder of files.
#pragma once

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

namespace tidemill::batch {

class TreeTest : public ::testing::Test {
 public:
  ~TreeTest() override { std::filesystem::remove_all(base_); }

 protected:
  TreeTest()
      : base_(std::filesystem::canonical(::testing::TempDir()).string() + "/tree-" +
              std::to_string(::getpid())) {
    std::filesystem::remove_all(base_);
    std::filesystem::create_directories(base_ + "/tree");
  }

  [[nodiscard]] std::string path(const std::string& name) const { return base_ + "/tree/" + name; }
  void write(const std::string& name, std::string_view bytes) const {
    std::filesystem::create_directories(std::filesystem::path(path(name)).parent_path());
    std::ofstream(path(name), std::ios::binary) << bytes;
  }

  const std::string base_;
};

}  // namespace tidemill::batch
