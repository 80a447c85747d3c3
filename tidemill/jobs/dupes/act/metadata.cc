#include "tidemill/jobs/dupes/act/metadata.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <string_view>

#include "tidemill/base/file_stamp.h"
#include "tidemill/base/try.h"
#include "tidemill/io/walk/system_failure.h"

namespace tidemill::dupes {
namespace {

constexpr mode_t kPermissions = 07777;
constexpr mode_t kPrivileges = S_ISUID | S_ISGID;
constexpr std::string_view kCapability = "security.capability";
constexpr std::string_view kAcl = "system.posix_acl_access";
constexpr std::int64_t kSecond = 1'000'000'000;

Failure failure_here(std::string_view what) { return walk::failure_of(errno, "metadata", what); }

// Queries the size and then the bytes; repeats if they have grown meanwhile. nullopt: the attribute
// has vanished.
template <class Ask>
Result<std::optional<std::string>> bytes_of(Ask ask, std::string_view what) {
  for (;;) {
    const ssize_t size = ask(nullptr, 0);
    if (size < 0 && errno == ENODATA) return std::nullopt;
    if (size < 0) return std::unexpected(failure_here(what));
    std::string bytes(static_cast<std::size_t>(size), '\0');
    if (size == 0) return bytes;
    const ssize_t got = ask(bytes.data(), bytes.size());
    if (got < 0 && errno == ERANGE) continue;
    if (got < 0 && errno == ENODATA) return std::nullopt;
    if (got < 0) return std::unexpected(failure_here(what));
    bytes.resize(static_cast<std::size_t>(got));
    return bytes;
  }
}

Result<void> read_xattrs(int file, Metadata& metadata) {
  auto names = bytes_of([&](char* to, std::size_t size) { return ::flistxattr(file, to, size); },
                        "the names of attributes");
  if (!names && (errno == ENOTSUP || errno == ENOSYS)) return {};
  if (!names) return std::unexpected(std::move(names).error());
  const std::string list = names->value_or("");
  for (std::size_t at = 0; at < list.size();) {
    const std::string name(list.c_str() + at);
    at += name.size() + 1;
    LET(auto value,
        bytes_of(
            [&](char* to, std::size_t size) { return ::fgetxattr(file, name.c_str(), to, size); },
            name));
    if (value) metadata.xattrs.emplace_back(name, *std::move(value));
  }
  std::sort(metadata.xattrs.begin(), metadata.xattrs.end());
  return {};
}

// The first attribute of `one` that `other` does not have with the same value.
std::string differing_xattr(const Metadata& one, const Metadata& other) {
  for (const auto& attribute : one.xattrs) {
    if (!std::binary_search(other.xattrs.begin(), other.xattrs.end(), attribute)) {
      return attribute.first;
    }
  }
  return {};
}

}  // namespace

Result<Metadata> metadata_of(int file) {
  struct stat seen{};
  if (::fstat(file, &seen) != 0) return std::unexpected(failure_here("fstat"));
  Metadata metadata{.mode = seen.st_mode & kPermissions,
                    .user = seen.st_uid,
                    .group = seen.st_gid,
                    .mtime_ns = stamp_of(seen).mtime_ns};
  TRY(read_xattrs(file, metadata));
  return metadata;
}

std::optional<std::string> difference(const Metadata& kept, const Metadata& duplicate,
                                      const Lenience& lenience) {
  if (!lenience.owner && (kept.user != duplicate.user || kept.group != duplicate.group)) {
    return "the owner differs";
  }
  if (!lenience.mode && kept.mode != duplicate.mode) return "the mode differs";
  if (!lenience.mtime && kept.mtime_ns != duplicate.mtime_ns) {
    return "the modification time differs";
  }
  if (!lenience.xattrs && kept.xattrs != duplicate.xattrs) {
    std::string name = differing_xattr(duplicate, kept);
    if (name.empty()) name = differing_xattr(kept, duplicate);
    return "the extended attribute " + name + " differs";
  }
  return {};
}

namespace {

using Xattr = std::pair<std::string, std::string>;

std::optional<std::string> xattr_of(const Metadata& metadata, std::string_view name) {
  const auto at = std::ranges::find(metadata.xattrs, name, &Xattr::first);
  if (at == metadata.xattrs.end()) return {};
  return at->second;
}

}  // namespace

std::string root_needs(std::string_view difference) {
  return " (root needs --ignore-difference " + std::string(difference) + ")";
}

std::string_view root_needed(std::string_view reason) {
  constexpr std::array<std::string_view, 5> kAll = {"mtime", "mode", "owner", "xattrs", "folder"};
  const auto* const found = std::ranges::find_if(kAll, [&](std::string_view difference) {
    return reason.ends_with(root_needs(difference));  // failure text: a row of the journal
  });
  return found == kAll.end() ? std::string_view() : *found;
}

std::optional<std::string> difference_in_access(const Metadata& kept, const Metadata& duplicate,
                                                const Lenience& lenience) {
  const auto reason = [](std::string_view what, std::string_view flag) {
    return "the " + std::string(what) + " differs" + root_needs(flag);
  };
  if (!lenience.owner && kept.user != duplicate.user) return reason("owner", "owner");
  if (!lenience.owner && kept.group != duplicate.group) return reason("group", "owner");
  if (!lenience.mode && kept.mode != duplicate.mode) return reason("mode", "mode");
  if (!lenience.xattrs && xattr_of(kept, kAcl) != xattr_of(duplicate, kAcl)) {
    return reason("ACL", "xattrs");
  }
  return {};
}

bool has_privileges(const Metadata& metadata) {
  return (metadata.mode & kPrivileges) != 0 || xattr_of(metadata, kCapability).has_value();
}

Metadata without_privileges(Metadata metadata) {
  metadata.mode &= ~kPrivileges;
  std::erase_if(metadata.xattrs, [](const Xattr& each) { return each.first == kCapability; });
  return metadata;
}

namespace {

// Removes attributes that a new file inherits from its folder, for example from a default ACL.
Result<void> remove_others(int file, const Metadata& metadata) {
  Metadata now;
  TRY(read_xattrs(file, now));
  for (const auto& [name, value] : now.xattrs) {
    const bool is_wanted =
        std::ranges::find(metadata.xattrs, name, &std::pair<std::string, std::string>::first) !=
        metadata.xattrs.end();
    if (!is_wanted && ::fremovexattr(file, name.c_str()) != 0) {
      return std::unexpected(failure_here("the extended attribute " + name));
    }
  }
  return {};
}

// The kernel drops some settings without an error, for example a set-group-id bit for a group that
// is not ours. The time is not compared: another file system may store it with less precision.
Result<void> expect_given(int file, const Metadata& wanted) {
  LET(Metadata now, metadata_of(file));
  now.mtime_ns = wanted.mtime_ns;
  if (now == wanted) return {};
  errno = EPERM;
  const auto lost = difference(now, wanted, {});
  const bool is_mode = now.mode != wanted.mode;
  return std::unexpected(failure_here(is_mode ? "the mode" : lost.value_or("it")));
}

}  // namespace

// The owner first: changing it clears set-user-id bits and capabilities. The attributes before the
// mode: only root may set one on a read-only file. The time last.
Result<void> give_metadata(int file, const Metadata& metadata) {
  struct stat seen{};
  if (::fstat(file, &seen) != 0) return std::unexpected(failure_here("fstat"));
  const bool is_owned = seen.st_uid == metadata.user && seen.st_gid == metadata.group;
  if (!is_owned && ::fchown(file, metadata.user, metadata.group) != 0) {
    return std::unexpected(failure_here(seen.st_uid == metadata.user ? "the group" : "the owner"));
  }
  TRY(remove_others(file, metadata));
  for (const auto& [name, value] : metadata.xattrs) {
    if (::fsetxattr(file, name.c_str(), value.data(), value.size(), 0) != 0) {
      return std::unexpected(failure_here("the extended attribute " + name));
    }
  }
  if (::fchmod(file, metadata.mode) != 0) return std::unexpected(failure_here("the mode"));
  const std::int64_t rest = ((metadata.mtime_ns % kSecond) + kSecond) % kSecond;
  const timespec times[2] = {{.tv_sec = 0, .tv_nsec = UTIME_OMIT},
                             {.tv_sec = (metadata.mtime_ns - rest) / kSecond, .tv_nsec = rest}};
  if (::futimens(file, times) != 0) return std::unexpected(failure_here("the time"));
  return expect_given(file, metadata);
}

}  // namespace tidemill::dupes
