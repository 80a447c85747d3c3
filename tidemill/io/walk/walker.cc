#include "tidemill/io/walk/walker.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <memory>
#include <optional>
#include <utility>

#include "tidemill/base/try.h"
#include "tidemill/io/walk/filter/ignore.h"
#include "tidemill/io/walk/filter/sieve.h"
#include "tidemill/io/walk/listing.h"
#include "tidemill/io/walk/open_folders.h"
#include "tidemill/io/walk/system_failure.h"

namespace tidemill::walk {
namespace {

constexpr std::size_t kEntriesBetweenLooks = 1000;

std::vector<std::string_view> components_of(std::string_view path) {
  std::vector<std::string_view> parts;
  while (!path.empty()) {
    const std::size_t end = path.find('/');
    parts.push_back(path.substr(0, end));
    path.remove_prefix(end == std::string_view::npos ? path.size() : end + 1);
  }
  return parts;
}

EntryKind kind_of(const struct stat& status) {
  if (S_ISREG(status.st_mode)) return EntryKind::file;
  return S_ISDIR(status.st_mode) ? EntryKind::folder : EntryKind::other;
}

// One folder between the root and the current position.
struct Frame {
  Listing listing;
  std::size_t next = 0;
  std::size_t path_size = 0;  // of the folder's path with its '/'
  bool leads_to_after = false;
  std::shared_ptr<const IgnoreRules> rules{};  // of the folder and those above it; may be null
};

// One walk. One thread.
class Walk {
 public:
  Walk(const std::string& root, const WalkOptions& options, const Sieve& sieve,
       const std::stop_token& stop, const OnFile& on_file, const OnFailure& on_failure)
      : options_(options),
        sieve_(sieve),
        stop_(stop),
        on_file_(on_file),
        on_failure_(on_failure),
        path_(root.ends_with('/') ? root : root + '/'),
        root_size_(path_.size()) {}

  static std::unexpected<Failure> cannot_open(int error, const std::string& root) {
    Failure failure = failure_of(error, "open", root);
    failure.kind = FailureKind::unreadable;
    return std::unexpected(std::move(failure));
  }

  Result<WalkReport> run(const std::string& root, std::string_view after) {
    if (!after.empty() && after != root && !after.starts_with(path_)) {
      return fail(Cure::give_up, "resume", std::string(after) + " is not in " + root);
    }
    struct stat status{};
    if (::stat(root.c_str(), &status) != 0) {
      return cannot_open(errno, root);
    }
    if (!S_ISDIR(status.st_mode)) return report_lone_file(root, status, after == root);
    if (const int error = folders_.open_root(root); error != 0) {
      return cannot_open(error, root);
    }
    if (after.size() > root_size_) after_ = components_of(after.substr(root_size_));
    descend(!after_.empty());
    while (!frames_.empty() && goes_on_) {
      if (frames_.back().next < frames_.back().listing.size()) {
        step();
      } else {
        frames_.pop_back();
        folders_.pop();
      }
    }
    return report_;
  }

 private:
  WalkReport report_lone_file(const std::string& root, const struct stat& status, bool is_behind) {
    if (kind_of(status) == EntryKind::other) {
      ++report_.others;
    } else if (!is_behind) {
      report_file(root, options_.sizes ? stamp_of(status) : FileStamp{});
    }
    return report_;
  }

  // Lists the deepest open folder, whose path with a '/' is path_.
  void descend(bool leads_to_after) {
    look_at_token();
    if (!goes_on_) return;
    Listing::Reading reading = Listing::read(folders_.descriptor(), stop_);
    if (reading.error != 0) return give_up_folder("list", reading.error);
    look_at_token();
    if (!goes_on_) return;  // the listing may be incomplete
    FoundRules found = find_rules(reading.listing);
    if (found.error != 0) return give_up_folder("ignore", found.error);
    ++report_.folders;
    Frame frame{.listing = std::move(reading.listing),
                .path_size = path_.size(),
                .leads_to_after = leads_to_after,
                .rules = std::move(found.rules)};
    if (leads_to_after) frame.next = frame.listing.first_from(after_[frames_.size()]);
    frames_.push_back(std::move(frame));
  }

  void give_up_folder(std::string_view step, int error) {
    folders_.pop();
    if (path_.size() > root_size_) path_.pop_back();
    report_failure(step, error);
  }

  // The rules of the folder that was just listed.
  FoundRules find_rules(const Listing& listing) const {
    auto above = frames_.empty() ? nullptr : frames_.back().rules;
    const auto is_there = [&](const std::string& name) {
      const std::size_t i = listing.first_from(name);
      return i < listing.size() && listing.name(i) == name &&
             (listing.kind(i) == EntryKind::file || listing.kind(i) == EntryKind::unknown);
    };
    const auto& names = options_.ignore_files;
    if (std::ranges::none_of(names, is_there)) return {.rules = std::move(above)};
    std::string_view folder = below_root();
    if (!folder.empty()) folder.remove_suffix(1);
    return read_rules(folders_.descriptor(), folder, names, std::move(above));
  }

