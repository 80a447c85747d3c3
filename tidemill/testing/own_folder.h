// OwnFolder: a temporary folder for one test, removed with the object.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <system_error>

namespace tidemill::testing {

// One thread.
class OwnFolder {
 public:
  explicit OwnFolder(const std::string& where = ::testing::TempDir())
      : path_(where + "tidemill_XXXXXX") {
    if (::mkdtemp(path_.data()) == nullptr) std::abort();
  }
  OwnFolder(const OwnFolder&) = delete;
  OwnFolder& operator=(const OwnFolder&) = delete;
  ~OwnFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }

  [[nodiscard]] const std::string& path() const { return path_; }
  [[nodiscard]] std::string operator/(std::string_view name) const {
    return path_ + '/' + std::string(name);
  }
  // file() and folder() also create the parent folders.
  const OwnFolder& file(std::string_view name, std::string_view bytes = "") const {
    std::filesystem::create_directories(std::filesystem::path(*this / name).parent_path());
    std::ofstream(*this / name, std::ios::binary) << bytes;
    return *this;
  }
  const OwnFolder& folder(std::string_view name) const {
    std::filesystem::create_directories(*this / name);
    return *this;
  }

 private:
  std::string path_;
};

}  // namespace tidemill::testing
