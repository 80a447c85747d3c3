// Environment: the environment of child processes: that of this program at the time of
// construction, plus a few entries that change from child to child.
//
// The base is built once. For each child only the changing entries are set, and they are reverted
// before the next one. Each name occurs once: the first of duplicates counts, as in getenv().
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace tidemill::proc {

// One thread.
class Environment {
 public:
  explicit Environment(std::vector<std::string> base);
  Environment(const Environment&) = delete;  // holds pointers into itself
  Environment& operator=(const Environment&) = delete;

  [[nodiscard]] static std::vector<std::string> of_this_program();

  // For execve(). An addition replaces the entry of the same name. Valid until the next call and as
  // long as `additions` lives.
  [[nodiscard]] char* const* with(std::span<const std::string> additions);

 private:
  void put(const std::string& addition);
  void take_back();

  std::vector<std::string> base_;
  std::vector<char*> entries_;                         // null-terminated
  std::vector<std::pair<std::size_t, char*>> before_;  // the replaced entries and their positions
  std::size_t base_count_ = 0;
};

}  // namespace tidemill::proc
