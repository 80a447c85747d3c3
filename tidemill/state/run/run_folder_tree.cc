#include "tidemill/state/run/run_folder_tree.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "tidemill/base/system_text.h"
#include "tidemill/base/try.h"

namespace tidemill::run {
namespace {

constexpr int kFolder = O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW;

// One open folder. One thread.
class Folder {
 public:
  Folder(int parent, const std::string& name) : number_(::openat(parent, name.c_str(), kFolder)) {}
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  ~Folder() {
    if (number_ >= 0) ::close(number_);
  }
  [[nodiscard]] bool is_open() const { return number_ >= 0; }
  [[nodiscard]] int number() const { return number_; }

 private:
  int number_;
};

struct FolderChild {
  std::string name{};
  bool is_folder = false;
};

bool is_folder(int folder, const dirent64& entry) {
  if (entry.d_type != DT_UNKNOWN) return entry.d_type == DT_DIR;
  struct stat status{};
  return ::fstatat(folder, entry.d_name, &status, AT_SYMLINK_NOFOLLOW) == 0 &&
         S_ISDIR(status.st_mode);
}

std::optional<std::vector<FolderChild>> entries_of(int folder) {
  std::vector<FolderChild> entries;
  alignas(dirent64) std::array<char, 32'768> look;
  if (::lseek(folder, 0, SEEK_SET) < 0) return std::nullopt;
  while (true) {
    const ssize_t got = ::getdents64(folder, look.data(), look.size());
    if (got == 0) return entries;
    if (got < 0) return std::nullopt;
    for (std::size_t at = 0; at < static_cast<std::size_t>(got);) {
      const auto& entry = *reinterpret_cast<const dirent64*>(&look[at]);
      at += entry.d_reclen;
      const std::string_view name = entry.d_name;
      if (name == "." || name == "..") continue;
      entries.push_back({.name = std::string(name), .is_folder = is_folder(folder, entry)});
    }
  }
}

Result<void> removed(int answer, const std::string& name) {
  if (answer == 0 || errno == ENOENT) return {};
  return fail(errno == EBUSY ? Cure::retry : Cure::give_up, "remove",
              name + ": " + system_text(errno));
}

// Moves folder `name` of `from` to `top` under an unused name.
Result<void> lift(int from, const std::string& name, int top, std::uint64_t& lifted) {
  while (true) {
    const std::string up = ".lifted-" + std::to_string(lifted++);
    // This would replace an empty folder of that name, which is harmless here.
    const int answer = ::renameat(from, name.c_str(), top, up.c_str());
    if (answer == 0 || (errno != ENOTEMPTY && errno != EEXIST && errno != ENOTDIR)) {
      return removed(answer, name);
    }
  }
}

// Moves the subfolders of folder `name` up to `top`, then empties and removes `name`.
Result<void> flatten(int top, const std::string& name, std::uint64_t& lifted) {
  const Folder folder(top, name);
  if (!folder.is_open()) return removed(-1, name);
  const auto entries = entries_of(folder.number());
  if (!entries) return removed(-1, name);
  for (const FolderChild& entry : *entries) {
    if (entry.is_folder) {
      TRY(lift(folder.number(), entry.name, top, lifted));
    } else {
      TRY(removed(::unlinkat(folder.number(), entry.name.c_str(), 0), entry.name));
    }
  }
  return removed(::unlinkat(top, name.c_str(), AT_REMOVEDIR), name);
}

}  // namespace

Bytes bytes_below(const std::string& folder) {
  Bytes sum;
  const Folder top(AT_FDCWD, folder);
  if (!top.is_open()) return sum;
  std::vector<std::string> pending{"."};
  while (!pending.empty()) {
    const std::string path = std::exchange(pending.back(), {});
    pending.pop_back();
    const Folder now(top.number(), path);
    const auto entries = now.is_open() ? entries_of(now.number()) : std::nullopt;
    if (!entries) continue;
    for (const FolderChild& entry : *entries) {
      struct stat status{};
      if (::fstatat(now.number(), entry.name.c_str(), &status, AT_SYMLINK_NOFOLLOW) != 0) continue;
      sum += Bytes{static_cast<std::uint64_t>(status.st_blocks) * 512};
      if (entry.is_folder) pending.push_back(path + '/' + entry.name);
    }
  }
  return sum;
}

Result<void> remove_tree(const std::string& parent, const std::string& name) {
  const Folder above(AT_FDCWD, parent);
  if (!above.is_open()) return removed(-1, parent);
  const Folder top(above.number(), name);
  if (!top.is_open()) return removed(-1, name);
  std::uint64_t lifted = 0;
  while (true) {
    const auto entries = entries_of(top.number());
    if (!entries) return removed(-1, name);
    if (entries->empty()) break;
    for (const FolderChild& entry : *entries) {
      if (entry.is_folder) {
        TRY(flatten(top.number(), entry.name, lifted));
      } else {
        TRY(removed(::unlinkat(top.number(), entry.name.c_str(), 0), entry.name));
      }
    }
  }
  return removed(::unlinkat(above.number(), name.c_str(), AT_REMOVEDIR), name);
}

}  // namespace tidemill::run
