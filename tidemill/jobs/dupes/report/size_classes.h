// SizeClasses: the groups of a scan counted by the size of their files, in powers of ten.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace tidemill::dupes {

struct SizeClass {
  std::uint64_t reclaimable = 0;  // bytes
  std::uint64_t groups = 0;
  std::uint64_t redundant = 0;  // copies beyond the first of their group

  bool operator==(const SizeClass&) const = default;
};

// Below 1 kB, 1 to 10 kB, …, 100 GB to 1 TB, 1 TB and more. A value.
struct SizeClasses {
  std::array<SizeClass, 11> classes{};

  [[nodiscard]] static std::size_t index_of(std::uint64_t size) {
    std::size_t at = 0;
    for (std::uint64_t end = 1'000; size >= end && at < 10; end *= 10) ++at;
    return at;
  }
  void add(std::uint64_t size, std::uint64_t copies, std::uint64_t reclaimable) {
    SizeClass& one = classes.at(index_of(size));
    one.reclaimable += reclaimable;
    ++one.groups;
    one.redundant += copies - 1;
  }
  SizeClasses& operator+=(const SizeClasses& more) {
    for (std::size_t i = 0; i < classes.size(); ++i) {
      classes.at(i).reclaimable += more.classes.at(i).reclaimable;
      classes.at(i).groups += more.classes.at(i).groups;
      classes.at(i).redundant += more.classes.at(i).redundant;
    }
    return *this;
  }

  bool operator==(const SizeClasses&) const = default;
};

}  // namespace tidemill::dupes