  [[nodiscard]] bool is_ignored(std::string_view name, bool is_folder) const {
    const IgnoreRules* rules = frames_.back().rules.get();
    return rules != nullptr && rules->ignores(below_root(), name, is_folder);
  }

  // Handles the next entry of the deepest folder.
  void step() {
    if (++steps_ % kEntriesBetweenLooks == 0) look_at_token();
    if (!goes_on_) return;
    Frame& frame = frames_.back();
    const std::size_t i = frame.next++;
    const std::string_view name = frame.listing.name(i);
    const bool is_on_after = frame.leads_to_after && name == after_[frames_.size() - 1];
    const bool is_after_itself = is_on_after && frames_.size() == after_.size();
    if (!options_.hidden && name.starts_with('.')) {
      ++report_.left_out;
      return;
    }
    path_.resize(frame.path_size);
    path_ += name;
    const EntryKind kind = frame.listing.kind(i);
    if (kind != EntryKind::unknown) return take(kind, name, is_on_after, is_after_itself);
    if (const auto status = look_at(name)) {
      take(kind_of(*status), name, is_on_after, is_after_itself);
    }
  }

  // `is_on_after`: the entry is a component of `after`. A file there comes before `after` or is
  // `after` itself; a folder may contain later files, even one that has replaced the file `after`.
  void take(EntryKind kind, std::string_view name, bool is_on_after, bool is_after_itself) {
    if (kind == EntryKind::folder) {
      enter(name, is_on_after && !is_after_itself);
    } else if (!is_on_after) {
      if (kind == EntryKind::file) take_file(name);
      if (kind == EntryKind::other) ++report_.others;
    }
  }

  void enter(std::string_view name, bool leads_to_after) {
    if (!sieve_.enters_folder(below_root(), name) || is_ignored(name, true)) {
      ++report_.left_out;
      return;
    }
    if (const int error = folders_.push(name); error != 0) return report_failure("open", error);
    path_ += '/';
    descend(leads_to_after);
  }

  void take_file(std::string_view name) {
    if (!sieve_.takes_file(below_root(), name) || is_ignored(name, false)) {
      ++report_.left_out;
      return;
    }
    if (!options_.sizes) return report_file(path_, {});
    const auto status = look_at(name);
    if (!status) return;
    if (!S_ISREG(status->st_mode)) {  // replaced since the folder was listed
      ++report_.others;
      return;
    }
    report_file(path_, stamp_of(*status));
  }

  void report_file(std::string_view path, const FileStamp& stamp) {
    ++report_.files;
    if (on_file_({.path = path, .size = stamp.size, .stamp = stamp})) return;
    goes_on_ = false;
    report_.end = WalkEnd::told;
  }

  std::optional<struct stat> look_at(std::string_view name) {
    struct stat status{};
    int error = folders_.wake();
    // The names of a Listing are NUL-terminated.
    if (error == 0 &&
        ::fstatat(folders_.descriptor(), name.data(), &status, AT_SYMLINK_NOFOLLOW) != 0) {
      error = errno;
    }
    if (error == 0) return status;
    report_failure("stat", error);
    return std::nullopt;
  }

  void report_failure(std::string_view step, int error) {
    ++report_.failures;
    const std::string_view path = path_;
    on_failure_(path, failure_of(error, step, path));
  }

  void look_at_token() {
    if (!goes_on_ || !stop_.stop_requested()) return;
    goes_on_ = false;
    report_.end = WalkEnd::stopped;
  }

  std::string_view below_root() const { return std::string_view(path_).substr(root_size_); }

  const WalkOptions& options_;
  const Sieve& sieve_;
  const std::stop_token& stop_;
  const OnFile& on_file_;
  const OnFailure& on_failure_;

  std::string path_;  // of the current entry
  std::size_t root_size_;
  std::vector<std::string_view> after_;  // its components below the root
  std::vector<Frame> frames_;            // one for each level of folders_
  OpenFolders folders_;
  WalkReport report_;
  std::size_t steps_ = 0;
  bool goes_on_ = true;
};

}  // namespace

Result<WalkReport> walk(const std::string& root, const WalkOptions& options, std::string_view after,
                        const std::stop_token& stop, const OnFile& on_file,
                        const OnFailure& on_failure) {
  LET(const Sieve sieve, Sieve::compile(options.globs, options.excludes));
  return Walk(root, options, sieve, stop, on_file, on_failure).run(root, after);
}

}  // namespace tidemill::walk
