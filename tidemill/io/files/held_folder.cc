#include "tidemill/io/files/held_folder.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>

#include "tidemill/base/try.h"
#include "tidemill/io/files/users.h"
#include "tidemill/io/walk/open_below.h"
#include "tidemill/io/walk/system_failure.h"

namespace tidemill::files {
namespace {

constexpr int kPass = O_PATH | O_DIRECTORY | O_CLOEXEC;  // needs no read permission
constexpr int kFolder = O_RDONLY | O_DIRECTORY | O_CLOEXEC;
constexpr mode_t kNewFolder = 0777;  // minus the umask
constexpr int kMostLinks = 40;       // as in the kernel

std::unexpected<Failure> failed(int error, std::string_view path) {
  return std::unexpected(walk::failure_of(error, "folder", path));
}

// Whether root or the user must have created the link.
bool is_ours(const struct stat& folder, const struct stat& link) {
  const bool is_open_to_all = (folder.st_mode & S_IWOTH) != 0;
  const bool is_open_to_some =
      (folder.st_mode & S_IWGRP) != 0 && !files::is_private_group(folder.st_gid);
  const bool is_sticky = (folder.st_mode & S_ISVTX) != 0;  // only the owner of a name can change it
  return files::is_user_or_root(folder.st_uid) && files::is_user_or_root(link.st_uid) &&
         (is_sticky || (!is_open_to_all && !is_open_to_some));
}

// For messages.
std::string folder_part(std::string path) {
  while (path.size() > 1 && path.ends_with('/')) path.pop_back();
  const std::size_t slash = path.rfind('/');
  if (slash == std::string::npos) return ".";
  return path.substr(0, std::max<std::size_t>(slash, 1));
}

// For messages.
std::string real_path(const Descriptor& folder) {
  const std::string link = "/proc/self/fd/" + std::to_string(folder.number());
  std::array<char, PATH_MAX> path{};
  const ssize_t size = ::readlink(link.c_str(), path.data(), path.size());
  return size < 0 ? link : std::string(path.data(), static_cast<std::size_t>(size));
}

// Follows a path component by component.
class PathWalk {
 public:
  PathWalk(const std::string& path, Links links, bool makes = false)
      : whole_(path), rest_(path), links_(links), makes_(makes) {}

  Result<Descriptor> go() {
    TRY(start());
    while (!rest_.empty()) TRY(step(take_part()));
    Descriptor folder(::openat(here_.number(), ".", kFolder));
    if (!folder.is_open()) return failed(errno, whole_);
    return folder;
  }

  // Stops at the last component and returns its name.
  Result<std::pair<Descriptor, std::string>> go_to_last(LastLink last) {
    TRY(start());
    std::string name;
    while (!rest_.empty()) {
      std::string part = take_part();
      const bool is_last = rest_.find_first_not_of('/') == std::string::npos;
      if (is_last && part != "." && part != "..") {
        LET(const auto link,
            last == LastLink::follow ? link_at(part) : std::optional<std::string>());
        if (!link) {
          name = std::move(part);
          break;
        }
        TRY(follow(*link));
        continue;
      }
      TRY(step(part));
    }
    if (name.empty()) return failed(EISDIR, whole_);
    Descriptor folder(::openat(here_.number(), ".", kFolder));
    if (!folder.is_open()) return failed(errno, whole_);
    return std::pair(std::move(folder), std::move(name));
  }

  [[nodiscard]] bool has_followed() const { return followed_ > 0; }

 private:
  Result<void> start() {
    here_ = Descriptor(::open(rest_.starts_with('/') ? "/" : ".", kPass));
    return here_.is_open() ? Result<void>() : failed(errno, whole_);
  }

  std::string take_part() {
    const std::size_t from = std::min(rest_.find_first_not_of('/'), rest_.size());
    const std::size_t to = std::min(rest_.find('/', from), rest_.size());
    const std::string part = rest_.substr(from, to - from);
    rest_.erase(0, std::min(rest_.find_first_not_of('/', to), rest_.size()));
    return part.empty() ? "." : part;
  }

