#include "tidemill/jobs/dupes/pair_places.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <string_view>

#include "tidemill/base/try.h"
#include "tidemill/walk/open_below.h"
#include "tidemill/walk/system_failure.h"

namespace tidemill::dupes {
namespace {

constexpr int kFolder = O_RDONLY | O_DIRECTORY | O_CLOEXEC;
constexpr mode_t kNewFolder = 0700;  // what lay in a private folder stays private

OpenFolder shared(Descriptor folder) {
  return std::make_shared<const Descriptor>(std::move(folder));
}

std::unexpected<Refusal> unopened(const Site& site, int error) {
  const std::string_view why = error == ELOOP || error == ENOTDIR ? "a part of the way is no folder"
                               : error == ENOENT                  ? "the folder has vanished"
                                                                  : "";
  if (!why.empty()) return declined(std::string(why));
  return failed("open the folder of " + site.path, error);
}

std::string key_of(const Site& site) {
  return site.path.substr(0, site.path.size() - site.name().size()) + '\0' + site.root();
}

// Each part in the one before it, made when it is missing.
Descriptor make_way(Descriptor folder, std::string_view way, int follow) {
  while (!way.empty() && folder.is_open()) {
    const std::string part(way.substr(0, way.find('/')));
    way.remove_prefix(std::min(part.size() + 1, way.size()));
    if (part.empty()) continue;
    if (::mkdirat(folder.number(), part.c_str(), kNewFolder) != 0 && errno != EEXIST) return {};
    folder = Descriptor(::openat(folder.number(), part.c_str(), kFolder | follow));
  }
  return folder;
}

}  // namespace

Result<Places> Places::from(const std::string& directory) {
  if (directory.empty()) return Places(Descriptor());
  Descriptor base(::open(directory.c_str(), kFolder));
  if (!base.is_open()) return std::unexpected(walk::failure_of(errno, "open", directory));
  return Places(std::move(base));
}

int Places::base() const { return base_.is_open() ? base_.number() : AT_FDCWD; }

Tried<Descriptor> Places::open(const Site& site) const {
  const std::string_view folder = site.folder();
  const std::string root = site.root_bytes == 0 ? "." : site.root();
  Descriptor opened(::openat(base(), root.c_str(), kFolder));
  if (!opened.is_open()) return unopened(site, errno);
  if (folder.empty()) return opened;
  auto below = walk::open_below(opened.number(), folder);
  if (below.error != 0) return unopened(site, below.error);
  return std::move(below.folder);
}

Tried<OpenFolder> Places::folder_of(const Site& site) {
  const std::string key = key_of(site);
  if (const auto known = known_.find(key); known != known_.end()) return known->second;
  auto opened = open(site);
  if (!opened && is_out_of_files(opened.error()) && !known_.empty()) {
    known_.clear();  // those that are in use stay open
    opened = open(site);
  }
  if (!opened) return std::unexpected(std::move(opened).error());
  if (known_.size() >= kMost) known_.clear();
  return known_[key] = shared(*std::move(opened));
}

Tried<OpenFolder> Places::make(const Site& site, Links links) const {
  const std::string root = site.root();
  const int follow = links == Links::refused ? O_NOFOLLOW : 0;
  Descriptor start(root.starts_with('/') ? ::open("/", kFolder) : ::openat(base(), ".", kFolder));
  Descriptor opened = make_way(std::move(start), root, follow);
  const bool is_link = !opened.is_open() && (errno == ELOOP || errno == ENOTDIR);
  if (is_link && links == Links::refused) {
    return declined("a part of " + root +
                    " is a symlink, which root does not follow: give its real path");
  }
  if (opened.is_open()) opened = make_way(std::move(opened), site.folder(), O_NOFOLLOW);
  if (!opened.is_open()) return failed("make the folder of " + site.path, errno);
  return shared(std::move(opened));
}

Tried<OpenFolder> Places::made_folder_of(const Site& site, Links links) {
  if (links == Links::followed) {
    auto there = folder_of(site);
    if (there || is_out_of_files(there.error())) return there;
    return make(site, links);
  }
  const std::string key = key_of(site) + '\0';  // others may have been opened through a link
  if (const auto known = known_.find(key); known != known_.end()) return known->second;
  LET(OpenFolder made, make(site, links));
  if (known_.size() >= kMost) known_.clear();
  return known_[key] = std::move(made);
}

}  // namespace tidemill::dupes
