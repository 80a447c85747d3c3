#include "tidemill/jobs/dupes/scan/file_list.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstdlib>
#include <iterator>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "tidemill/base/descriptor.h"
#include "tidemill/base/system_text.h"
#include "tidemill/base/try.h"
#include "tidemill/io/walk/filter/sieve.h"
#include "tidemill/io/walk/name_list.h"
#include "tidemill/state/catalogue/catalogue.h"

namespace tidemill::dupes {
namespace {

constexpr std::size_t kShownOfLongNames = 200;
constexpr std::size_t kNamesBetweenLooks = 1000;

struct ListedFolder {
  std::string path{};  // as in the list; empty: the current folder
  std::string real{};  // without symlinks; empty: not known
  std::vector<std::string> names{};
};

std::unexpected<Failure> list_stopped() { return fail(Cure::resume, "scan", "stopped"); }

Descriptor open_folder(const std::string& path) {
  return Descriptor(::open(path.empty() ? "." : path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
}

std::string joined(const std::string& folder, std::string_view name) {
  if (folder.empty()) return std::string(name);
  std::string path = folder.ends_with('/') ? folder : folder + "/";
  return path.append(name);
}

std::string real_folder(const std::string& path) {
  // NOLINTNEXTLINE(cppcoreguidelines-no-malloc): realpath's own memory
  const std::unique_ptr<char, decltype(&std::free)> real(
      ::realpath(path.empty() ? "." : path.c_str(), nullptr), &std::free);
  return real == nullptr ? std::string() : std::string(real.get());
}

// One thread, for one call.
class ListSweeper {
 public:
  ListSweeper(const ListContext& context, walk::Sieve sieve)
      : context_(context), options_(context.options), sieve_(std::move(sieve)) {}

  Result<void> read(const std::stop_token& stop) {
    const std::string& path = options_.files_from;
    const bool is_standard = path == "-";
    const Descriptor file(is_standard ? -1 : ::open(path.c_str(), O_RDONLY | O_CLOEXEC));
    if (!is_standard && !file.is_open()) return fail(Cure::give_up, path, system_text(errno));
    const auto end = options_.is_nul_separated ? walk::NameEnd::nul : walk::NameEnd::newline;
    LET(auto names, walk::NameList::open(is_standard ? STDIN_FILENO : file.number(), end));
    for (;;) {
      LET(const auto name, names.next(stop));
      if (!name) return {};
      take(*name);
    }
  }

  // Applies the patterns before any file is examined, then merges folders that have the same inode.
  Result<void> choose(const std::stop_token& stop) {
    std::map<std::pair<std::uint64_t, std::uint64_t>, std::size_t> known;
    for (auto& [path, _, names] : listed_) {
      if (stop.stop_requested()) return list_stopped();
      keep_wanted(path, names);
      if (names.empty()) continue;
      const Descriptor folder = open_folder(path);
      struct stat seen{};
      if (!folder.is_open() || ::fstat(folder.number(), &seen) != 0) {
        const int error = errno;
        sort_and_drop_repeated(names);
        for (const std::string& name : names) note_failure(joined(path, name), error);
        continue;
      }
      const auto [at, is_new] = known.try_emplace({seen.st_dev, seen.st_ino}, folders_.size());
      if (is_new) {
        folders_.push_back({.path = path, .real = real_folder(path), .names = std::move(names)});
      } else {
        std::ranges::move(names, std::back_inserter(folders_[at->second].names));
      }
    }
    listed_ = {};
    places_ = {};
    return {};
  }

  Result<ListSweep> tell(const std::stop_token& stop) {
    LET(const auto keys, keys_of_folders());
    for (std::size_t i = 0; i < folders_.size(); ++i) {
      ListedFolder& folder = folders_[i];
      sort_and_drop_repeated(folder.names);
      const walk::FolderId id = context_.tree.add_root(folder.path);
      sweep_.roots.push_back({.folder = id, .path = folder.path});
      if (keys[i] != 0) context_.keys.set(id, keys[i]);
      TRY(tell(folder, id, stop));
      if (!sweep_.report.is_complete) break;
      folder.names = {};
    }
    return std::move(sweep_);
  }

 private:
  void take(std::string_view name) {
    constexpr std::string_view kHint = "if the names in the list end with a NUL byte, add -0";
    if (name.empty()) return refuse("", "an empty name", "");
    if (name.size() >= PATH_MAX) {
      return refuse(name.substr(0, kShownOfLongNames),
                    "a name of " + std::to_string(name.size()) + " bytes is too long for a path",
                    kHint);
    }
    if (name.contains('\0')) return refuse(name, "the name contains a NUL byte", kHint);
    const std::size_t slash = name.rfind('/');
    if (slash == name.size() - 1) return take_folder(std::string(name));
    const bool is_bare = slash == std::string_view::npos;
    std::string folder(is_bare ? std::string_view() : name.substr(0, slash + 1));
    while (folder.size() > 1 && folder.ends_with('/')) folder.pop_back();
    const auto [at, is_new] = places_.try_emplace(folder, listed_.size());
    if (is_new) listed_.push_back({.path = std::move(folder)});
    listed_[at->second].names.emplace_back(is_bare ? name : name.substr(slash + 1));
  }

  // A name that ends with a slash can only be a folder.
  void take_folder(const std::string& name) {
    struct stat seen{};
    if (::stat(name.c_str(), &seen) != 0) return note_failure(name, errno);
    ++sweep_.report.others;
  }

  void refuse(std::string_view name, std::string reason, std::string_view hint) {
    ++sweep_.report.failures;
    context_.failures.add(std::string(name), {.cure = Cure::give_up,
                                              .step = "name",
                                              .reason = std::move(reason),
                                              .hint = std::string(hint)});
  }

  void note_failure(const std::string& path, int error) {
    ++sweep_.report.failures;
    const bool is_gone = error == ENOENT || error == ENOTDIR;
    context_.failures.add(path, {.cure = Cure::give_up,
                                 .kind = is_gone ? FailureKind::not_found : FailureKind::unreadable,
                                 .step = "stat",
                                 .reason = system_text(error)});
  }

  static void sort_and_drop_repeated(std::vector<std::string>& names) {
    std::ranges::sort(names);
    const auto repeated = std::ranges::unique(names);
    names.erase(repeated.begin(), repeated.end());
  }

  [[nodiscard]] bool is_hidden(std::string_view part) const {
    return options_.no_hidden && part.starts_with('.');
  }

  // The path of the folder without the components "", "." and "..", with a slash at its end;
  // nullopt: a component is excluded.
  [[nodiscard]] std::optional<std::string> way_to(std::string_view path) const {
    std::string way;
    while (!path.empty()) {
      const std::size_t slash = std::min(path.find('/'), path.size());
      const std::string_view part = path.substr(0, slash);
      path.remove_prefix(std::min(slash + 1, path.size()));
      if (part.empty() || part == "." || part == "..") continue;
      way += part;
      if (is_hidden(part) || !sieve_.enters_folder(way, part)) return std::nullopt;
      way += '/';
    }
    return way;
  }

  void keep_wanted(const std::string& path, std::vector<std::string>& names) {
    if (options_.globs.empty() && options_.excludes.empty() && !options_.no_hidden) return;
    const auto way = way_to(path);
    const auto is_unwanted = [&](const std::string& name) {
      return !way || is_hidden(name) || !sieve_.takes_file(*way + name, name);
    };
    sort_and_drop_repeated(names);
    sweep_.report.left_out += std::erase_if(names, is_unwanted);
  }

  Result<std::vector<catalogue::FolderKey>> keys_of_folders() {
    std::vector<std::string> paths;
    paths.reserve(folders_.size());
    for (ListedFolder& folder : folders_) paths.push_back(std::move(folder.real));
    const bool has_catalogue = options_.has_catalogue && !options_.catalogue.empty() &&
                               ::access(options_.catalogue.c_str(), F_OK) == 0;
    if (!has_catalogue) return std::vector<catalogue::FolderKey>(paths.size());
    LET(auto source,
        catalogue::Catalogue::open(options_.catalogue, catalogue::Catalogue::Access::read));
    return source.folder_keys(paths);
  }

  Result<void> tell(const ListedFolder& folder, walk::FolderId id, const std::stop_token& stop) {
    const Descriptor opened = open_folder(folder.path);
    if (!opened.is_open()) {
      const int error = errno;
      for (const std::string& name : folder.names) note_failure(joined(folder.path, name), error);
      return {};
    }
    files_.clear();
    std::size_t count = 0;
    for (const std::string& name : folder.names) {
      if (++count % kNamesBetweenLooks == 0 && stop.stop_requested()) return list_stopped();
      look_at(opened.number(), folder, name);
    }
    if (stop.stop_requested()) return list_stopped();
    ++sweep_.report.folders;
    walk::SweptFolder swept{.id = id, .files = files_};
    if (!context_.collector.folder(swept)) sweep_.report.is_complete = false;
    return {};
  }

  void look_at(int opened, const ListedFolder& folder, const std::string& name) {
    struct statx seen{};
    const auto look = [&](int flags) {
      flags |= AT_NO_AUTOMOUNT;
      return ::statx(opened, name.c_str(), flags, STATX_BASIC_STATS, &seen) == 0 ? 0 : errno;
    };
    int error = look(AT_SYMLINK_NOFOLLOW);
    const bool is_link = error == 0 && S_ISLNK(seen.stx_mode) && options_.follow;
    if (is_link) error = look(0);
    if (error != 0) return note_failure(joined(folder.path, name), error);
    if (!S_ISREG(seen.stx_mode)) {
      ++sweep_.report.others;
      return;
    }
    walk::SweptFile file{.name = name,
                         .stamp = stamp_of(seen),
                         .blocks = seen.stx_blocks,
                         .links = seen.stx_nlink,
                         .is_link = is_link};
    const bool fits = file.stamp.size >= options_.least_size &&
                      file.stamp.size <= options_.most_size &&
                      (!options_.newer_than_ns || file.stamp.mtime_ns >= *options_.newer_than_ns) &&
                      (!options_.older_than_ns || file.stamp.mtime_ns <= *options_.older_than_ns);
    if (!fits) file.decision = walk::SweepDecision::left_out;
    ++(fits ? sweep_.report.files : sweep_.report.left_out);
    files_.push_back(file);
  }

  const ListContext& context_;
  const DupesOptions& options_;
  const walk::Sieve sieve_;
  std::unordered_map<std::string, std::size_t> places_{};  // in listed_, by folder as written
  std::vector<ListedFolder> listed_{};                     // in the order of the list
  std::vector<ListedFolder> folders_{};                    // each once
  std::vector<walk::SweptFile> files_{};                   // of one folder
  ListSweep sweep_{};
};

}  // namespace

Result<ListSweep> sweep_list(const ListContext& context, const std::stop_token& stop) {
  LET(auto sieve, walk::Sieve::compile(context.options.globs, context.options.excludes));
  ListSweeper sweeper(context, std::move(sieve));
  TRY(sweeper.read(stop));
  TRY(sweeper.choose(stop));
  return sweeper.tell(stop);
}

}  // namespace tidemill::dupes
