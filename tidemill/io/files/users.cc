#include "tidemill/io/files/users.h"

#include <grp.h>
#include <pwd.h>
#include <unistd.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <fstream>
#include <string>
#include <string_view>

namespace tidemill::files {
namespace {

constexpr uid_t kUnknown = 65'534;
constexpr std::size_t kMostText = 1U << 16U;  // of a passwd or group entry

// Whether the root user of the machine has no mapping in this user namespace.
bool is_root_unknown() {
  std::ifstream map("/proc/self/uid_map");
  std::uint64_t inside = 0;
  std::uint64_t outside = 0;
  std::uint64_t count = 0;
  bool has_lines = false;
  while (map >> inside >> outside >> count) {
    has_lines = true;
    if (outside == 0) return false;
  }
  return has_lines;
}

}  // namespace

bool is_user_or_root(uid_t user) {
  return user == 0 || user == ::geteuid() || (user == kUnknown && is_root_unknown());
}

bool is_private_group(gid_t group) {
  std::array<char, kMostText> user_text{};
  std::array<char, kMostText> group_text{};
  passwd user{};
  passwd* has_user = nullptr;
  if (::getpwuid_r(::geteuid(), &user, user_text.data(), user_text.size(), &has_user) != 0) {
    return false;
  }
  if (has_user == nullptr || user.pw_gid != group) return false;
  struct group own{};
  struct group* has_group = nullptr;
  if (::getgrgid_r(group, &own, group_text.data(), group_text.size(), &has_group) != 0) {
    return false;
  }
  if (has_group == nullptr || std::string_view(own.gr_name) != user.pw_name) return false;
  for (char** member = own.gr_mem; *member != nullptr; ++member) {
    if (std::string_view(*member) != user.pw_name) return false;
  }
  return true;
}

}  // namespace tidemill::files