  Result<void> step(const std::string& part) {
    Descriptor next(::openat(here_.number(), part.c_str(), kPass | O_NOFOLLOW));
    if (!next.is_open() && errno == ENOENT && makes_) {
      if (::mkdirat(here_.number(), part.c_str(), kNewFolder) != 0 && errno != EEXIST) {
        return failed(errno, whole_);
      }
      next = Descriptor(::openat(here_.number(), part.c_str(), kPass | O_NOFOLLOW));
    }
    if (next.is_open()) {
      here_ = std::move(next);
      return {};
    }
    const int error = errno;
    LET(const auto link, link_at(part));
    return link ? follow(*link) : failed(error, whole_);
  }

  // The target of the link with this name; nothing if it is not a link. Fails when the link is not
  // trusted.
  Result<std::optional<std::string>> link_at(const std::string& part) {
    struct stat folder{};
    struct stat seen{};
    if (::fstatat(here_.number(), part.c_str(), &seen, AT_SYMLINK_NOFOLLOW) != 0) {
      return std::nullopt;
    }
    if (!S_ISLNK(seen.st_mode)) return std::nullopt;
    if (::fstat(here_.number(), &folder) != 0) return failed(errno, whole_);
    if (links_ == Links::ours && !is_ours(folder, seen)) {
      return std::unexpected(
          Failure{.cure = Cure::give_up,
                  .step = "folder",
                  .reason = whole_ + ": " + part + " is a symbolic link that another user controls",
                  .hint = "use the path that the link points to"});
    }
    std::array<char, PATH_MAX> target{};
    const ssize_t size = ::readlinkat(here_.number(), part.c_str(), target.data(), target.size());
    if (size < 0) return failed(errno, whole_);
    return std::string(target.data(), static_cast<std::size_t>(size));
  }

  Result<void> follow(const std::string& target) {
    if (++followed_ > kMostLinks) return failed(ELOOP, whole_);
    rest_ = rest_.empty() ? target : target + "/" + rest_;
    return target.starts_with('/') ? start() : Result<void>();
  }

  const std::string& whole_;
  std::string rest_;
  const Links links_;
  const bool makes_;
  Descriptor here_{};
  int followed_ = 0;
};

}  // namespace

HeldFolder::HeldFolder(Descriptor folder, std::string path)
    : folder_(std::move(folder)), path_(std::move(path)) {}

std::string HeldFolder::path_of(std::string_view name) const {
  if (path_.empty() || path_ == ".") return std::string(name);
  return (path_.ends_with('/') ? path_ : path_ + "/") + std::string(name);
}

Result<HeldFolder> HeldFolder::open(const std::string& path, Links links) {
  LET(auto folder, PathWalk(path, links).go());
  return HeldFolder(std::move(folder), path);
}

Result<HeldFolder> HeldFolder::make(const std::string& path) {
  LET(auto folder, PathWalk(path, Links::ours, true).go());
  return HeldFolder(std::move(folder), path);
}

Result<HeldFolder> HeldFolder::below(std::string_view path) const {
  auto opened = walk::open_below(number(), path);
  std::string name = path.empty() ? path_ : path_of(path);
  if (opened.error != 0) return failed(opened.error, name);
  return HeldFolder(std::move(opened.folder), std::move(name));
}

Result<HeldFolder> HeldFolder::make_below(std::string_view path) const {
  LET(HeldFolder here, below(""));
  while (!path.empty()) {
    const std::string part(path.substr(0, path.find('/')));
    path.remove_prefix(std::min(part.size() + 1, path.size()));
    if (part.empty()) continue;
    if (::mkdirat(here.number(), part.c_str(), kNewFolder) != 0 && errno != EEXIST) {
      return failed(errno, here.path_of(part));
    }
    LET(here, here.below(part));
  }
  return here;
}

Result<void> HeldFolder::sync() const {
  if (::fsync(number()) == 0) return {};
  return std::unexpected(walk::failure_of(errno, "sync", path_));
}

Result<Spot> spot_of(const std::string& path, LastLink last, Links links) {
  PathWalk path_walk(path, links);
  LET(auto found, path_walk.go_to_last(last));
  auto& [folder, name] = found;
  std::string shown = path_walk.has_followed() ? real_path(folder) : folder_part(path);
  return Spot{.folder = HeldFolder(std::move(folder), std::move(shown)), .name = std::move(name)};
}

std::string held_path(const HeldFolder& folder, std::string_view name) {
  return "/proc/self/fd/" + std::to_string(folder.number()) + "/" + std::string(name);
}

}  // namespace tidemill::files
