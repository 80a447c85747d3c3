// The walking thread of the pipeline: puts the files of the roots and the retried dead letters on
// the belt.
#include <fcntl.h>
#include <sys/stat.h>

#include <climits>
#include <optional>
#include <utility>

#include "tidemill/base/try.h"
#include "tidemill/io/walk/walker.h"
#include "tidemill/jobs/batch/cut/batch_pipeline.h"
#include "tidemill/jobs/batch/send/stopped.h"
#include "tidemill/jobs/tasks/names.h"

namespace tidemill::batch {
namespace {

walk::WalkOptions walk_options(const BatchOptions& options) {
  walk::WalkOptions how{.globs = options.globs,
                        .excludes = options.excludes,
                        .hidden = options.hidden,
                        .sizes = true};
  if (options.gitignore) {  // ignore files do not list .git itself: git skips it anyway
    how.ignore_files = {".gitignore", ".ignore"};
    how.excludes.emplace_back(".git/");
  }
  return how;
}

// The size that counts towards the belt's limit; 0 if the file is gone.
std::uint64_t size_of(const BatchRoot& root, const std::string& path,
                      int flags = AT_SYMLINK_NOFOLLOW) {
  struct stat seen{};
  const bool is_there = ::fstatat(root.folder.number(), path.c_str(), &seen, flags) == 0;
  return is_there ? static_cast<std::uint64_t>(seen.st_size) : 0;
}

// A slash and a name that sorts after every name a folder may hold.
const std::string kBehindAll = "/" + std::string(NAME_MAX, '\xff');

}  // namespace

bool BatchPipeline::put(Item item) {
  if (!item.is_again && !item.is_folder) bytes_found_.fetch_add(item.size);
  found_.fetch_add(1);
  const std::uint64_t held = work_.options.is_inline ? item.size : 0;
  return belt_.put(std::move(item), {sizeof(Item) + held});
}

// The path relative to the root; for a folder without the trailing slash.
std::string BatchPipeline::below(std::size_t root, std::string_view path) const {
  const std::string& real = work_.recipe.roots.at(root).real;
  const std::size_t prefix = real == "/" ? 1 : real.size() + 1;
  if (path.size() <= prefix) return {};
  path.remove_prefix(prefix);
  if (path.ends_with('/')) path.remove_suffix(1);
  return std::string(path);
}

// `own` receives the failure of the folder itself; failures below it become items.
Result<void> BatchPipeline::walk_below(const Cursor& folder, std::string_view after, bool is_again,
                                       std::optional<Failure>& own, const std::stop_token& stop) {
  const auto put_failure = [&](std::string_view path, const Failure& failure) {
    // The walk continues after this folder: the previous process has reported its failure.
    if (after.starts_with(path) && after.substr(path.size()) == kBehindAll) return;
    Cursor at{.root = folder.root, .path = below(folder.root, path)};
    if (at == folder) {
      own = failure;
      return;
    }
    (void)put({.at = std::move(at), .is_again = is_again, .is_folder = true, .failure = failure});
  };
  LET(const auto report,
      walk::walk(
          work_.recipe.roots.path(folder.root, folder.path, Paths::absolute),
          walk_options(work_.options), after, stop,
          [&](const walk::FoundFile& file) {
            return put({.at = {.root = folder.root, .path = below(folder.root, file.path)},
                        .size = file.size,
                        .stamp = file.stamp,
                        .is_again = is_again});
          },
          put_failure));
  return report.end == walk::WalkEnd::complete ? Result<void>() : stopped();
}

// The cursor as walk() expects it: the path of a file, which need not exist.
std::string BatchPipeline::after_of(const Cursor& cursor) const {
  if (cursor.path.empty()) return {};
  std::string after = work_.recipe.roots.path(cursor.root, cursor.path, Paths::absolute);
  if (after.ends_with('/')) after += kBehindAll.substr(1);
  return after;
}

Result<void> BatchPipeline::walk_root(const Cursor& from, const std::stop_token& stop) {
  const BatchRoot& root = work_.recipe.roots.at(from.root);
  if (!root.only.empty()) {
    if (from.path.empty()) {
      (void)put({.at = {.root = from.root, .path = root.only}, .size = size_of(root, root.only)});
    }
    return {};
  }
  if (from.path == "/") return {};  // the root itself could not be read, which is already reported
  const Cursor folder{.root = from.root};
  std::optional<Failure> own;
  TRY(walk_below(folder, after_of(from), false, own, stop));
  if (own) (void)put({.at = folder, .is_folder = true, .failure = std::move(own)});
  return {};
}

// If some files of a folder are already in batches, because a process died in the middle, walks
// only the rest.
Result<void> BatchPipeline::walk_again(const Again& again, const std::stop_token& stop) {
  if (!again.is_folder) {
    const int flags = work_.recipe.roots.is_list() ? 0 : AT_SYMLINK_NOFOLLOW;
    const std::uint64_t size = size_of(work_.recipe.roots.at(again.at.root), again.at.path, flags);
    (void)put({.at = again.at, .size = size, .is_again = true});
    return {};
  }
  const std::string inside = again.at.path.empty() ? "" : again.at.path + "/";
  const bool continues = work_.again_from.root == again.at.root &&
                         work_.again_from.path.size() > inside.size() &&
                         work_.again_from.path.starts_with(inside);
  Item end{.at = again.at, .is_again = true, .is_folder = true};
  auto walked =
      walk_below(again.at, continues ? after_of(work_.again_from) : "", true, end.failure, stop);
  if (!walked && walked.error().cure == Cure::resume) return walked;
  if (!walked) end.failure = std::move(walked).error();
  (void)put(std::move(end));
  return {};
}

// Reads the names of the list in order. A resumed run begins with the last name that was read
// before: if it differs, this is a different list.
Result<void> BatchPipeline::read_list(const std::stop_token& stop) {
  const Cursor& from = work_.from;
  std::size_t number = from.root;
  bool is_known = !from.path.empty();
  bool is_same = !is_known;
  bool is_other = false;
  const auto on_name = [&](jobs::TaskName&& name) {
    if (name.subject.empty()) {
      name.subject = ".";  // a cursor needs a path
      name.failure =
          Failure{.cure = Cure::give_up, .step = "name", .reason = "empty name in the list"};
    }
    Item item{.at = {.root = number++, .path = std::move(name.subject)},
              .failure = std::move(name.failure)};
    if (!std::exchange(is_known, false)) {
      item.size = size_of(work_.recipe.roots.at(0), item.at.path, 0);
      return put(std::move(item));
    }
    is_same = item.at == from;
    is_other = !is_same;
    return is_same;
  };
  auto read =
      jobs::each_name(jobs::names_of(work_.options.list), std::to_string(from.root), stop, on_name);
  if (is_same || (!read && !is_other)) return read;
  return std::unexpected(Failure{.cure = Cure::give_up,
                                 .step = "find",
                                 .reason = "name " + std::to_string(from.root + 1) +
                                           " of the list is not " + from.path +
                                           ", as it was before",
                                 .hint = "use the same list, or start a new run with --restart"});
}

// Runs on the walking thread.
void BatchPipeline::walk_all(const std::stop_token& stop) {
  Result<void> walked;
  const bool is_list = work_.recipe.roots.is_list();
  if (is_list && !work_.skips_walk) walked = read_list(stop);
  const std::size_t roots = is_list || work_.skips_walk ? 0 : work_.recipe.roots.size();
  for (std::size_t i = work_.from.root; i < roots; ++i) {
    walked = walk_root(i == work_.from.root ? work_.from : Cursor{.root = i}, stop);
    if (!walked) break;
  }
  for (std::size_t i = 0; walked && i < work_.again.size(); ++i) {
    walked = walk_again(work_.again[i], stop);
  }
  if (!walked) return fail_with(std::move(walked).error());
  has_walked_.store(true);
  belt_.close();
}

}  // namespace tidemill::batch
