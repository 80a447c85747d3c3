#include "tidemill/jobs/import/read/sources.h"

#include <sys/stat.h>

#include <cerrno>
#include <filesystem>
#include <system_error>
#include <unordered_set>
#include <utility>

#include "tidemill/base/system_text.h"
#include "tidemill/base/try.h"
#include "tidemill/io/walk/walker.h"
#include "tidemill/jobs/tasks/names.h"

namespace tidemill::import {
namespace {

// One thread.
class SourceFinder {
 public:
  explicit SourceFinder(const ImportOptions& options) : options_(options) {}

  Result<void> find(const std::string& source, const std::stop_token& stop) {
    struct stat seen{};
    if (source == "-") {
      add(source, 0, false);
    } else if (::stat(source.c_str(), &seen) != 0) {
      // A source on the command line must exist: a disk that is not mounted must not look empty.
      return fail(Cure::give_up, source, system_text(errno));
    } else if (S_ISDIR(seen.st_mode)) {
      return walk_folder(source, stop);
    } else {
      add(source, static_cast<std::uint64_t>(seen.st_size), S_ISREG(seen.st_mode));
    }
    return {};
  }

  // A listed name that does not exist is a failure of that file alone.
  void find_listed(std::string path) {
    if (path == "-") path = "./-";
    struct stat seen{};
    if (::stat(path.c_str(), &seen) != 0) return fail_listed(path, system_text(errno));
    if (S_ISDIR(seen.st_mode)) return fail_listed(path, "is a folder");
    add(path, static_cast<std::uint64_t>(seen.st_size), S_ISREG(seen.st_mode));
  }

  Result<void> find_all(const jobs::ListSource& list, const std::stop_token& stop) {
    TRY(jobs::check(list));
    return jobs::each_name(jobs::names_of(list), {}, stop, [&](jobs::TaskName&& name) {
      if (name.failure) {
        found.failures.push_back({std::move(name.subject), *std::move(name.failure)});
      } else {
        find_listed(std::move(name.subject));
      }
      return true;
    });
  }

  SourceList found{};

 private:
  void fail_listed(const std::string& path, std::string reason) {
    found.failures.push_back(
        {path, Failure{.cure = Cure::give_up, .step = "open", .reason = std::move(reason)}});
  }

  void add(const std::string& path, std::uint64_t size, bool is_regular) {
    std::string name = absolute_name(path);
    if (!names_.insert(name).second) return;
    found.files.push_back({.number = found.files.size(),
                           .path = path,
                           .name = std::move(name),
                           .size = is_regular ? size : 0,
                           .can_restart = is_regular});
  }

  Result<void> walk_folder(const std::string& folder, const std::stop_token& stop) {
    const walk::WalkOptions wanted{.globs = globs_of(options_),
                                   .excludes = options_.excludes,
                                   .hidden = options_.hidden,
                                   .sizes = true};
    LET(const walk::WalkReport report, walk::walk(
                                           folder, wanted, {}, stop,
                                           [&](const walk::FoundFile& file) {
                                             add(std::string(file.path), file.size, true);
                                             return true;
                                           },
                                           [&](std::string_view path, const Failure& failure) {
                                             found.failures.push_back({std::string(path), failure});
                                           }));
    if (report.end == walk::WalkEnd::stopped) return fail(Cure::resume, "walk", "stopped");
    return {};
  }

  const ImportOptions& options_;
  std::unordered_set<std::string> names_;
};

}  // namespace

std::string text_of(const SourceFailure& failed) {
  std::string_view reason = failed.failure.reason;
  // failure text: one that names the file would name it twice in a line
  if (reason.starts_with(failed.path + ": ")) reason.remove_prefix(failed.path.size() + 2);
  return failed.path + ": " + failed.failure.step + ": " + std::string(reason);
}

std::string absolute_name(const std::string& path) {
  if (path == "-") return path;
  std::error_code wrong;
  const auto absolute = std::filesystem::absolute(path, wrong);
  std::string name = wrong ? path : absolute.lexically_normal().string();
  if (name.size() > 1 && name.ends_with('/')) name.pop_back();
  return name;
}

std::vector<std::string> globs_of(const ImportOptions& options) {
  if (!options.globs.empty()) return options.globs;
  std::vector<std::string> globs;
  for (const char* format : {"*.jsonl", "*.ndjson"}) {
    for (const char* packing : {"", ".gz", ".zst"}) globs.push_back(std::string(format) + packing);
  }
  return globs;
}

Result<SourceList> find_sources(const ImportOptions& options, const std::stop_token& stop) {
  SourceFinder finder(options);
  if (options.list.is_given()) TRY(finder.find_all(options.list, stop));
  for (const std::string& source : options.sources) TRY(finder.find(source, stop));
  if (!finder.found.files.empty()) return std::move(finder.found);
  if (finder.found.failures.empty()) {
    return fail(Cure::give_up, FailureKind::no_match, "nothing found", "no file to import");
  }
  return fail(Cure::give_up, "read",
              "no file or folder could be read; first: " + text_of(finder.found.failures.front()));
}

}  // namespace tidemill::import
