// Environment: what a child finds in its environment: that of this program, as it was when the
// object was made, and a few entries that change from child to child.
//
// The whole is built once. For each child only the entries that change are put in place, and taken
// back before the next one. A name is there once: of two the first counts, as for getenv().
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
  Environment(const Environment&) = delete;  // it points into itself
  Environment& operator=(const Environment&) = delete;

  [[nodiscard]] static std::vector<std::string> of_this_program();

  // For execve(). An addition replaces the entry of the same name. Valid until the next call and
  // while `additions` lives.
  [[nodiscard]] char* const* with(std::span<const std::string> additions);

 private:
  void put(const std::string& addition);
  void take_back();

  std::vector<std::string> base_;
  std::vector<char*> entries_;                         // null at the end
  std::vector<std::pair<std::size_t, char*>> before_;  // what stood where a change was made
  std::size_t base_count_ = 0;
};

}  // namespace tidemill::proc
