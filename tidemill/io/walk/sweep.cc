#include "tidemill/io/walk/sweep.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <deque>
#include <map>
#include <optional>
#include <thread>
#include <utility>

#include "tidemill/base/guarded.h"
#include "tidemill/base/thread.h"
#include "tidemill/base/try.h"
#include "tidemill/io/walk/filter/sieve.h"
#include "tidemill/io/walk/folder_of.h"
#include "tidemill/io/walk/folder_queue.h"
#include "tidemill/io/walk/sweep_worker.h"
#include "tidemill/io/walk/system_failure.h"

namespace tidemill::walk {
namespace {

constexpr std::size_t kMostParents = 256;

// A quarter of the descriptor limit: the rest is for the listener and other code.
std::size_t most_parents() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return 0;
  return std::min<std::size_t>(kMostParents, limit.rlim_cur / 4);
}

Result<Descriptor> open_root(const std::string& path) {
  Descriptor folder(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!folder.is_open()) return std::unexpected(failure_of(errno, "open", path));
  return folder;
}

Result<struct statx> look_at(const std::string& path, int flags) {
  struct statx seen{};
  if (::statx(AT_FDCWD, path.c_str(), flags, STATX_BASIC_STATS, &seen) != 0) {
    return std::unexpected(failure_of(errno, "open", path));
  }
  return seen;
}

// The roots, opened before anything is reported. One thread.
class Roots {
 public:
  Roots(const SweepOptions& options, FolderTree& tree, EnteredFolders& entered)
      : options_(options), tree_(tree), entered_(entered) {}

  Result<void> open(const std::string& path) {
    LET(const struct statx seen, look_at(path, 0));
    if (!S_ISDIR(seen.stx_mode)) return open_lone(path, seen);
    LET(Descriptor folder, open_root(path));
    const FolderId id = tree_.add_root(path, std::move(folder), options_.follow);
    if (options_.follow) (void)entered_.enter(id, stamp_of(seen));
    folders_.push_back({.id = id});
    return {};
  }

  [[nodiscard]] const std::vector<PendingFolder>& folders() const { return folders_; }
  [[nodiscard]] const std::vector<LoneFile>& lone() const { return lone_; }

 private:
  Result<void> open_lone(const std::string& path, const struct statx& seen) {
    const std::string folder(folder_of(path));
    LET(const struct statx itself, look_at(path, AT_SYMLINK_NOFOLLOW));
    LET(const struct statx holder, look_at(folder, 0));
    const auto held = holders_.find(folder);
    FolderId id = kNoFolder;
    if (held == holders_.end()) {
      LET(Descriptor descriptor, open_root(folder));
      id = tree_.add_root(folder, std::move(descriptor), options_.follow);
      holders_.emplace(folder, id);
    } else {
      id = tree_.add_root(folder, held->second);
    }
    lone_.push_back({.folder = id,
                     .folder_stamp = stamp_of(holder),
                     .name = path.substr(path.rfind('/') + 1),
                     .is_link = S_ISLNK(itself.stx_mode),
                     .seen = seen});
    return {};
  }

  const SweepOptions& options_;
  FolderTree& tree_;
  EnteredFolders& entered_;
  std::vector<PendingFolder> folders_;
  std::vector<LoneFile> lone_;
  std::map<std::string, FolderId> holders_;  // folders of lone files, by path: one descriptor each
};

void add(const SweepReport& part, SweepReport& sum) {
  sum.files += part.files;
  sum.folders += part.folders;
  sum.others += part.others;
  sum.left_out += part.left_out;
  sum.failures += part.failures;
}

// The calling thread is the first worker. The sweep continues with fewer threads when one cannot be
// started; a worker that runs out of memory ends the sweep.
Result<void> work(std::deque<SweepWorker>& workers, FolderQueue& queue) {
  Guarded<std::optional<Failure>> first;
  const auto end = [&](Failure failure) {
    first.update([&](std::optional<Failure>& known) {
      if (!known) known = std::move(failure);
    });
    queue.end();
  };
  {
    std::vector<std::jthread> threads;
    threads.reserve(workers.size());
    for (std::size_t i = 1; i < workers.size(); ++i) {
      auto started = start_thread("the walk", [&worker = workers[i]] { worker.run(); }, end);
      if (started) {
        threads.push_back(*std::move(started));
      } else {
        queue.drop_worker();
      }
    }
    if (auto done = contained([&] { workers.front().run(); }); !done) end(std::move(done).error());
  }
  if (auto failure = *first.lock()) return std::unexpected(*std::move(failure));
  return {};
}

}  // namespace

Result<SweepReport> sweep(const std::vector<std::string>& roots, const SweepOptions& options,
                          FolderTree& tree, SweepListener& listener, const std::stop_token& stop) {
  LET(const Sieve sieve, Sieve::compile(options.globs, options.excludes));
  EnteredFolders entered;
  Roots opened(options, tree, entered);
  for (const std::string& root : roots) TRY(opened.open(root));

  const std::size_t count = std::max<std::size_t>(options.threads, 1);
  OpenParents parents(most_parents());  // outlives the queue, whose folders refer to it
  FolderQueue queue(count);
  const SweepTeam team{.options = options,
                       .sieve = sieve,
                       .tree = tree,
                       .listener = listener,
                       .stop = stop,
                       .queue = queue,
                       .parents = parents,
                       .entered = entered};
  std::deque<SweepWorker> workers;
  for (std::size_t i = 0; i < count; ++i) workers.emplace_back(team, i);
  for (const LoneFile& file : opened.lone()) workers.front().tell_lone(file);
  queue.start(opened.folders());
  TRY(work(workers, queue));

  SweepReport report{.is_complete = !queue.is_ended()};
  for (const SweepWorker& worker : workers) add(worker.report(), report);
  return report;
}

}  // namespace tidemill::walk
