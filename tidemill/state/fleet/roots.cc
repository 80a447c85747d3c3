#include "tidemill/state/fleet/roots.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <memory>
#include <optional>
#include <utility>

#include <fmt/core.h>

#include "tidemill/base/file_stamp.h"
#include "tidemill/base/system_text.h"
#include "tidemill/base/try.h"
#include "tidemill/formats/text/counted.h"
#include "tidemill/formats/text/printable.h"

namespace tidemill::fleet {
namespace {

using text::printable;

constexpr std::size_t kMostRead = 1'000;  // of the entries of a folder

// FNV-1a. Those with the smallest hashes are sampled: an added file replaces at most one of them.
[[nodiscard]] std::uint64_t hash_of(std::string_view name) {
  std::uint64_t hash = 14'695'981'039'346'656'037U;
  for (const char c : name) hash = (hash ^ static_cast<unsigned char>(c)) * 1'099'511'628'211U;
  return hash;
}

[[nodiscard]] std::unexpected<Failure> failed(const std::string& folder, int error) {
  return fail(Cure::give_up, "root", printable(folder) + ": " + system_text(error));
}

struct FolderCloser {
  void operator()(DIR* folder) const { (void)::closedir(folder); }
};
using OpenFolder = std::unique_ptr<DIR, FolderCloser>;

[[nodiscard]] Result<OpenFolder> open_folder(const std::string& path) {
  OpenFolder folder(::opendir(path.c_str()));
  if (!folder) return failed(path, errno);
  return folder;
}

[[nodiscard]] Result<std::uint64_t> inode_of(DIR* folder, const std::string& path) {
  struct stat seen{};
  if (::fstat(::dirfd(folder), &seen) != 0) return failed(path, errno);
  return std::uint64_t{seen.st_ino};
}

// nullopt: it is gone, or neither a regular file nor a folder.
[[nodiscard]] std::optional<SampledEntry> sample(DIR* folder, const std::string& name) {
  struct stat seen{};
  if (::fstatat(::dirfd(folder), name.c_str(), &seen, AT_SYMLINK_NOFOLLOW) != 0) {
    return std::nullopt;
  }
  if (!S_ISREG(seen.st_mode) && !S_ISDIR(seen.st_mode)) return std::nullopt;
  const FileStamp stamp = stamp_of(seen);
  // The size of a folder differs between hosts on some file systems: CephFS updates it late.
  return SampledEntry{.name = name,
                      .inode = stamp.inode,
                      .size = S_ISDIR(seen.st_mode) ? 0 : stamp.size,
                      .changed = stamp.ctime_ns};
}

[[nodiscard]] bool may_be_sampled(const dirent& entry) {
  const std::string_view name(static_cast<const char*>(entry.d_name));
  const bool is_of_a_kind =
      entry.d_type == DT_REG || entry.d_type == DT_DIR || entry.d_type == DT_UNKNOWN;
  return is_of_a_kind && name != "." && name != "..";
}

// By the hash of the name. Entries that cannot be sampled count as read.
[[nodiscard]] Result<std::vector<std::string>> some_names(DIR* folder, const std::string& path) {
  std::vector<std::pair<std::uint64_t, std::string>> hashed;
  for (std::size_t read = 0; read < kMostRead; ++read) {
    errno = 0;
    const dirent* entry = ::readdir(folder);  // NOLINT(concurrency-mt-unsafe): our own DIR
    if (entry == nullptr && errno != 0) return failed(path, errno);
    if (entry == nullptr) break;
    if (!may_be_sampled(*entry)) continue;
    std::string name = static_cast<const char*>(entry->d_name);
    const std::uint64_t hash = hash_of(name);
    hashed.emplace_back(hash, std::move(name));
  }
  std::ranges::sort(hashed);
  std::vector<std::string> names;
  names.reserve(hashed.size());
  for (auto& [hash, name] : hashed) names.push_back(std::move(name));
  return names;
}

// A name that leads out of the folder is not one of its entries. The sample is signed, but it comes
// from another host.
[[nodiscard]] bool is_entry_name(std::string_view name) {
  return !name.empty() && name != "." && name != ".." && !name.contains('/') &&
         !name.contains('\0');
}

// "a.jpg has 12 bytes, not 9"; empty: it is the same.
[[nodiscard]] std::string difference(const SampledEntry& theirs, DIR* folder) {
  const auto ours = is_entry_name(theirs.name) ? sample(folder, theirs.name) : std::nullopt;
  const std::string name = printable(theirs.name);
  if (!ours) return name + " is missing";
  if (ours->inode != theirs.inode) {
    return fmt::format("{} has the inode {}, not {}", name, ours->inode, theirs.inode);
  }
  if (ours->size != theirs.size) {
    return fmt::format("{} has {} bytes, not {}", name, ours->size, theirs.size);
  }
  return ours->changed != theirs.changed ? name + " was changed at another time" : "";
}

// "root photos: /mnt/d is not /data of the coordinator: …"
[[nodiscard]] std::unexpected<Failure> not_the_same(const FleetRoot& root, const std::string& path,
                                                    const std::string& why) {
  const std::string name = printable(root.name);
  return std::unexpected(
      Failure{.cure = Cure::give_up,
              .step = "root",
              .reason = fmt::format("{}: {} is not {} of the coordinator: {}", name,
                                    printable(path), printable(root.path), why),
              .hint = "mount the same file system on this host, or name its folder: --map " + name +
                      "=FOLDER"});
}

[[nodiscard]] std::unexpected<Failure> bad_map(const std::string& text, const std::string& why) {
  return std::unexpected(Failure{.cure = Cure::give_up,
                                 .kind = FailureKind::usage,
                                 .step = "usage",
                                 .reason = "--map: '" + printable(text) + "' " + why,
                                 .hint = "use --map NAME=FOLDER with an absolute folder",
                                 .subject = "map"});
}

}  // namespace

Result<RootMap> root_map_of(const std::vector<std::string>& texts) {
  RootMap map;
  for (const std::string& text : texts) {
    const auto equals = text.find('=');
    if (equals == std::string::npos) return bad_map(text, "has no =");
    std::string name = text.substr(0, equals);
    std::string folder = text.substr(equals + 1);
    if (name.empty()) return bad_map(text, "has no name");
    if (!folder.starts_with('/')) return bad_map(text, "is not an absolute folder");
    while (folder.size() > 1 && folder.ends_with('/')) folder.pop_back();
    if (!map.emplace(std::move(name), std::move(folder)).second) {
      return bad_map(text, "names a root that was named before");
    }
  }
  return map;
}

Result<RootProbe> probe(const std::string& folder) {
  LET(const OpenFolder open, open_folder(folder));
  RootProbe probe;
  LET(probe.inode, inode_of(open.get(), folder));
  LET(const auto names, some_names(open.get(), folder));
  for (const std::string& name : names) {
    if (probe.entries.size() == kMostSampled) break;
    if (auto entry = sample(open.get(), name)) probe.entries.push_back(*std::move(entry));
  }
  return probe;
}

Result<std::string> find_root(const FleetRoot& root, const RootMap& map) {
  const auto mapped = map.find(root.name);
  std::string path = mapped == map.end() ? root.path : mapped->second;
  const OpenFolder open(::opendir(path.c_str()));
  if (!open) return not_the_same(root, path, system_text(errno));
  LET(const std::uint64_t inode, inode_of(open.get(), path));
  if (inode != root.probe.inode) {
    return not_the_same(root, path,
                        fmt::format("it has the inode {}, not {}", inode, root.probe.inode));
  }
  std::size_t differing = 0;
  std::string first;
  for (const SampledEntry& theirs : root.probe.entries) {
    std::string what = difference(theirs, open.get());
    if (!what.empty() && ++differing == 1) first = std::move(what);
  }
  if (2 * differing > root.probe.entries.size()) {
    return not_the_same(
        root, path,
        fmt::format("{} of {} differ, {}", differing,
                    text::counted(root.probe.entries.size(), "entry", "entries"), first));
  }
  return path;
}

}  // namespace tidemill::fleet
