#include "tidemill/jobs/dupes/scan/search.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <thread>
#include <unordered_map>
#include <utility>
#include <vector>

#include "tidemill/base/system_text.h"
#include "tidemill/base/try.h"
#include "tidemill/engine/progress.h"
#include "tidemill/io/walk/filter/sieve.h"
#include "tidemill/io/walk/folder_tree.h"
#include "tidemill/io/walk/is_within.h"
#include "tidemill/jobs/dupes/report/folders.h"
#include "tidemill/jobs/dupes/scan/file_list.h"
#include "tidemill/jobs/dupes/scan/file_table.h"
#include "tidemill/jobs/dupes/scan/foreign.h"
#include "tidemill/jobs/dupes/scan/group_builder.h"
#include "tidemill/state/history/history_recorder.h"

namespace tidemill::dupes {
namespace {

// The group of each file, by its device and inode, because further names have the same contents.
struct InodeHash {
  std::size_t operator()(const std::pair<std::uint64_t, std::uint64_t>& key) const {
    return key.first * 0x9e3779b97f4a7c15U ^ key.second;
  }
};
using Contents =
    std::unordered_map<std::pair<std::uint64_t, std::uint64_t>, std::uint64_t, InodeHash>;

Contents contents_of(const FileTable& table, const BuiltGroups& built) {
  Contents contents;
  for (std::size_t i = 0; i < built.groups.size(); ++i) {
    for (const FileIndex file : built.group(i)) {
      const FileRecord& record = table.record(file);
      contents.emplace(std::pair(record.device, record.inode), i + 1);
    }
  }
  return contents;
}

// The files of the scan by folder, to compare folders. `incomplete`: folders in which something was
// left out or could not be examined. Without folders of other hosts.
Folders folders_of(const FileTable& table, const walk::FolderTree& tree, const BuiltGroups& built,
                   const std::vector<walk::FolderId>& incomplete) {
  std::vector<ReportFolder> all(tree.size());
  for (std::size_t i = 0; i < all.size(); ++i) {
    const auto id = static_cast<walk::FolderId>(i);
    const walk::FolderId parent = tree.parent(id);
    all[i] = {.parent = parent == walk::kNoFolder ? kNoFolder : parent,
              .name = tree.name(id),
              .path = tree.path(id)};
  }
  const Contents contents = contents_of(table, built);
  table.each([&](FileIndex /*file*/, const FileRecord& record) {
    if (record.has(kForeign)) return;
    ReportFolder& folder = all[record.folder];
    const auto found = contents.find(std::pair(record.device, record.inode));
    folder.files.push_back({.name = table.name(record),
                            .content = found == contents.end() ? 0 : found->second,
                            .size = record.size});
    if (record.has(kFailed)) folder.is_whole = false;
  });
  for (const walk::FolderId id : incomplete) all[id].is_whole = false;
  return Folders(std::move(all));
}

std::unexpected<Failure> stopped() {
  return std::unexpected(Failure{.cure = Cure::resume,
                                 .step = "scan",
                                 .reason = "stopped",
                                 .hint = "run the same command again to continue"});
}

Result<std::string> real_path(const std::string& path) {
  // NOLINTNEXTLINE(cppcoreguidelines-no-malloc): realpath's own memory
  const std::unique_ptr<char, decltype(&std::free)> real(::realpath(path.c_str(), nullptr),
                                                         &std::free);
  if (real == nullptr) {
    return fail(Cure::give_up, "open", path + ": " + system_text(errno));
  }
  return std::string(real.get());
}

// For a root that is a file, the folder that contains it.
std::string folder_of(const std::string& real) {
  struct stat seen{};
  if (::stat(real.c_str(), &seen) == 0 && S_ISDIR(seen.st_mode)) return real;
  return real.substr(0, real.rfind('/'));
}

walk::SweepOptions sweep_options(const DupesOptions& options, std::size_t threads) {
  walk::SweepOptions how{.globs = options.globs,
                         .excludes = options.excludes,
                         .hidden = !options.no_hidden,
                         .follow = options.follow,
                         .one_device = options.one_device,
                         // Empty files are not candidates, but they are part of their folder.
                         .least_size = options.folders ? 0 : options.least_size,
                         .most_size = options.most_size,
                         .threads = threads};
  if (options.ignore_rules) how.ignore_files = {".gitignore", ".ignore"};
  if (options.newer_than_ns) how.changed_from_ns = *options.newer_than_ns;
  if (options.older_than_ns) how.changed_to_ns = *options.older_than_ns;
  return how;
}

// Each thread needs a connection to the catalogue and memory for a folder.
std::size_t sweepers_for(const DupesOptions& options) {
  constexpr std::size_t kMostInLittleMemory = 4;
  if (options.threads > 0) return options.threads;
  const std::size_t cpus = std::max(1U, std::thread::hardware_concurrency());
  return options.memory ? std::min(cpus, kMostInLittleMemory) : cpus;
}

}  // namespace

Search::Search(const DupesOptions& options, const command::Context& context, KeepSelector selector)
    : options_(options),
      context_(context),
      sweepers_(sweepers_for(options)),
      selector_(std::move(selector)),
      failures_(&context.console) {}

Search::~Search() = default;

Groups& Search::groups() {
  if (partitions_ != nullptr) return partitions_->groups();
  return *groups_;
}

Result<std::unique_ptr<Search>> Search::make(const DupesOptions& options,
                                             const command::Context& context) {
  std::vector<std::string> paths = options.roots;
  paths.insert(paths.end(), options.references.begin(), options.references.end());
  LET(auto selector, KeepSelector::make(options.keep, paths));
  if (auto sieve = walk::Sieve::compile(options.globs, options.excludes); !sieve) {
    Failure wrong = std::move(sieve).error();
    wrong.kind = FailureKind::usage;
    wrong.step = "usage";
    return std::unexpected(std::move(wrong));
  }
  return std::unique_ptr<Search>(new Search(options, context, std::move(selector)));
}

// A root inside another one of the same kind, or inside a reference, is scanned once, with the
// outer one: files in a reference are never changed, even if they are also named as a root.
Result<void> Search::choose_roots() {
  struct Root {
    std::string given{};
    std::string real{};
    bool is_reference = false;
  };
  std::vector<Root> all;
  for (const std::string& path : options_.roots) {
    LET(auto real, real_path(path));
    all.push_back({.given = path, .real = std::move(real)});
  }
  for (const std::string& path : options_.references) {
    LET(auto real, real_path(path));
    all.push_back({.given = path, .real = std::move(real), .is_reference = true});
  }
  for (std::size_t i = 0; i < all.size(); ++i) {
    bool is_covered = false;
    for (std::size_t j = 0; j < all.size() && !is_covered; ++j) {
      if (i == j || !walk::is_within(all[i].real, all[j].real)) continue;
      may_repeat_ = true;
      const bool is_same_kind = all[i].is_reference == all[j].is_reference;
      const bool is_later = all[i].real != all[j].real || j < i;
      is_covered = is_same_kind ? is_later : all[j].is_reference;
    }
    if (is_covered) continue;
    const auto id = static_cast<walk::FolderId>(roots_.size());
    roots_.push_back(
        {.folder = id, .number = i, .path = all[i].given, .is_reference = all[i].is_reference});
    real_.push_back(all[i].real);
  }
  for (std::size_t i = 0; may_repeat_ && i < roots_.size(); ++i) {
    roots_[i].real = folder_of(real_[i]);
  }
  return {};
}

Result<void> Search::begin_scan() {
  if (!options_.has_catalogue || roots_.empty()) return {};
  std::vector<catalogue::ScanRoot> roots;
  for (std::size_t i = 0; i < roots_.size(); ++i) {
    roots.push_back({.path = real_[i], .folder = roots_[i].folder});
  }
  LET(scan_, catalogue::Scan::begin(options_.catalogue, roots, context_.clock));
  for (std::size_t i = 0; i < roots_.size(); ++i) keys_.set(roots_[i].folder, scan_->root_key(i));
  return {};
}

Result<void> Search::make_partitions() {
  const Partition::Context context{.options = options_,
                                   .context = context_,
                                   .tree = tree_,
                                   .failures = failures_,
                                   .keys = keys_,
                                   .watch = watch_,
                                   .totals = totals_,
                                   .scan = scan_.get(),
                                   .may_repeat = may_repeat_ || options_.follow};
  whole_ = std::make_unique<Partition>(context, sweepers_ + 1);
  if (!options_.memory || scan_ == nullptr) return {};
  LET(partitions_,
      Partitions::make(
          {.search = context, .roots = roots_, .selector = selector_, .devices = whole_->table()}));
  return {};
}

// The catalogue is only read: a list is not a complete tree.
Result<void> Search::sweep_names() {
  const bool asks = options_.has_catalogue && ::access(options_.catalogue.c_str(), F_OK) == 0;
  LET(const auto collector, ScanCollector::make({.table = whole_->table(),
                                                 .tree = tree_,
                                                 .failures = failures_,
                                                 .keys = keys_,
                                                 .recall_from = asks ? options_.catalogue : ""}));
  watch_.follow(*collector);
  auto swept = sweep_list({.options = options_,
                           .tree = tree_,
                           .collector = *collector,
                           .failures = failures_,
                           .keys = keys_},
                          context_.stop);
  watch_.leave();
  if (auto cause = collector->cause()) return std::unexpected(*std::move(cause));
  if (!swept) return std::unexpected(std::move(swept).error());
  swept_ = swept->report;
  roots_ = std::move(swept->roots);
  totals_.files = collector->files();
  totals_.bytes = collector->bytes();
  return {};
}

Result<void> Search::sweep() {
  if (!options_.files_from.empty()) return sweep_names();
  if (roots_.empty()) return {};  // compare catalogues only
  LET(const auto collector,
      ScanCollector::make({.table = whole_->table(),
                           .tree = tree_,
                           .failures = failures_,
                           .keys = keys_,
                           .scan = scan_.get(),
                           .partition_file = partitions_ ? &partitions_->partition_file() : nullptr,
                           .threads = sweepers_}));
  watch_.follow(*collector);
  std::vector<std::string> paths;
  for (const RootFacts& root : roots_) paths.push_back(root.path);
  auto swept =
      walk::sweep(paths, sweep_options(options_, sweepers_), tree_, *collector, context_.stop);
  watch_.leave();
  if (!swept) return std::unexpected(std::move(swept).error());
  swept_ = *swept;
  totals_.files = collector->files();
  totals_.bytes = collector->bytes();
  incomplete_ = collector->incomplete();
  if (auto cause = collector->cause()) return std::unexpected(*std::move(cause));
  return swept_.is_complete ? Result<void>() : stopped();
}

Result<void> Search::find() {
  TRY(add_foreign(options_, {.table = whole_->table(),
                             .tree = tree_,
                             .roots = roots_,
                             .real = real_,
                             .lane = sweepers_}));
  whole_->choose_candidates();
  whole_->count_candidates();
  TRY(whole_->find());
  wanted_ = wanted_elsewhere(whole_->table(), whole_->candidates());
  groups_ = std::make_unique<FoundGroups>(FoundGroups::Context{.table = whole_->table(),
                                                               .tree = tree_,
                                                               .candidates = whole_->candidates(),
                                                               .built = whole_->built(),
                                                               .roots = roots_,
                                                               .selector = selector_,
                                                               .options = options_});
  totals_.redundant = groups_->redundant();
  totals_.reclaimable = groups_->reclaimable();
  totals_.by_size = groups_->by_size();
  return {};
}

void Search::count(Instant began) {
  totals_.folders = swept_.folders;
  totals_.skipped += swept_.left_out + swept_.others;
  totals_.failures = failures_.count();
  totals_.wanted = wanted_.size();
  totals_.groups = groups().size();
  totals_.elapsed = context_.clock.now() - began;
}

Result<void> Search::each_unique(const std::function<Result<void>(const Copy&)>& on_file) const {
  const FileTable& table = whole_->table();
  std::vector<bool> has_copy(table.end());
  for (const FileIndex file : whole_->built().files) has_copy[file] = true;
  std::vector<std::pair<std::string, FileIndex>> unique;
  table.each([&](FileIndex file, const FileRecord& record) {
    const bool is_known = !record.has(kLinked) && !record.has(kFailed) && !record.has(kForeign);
    if (!is_known || has_copy[file]) return;
    const Copy copy = groups_->copy_of(file);
    // References are only compared with; their own unique files are not reported.
    if (!copy.names.front().is_reference) unique.emplace_back(copy.names.front().path, file);
  });
  std::ranges::sort(unique);
  for (const auto& [path, file] : unique) TRY(on_file(groups_->copy_of(file)));
  return {};
}

Folders Search::folders() const {
  return folders_of(whole_->table(), tree_, whole_->built(), incomplete_);
}

Result<void> Search::run() {
  const Instant began = context_.clock.now();
  TRY(choose_roots());
  TRY(begin_scan());
  TRY(make_partitions());
  history::HistoryRecorder history(context_.history, context_.clock);
  LET(const auto reporter, engine::ProgressReporter::start(
                               {}, [&] { return watch_.look(failures_); },
                               [&](const engine::ProgressSnapshot& seen) {
                                 history.observe(seen);
                                 context_.console.show(seen);
                               },
                               context_.clock));
  TRY(sweep());
  const Bytes memory = options_.memory.value_or(Bytes{});
  TRY(partitions_ == nullptr ? find() : partitions_->find(room_for_files(memory, tree_.size())));
  if (scan_ != nullptr) TRY(scan_->finish());
  scan_.reset();  // other processes may scan these roots now
  reporter->finish();
  count(began);
  return {};
}

}  // namespace tidemill::dupes
