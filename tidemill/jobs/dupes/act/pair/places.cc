#include "tidemill/jobs/dupes/act/pair/places.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <string_view>

#include "tidemill/base/try.h"
#include "tidemill/io/walk/open_below.h"
#include "tidemill/io/walk/system_failure.h"

namespace tidemill::dupes {
namespace {

constexpr int kFolder = O_RDONLY | O_DIRECTORY | O_CLOEXEC;
constexpr int kWay = O_PATH | O_DIRECTORY | O_CLOEXEC;  // works without read permission
constexpr mode_t kNewFolder = 0700;                     // files from a private folder stay private

OpenFolder shared(Descriptor folder) {
  return std::make_shared<const Descriptor>(std::move(folder));
}

std::unexpected<Refusal> unopened(const Site& site, int error) {
  const std::string_view why = error == ELOOP || error == ENOTDIR
                                   ? "a part of the path is not a folder"
                               : error == ENOENT ? "the folder no longer exists"
                                                 : "";
  if (!why.empty()) return declined(std::string(why));
  return failed("cannot open the folder of " + site.path, error);
}

std::string key_of(const Site& site) {
  return site.path.substr(0, site.path.size() - site.name().size()) + '\0' + site.root();
}

// Removes the next component from the path and returns it; empty: there is none.
std::string_view take_part(std::string_view& way) {
  way.remove_prefix(std::min(way.find_first_not_of('/'), way.size()));
  const std::string_view part = way.substr(0, way.find('/'));
  way.remove_prefix(part.size());
  return part;
}

// The length of the path up to the end of `part`, which is a view into it.
std::size_t bytes_to(std::string_view part, std::string_view path) {
  return static_cast<std::size_t>(part.data() - path.data()) + part.size();
}

std::int64_t born_ns(const FileFacts& look) {
  constexpr std::int64_t kSecond = 1'000'000'000;
  return look.stx_btime.tv_sec * kSecond + look.stx_btime.tv_nsec;
}

}  // namespace

bool is_folder_of(const FileFacts& look, const MadeFolder& made) {
  const bool has_birth = (look.stx_mask & STATX_BTIME) != 0;
  return S_ISDIR(look.stx_mode) && has_birth && look.stx_ino == made.inode &&
         born_ns(look) == made.born_ns;
}

Result<PairPlaces> PairPlaces::from(const std::string& directory) {
  if (directory.empty()) return PairPlaces(Descriptor());
  Descriptor base(::open(directory.c_str(), kFolder));
  if (!base.is_open()) return std::unexpected(walk::failure_of(errno, "open", directory));
  return PairPlaces(std::move(base));
}

int PairPlaces::base() const { return base_.is_open() ? base_.number() : AT_FDCWD; }

Tried<Descriptor> PairPlaces::open(const Site& site) const {
  const std::string_view folder = site.folder();
  const std::string root = site.root_bytes == 0 ? "." : site.root();
  Descriptor opened(::openat(base(), root.c_str(), kFolder));
  if (!opened.is_open()) return unopened(site, errno);
  if (folder.empty()) return opened;
  auto below = walk::open_below(opened.number(), folder);
  if (below.error != 0) return unopened(site, below.error);
  return std::move(below.folder);
}

Tried<OpenFolder> PairPlaces::folder_of(const Site& site) {
  const std::string key = key_of(site);
  if (const auto known = known_.find(key); known != known_.end()) return known->second;
  auto opened = open(site);
  if (!opened && is_out_of_files(opened.error()) && !known_.empty()) {
    known_.clear();  // folders in use stay open
    opened = open(site);
  }
  if (!opened) return std::unexpected(std::move(opened).error());
  if (known_.size() >= kMost) known_.clear();
  return known_[key] = shared(*std::move(opened));
}

Descriptor PairPlaces::start(std::string_view path) const {
  return Descriptor(path.starts_with('/') ? ::open("/", kWay) : ::openat(base(), ".", kWay));
}

// Opens the path component by component, and creates missing folders. `way` is a view into the
// site's path.
Descriptor PairPlaces::make_way(Descriptor folder, std::string_view way, const Site& site,
                                int follow) {
  while (folder.is_open()) {
    const std::string_view part = take_part(way);
    if (part.empty()) break;
    const std::string name(part);
    const bool is_new = ::mkdirat(folder.number(), name.c_str(), kNewFolder) == 0;
    if (!is_new && errno != EEXIST) return {};
    const int how = kWay | (is_new ? O_NOFOLLOW : follow);
    folder = Descriptor(::openat(folder.number(), name.c_str(), how));
    if (is_new && folder.is_open()) note_made(folder, site, bytes_to(part, site.path));
  }
  return folder;
}

void PairPlaces::note_made(const Descriptor& folder, const Site& site, std::size_t bytes) {
  const auto look = look_at(folder.number());
  if (!look || (look->stx_mask & STATX_BTIME) == 0) return;
  made_.push_back({.path = site.path.substr(0, bytes),
                   .root_bytes = site.root_bytes,
                   .inode = look->stx_ino,
                   .born_ns = born_ns(*look)});
}

std::expected<Descriptor, int> PairPlaces::parent_of(const MadeFolder& made, Links links) const {
  const std::string_view path = made.path;
  std::string_view way = path.substr(0, path.rfind('/') + 1);
  Descriptor folder = start(path);
  while (folder.is_open()) {
    const std::string_view part = take_part(way);
    if (part.empty()) return folder;
    const bool is_of_root = bytes_to(part, path) <= made.root_bytes;
    const int follow = is_of_root && links == Links::followed ? 0 : O_NOFOLLOW;
    folder = Descriptor(::openat(folder.number(), std::string(part).c_str(), kWay | follow));
  }
  return std::unexpected(errno);
}

Tried<OpenFolder> PairPlaces::make(const Site& site, Links links) {
  const std::string root = site.root();
  const int follow = links == Links::refused ? O_NOFOLLOW : 0;
  const std::string_view way = std::string_view(site.path).substr(0, site.root_bytes);
  Descriptor opened = make_way(start(root), way, site, follow);
  const bool is_link = !opened.is_open() && (errno == ELOOP || errno == ENOTDIR);
  if (is_link && links == Links::refused) {
    return declined("a part of " + root +
                    " is a symlink, which root does not follow; use its real path");
  }
  if (opened.is_open()) opened = make_way(std::move(opened), site.folder(), site, O_NOFOLLOW);
  if (opened.is_open()) opened = Descriptor(::openat(opened.number(), ".", kFolder));
  if (!opened.is_open()) return failed("cannot create the folder of " + site.path, errno);
  return shared(std::move(opened));
}

Tried<OpenFolder> PairPlaces::made_folder_of(const Site& site, Links links) {
  if (links == Links::followed) {
    auto there = folder_of(site);
    if (there || is_out_of_files(there.error())) return there;
    return make(site, links);
  }
  const std::string key = key_of(site) + '\0';  // other entries may have followed a symlink
  if (const auto known = known_.find(key); known != known_.end()) return known->second;
  LET(OpenFolder made, make(site, links));
  if (known_.size() >= kMost) known_.clear();
  return known_[key] = std::move(made);
}

}  // namespace tidemill::dupes
