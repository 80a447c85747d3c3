#include "tidemill/io/files/own_path.h"

#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <climits>
#include <cstddef>
#include <filesystem>
#include <string_view>
#include <system_error>

#include "tidemill/base/try.h"
#include "tidemill/io/files/users.h"

namespace tidemill::files {
namespace {

constexpr int kMostLinks = 40;  // as in the kernel

std::string octal(mode_t mode) {
  std::string text;
  for (int shift = 9; shift >= 0; shift -= 3) {
    text += static_cast<char>('0' + (mode >> static_cast<unsigned>(shift) & 7U));
  }
  return text;
}

// Quoted for a shell: users paste it.
std::string quoted(const std::string& path) {
  std::string text = "'";
  for (const char c : path) text += c == '\'' ? "'\\''" : std::string(1, c);
  return text + "'";
}

std::string hint_for_owner(uid_t owner, const std::string& path, const Believed& what) {
  if (::geteuid() == 0) return "run the command as that user, or " + what.instead;
  if (owner != 0) return what.instead;
  return "if a run as root created it, use sudo chown -R " + std::to_string(::geteuid()) + " " +
         quoted(path) + "; or " + what.instead;
}

// "the state folder /x", or "/tmp/y, which contains the state folder /tmp/y/x,"
std::string name_of(const std::string& here, const std::string& path, const Believed& what) {
  const std::string itself = "the " + what.name + " " + path;
  const bool is_itself = std::filesystem::path(path).lexically_normal() == here;
  return is_itself ? itself : here + ", which contains " + itself + ",";
}

// Checks one path.
class Inspector {
 public:
  Inspector(const std::string& path, const Believed& what) : path_(path), what_(what) {}

  Result<void> inspect();

 private:
  [[nodiscard]] Result<void> check_link(const std::string& here, const struct stat& seen) const;
  [[nodiscard]] Result<void> check_above(const std::string& here, const struct stat& seen) const;
  [[nodiscard]] Result<void> check_itself(const std::string& here, const struct stat& seen) const;
  [[nodiscard]] Result<void> foreign(const std::string& here, uid_t owner) const;
  [[nodiscard]] Result<void> open_to_others(const std::string& here, mode_t mode) const;

  const std::string& path_;
  const Believed& what_;
};

Result<void> Inspector::foreign(const std::string& here, uid_t owner) const {
  return std::unexpected(Failure{.kind = FailureKind::usage,
                                 .step = "usage",
                                 .reason = name_of(here, path_, what_) + " belongs to uid " +
                                           std::to_string(owner) + ", not to uid " +
                                           std::to_string(::geteuid()),
                                 .hint = hint_for_owner(owner, here, what_)});
}

Result<void> Inspector::open_to_others(const std::string& here, mode_t mode) const {
  return std::unexpected(Failure{.kind = FailureKind::usage,
                                 .step = "usage",
                                 .reason = name_of(here, path_, what_) +
                                           " is writable by other users (mode " + octal(mode) + ")",
                                 .hint = "if nobody else has changed it, use chmod go-w " +
                                         quoted(here) + "; or " + what_.instead});
}

// Whether users other than the owner and root may write to it.
bool is_open_to_others(const std::string& path, const struct stat& seen) {
  if ((seen.st_mode & S_IWOTH) != 0) return true;
  if ((seen.st_mode & S_IWGRP) == 0) return false;
  // With an ACL, the group bits are its mask: any user may be in it.
  const bool has_list = ::lgetxattr(path.c_str(), "system.posix_acl_access", nullptr, 0) > 0;
  return has_list || !is_private_group(seen.st_gid);
}

Result<void> Inspector::check_link(const std::string& here, const struct stat& seen) const {
  return is_user_or_root(seen.st_uid) ? Result<void>() : foreign(here, seen.st_uid);
}

Result<void> Inspector::check_above(const std::string& here, const struct stat& seen) const {
  if (!is_user_or_root(seen.st_uid)) return foreign(here, seen.st_uid);
  if ((seen.st_mode & S_ISVTX) != 0) return {};  // only the owner of a name can replace it
  return is_open_to_others(here, seen) ? open_to_others(here, seen.st_mode) : Result<void>();
}

Result<void> Inspector::check_itself(const std::string& here, const struct stat& seen) const {
  const bool is_ours = seen.st_uid == ::geteuid() ||
                       (what_.owner == Owner::user_or_root && is_user_or_root(seen.st_uid));
  if (!is_ours) return foreign(here, seen.st_uid);
  if (S_ISCHR(seen.st_mode)) return {};  // /dev/null
  return is_open_to_others(here, seen) ? open_to_others(here, seen.st_mode) : Result<void>();
}

// Component by component. `done` and all folders above it have been checked.
Result<void> Inspector::inspect() {
  struct stat seen{};
  if (::lstat("/", &seen) != 0) return {};
  TRY(check_above("/", seen));
  std::string done;
  std::string left = path_;
  for (int links = 0; links <= kMostLinks;) {
    left.erase(0, left.find_first_not_of('/'));
    if (left.empty()) return {};
    const std::string name = left.substr(0, left.find('/'));
    left.erase(0, name.size());
    if (name == ".") continue;
    if (name == "..") {
      done.erase(done.empty() ? 0 : done.rfind('/'));
      continue;
    }
    const std::string here = done + "/" + name;
    if (::lstat(here.c_str(), &seen) != 0) return {};
    if (S_ISLNK(seen.st_mode)) {
      TRY(check_link(here, seen));
      std::array<char, PATH_MAX> target{};
      const ssize_t length = ::readlink(here.c_str(), target.data(), target.size());
      if (length <= 0) return {};
      left.insert(0, target.data(), static_cast<std::size_t>(length));
      if (left.starts_with('/')) done.clear();
      ++links;
      continue;
    }
    if (left.find_first_not_of('/') == std::string::npos) return check_itself(here, seen);
    TRY(check_above(here, seen));
    done = here;
  }
  return {};
}

}  // namespace

Result<void> demand_own(const std::string& path, const Believed& what) {
  std::error_code wrong;
  std::string whole = std::filesystem::absolute(path, wrong).native();
  if (wrong) whole = path;
  while (whole.size() > 1 && whole.ends_with('/')) whole.pop_back();
  return Inspector(whole, what).inspect();
}

}  // namespace tidemill::files
