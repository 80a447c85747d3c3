#include "tidemill/jobs/dupes/scan/scan_collector.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <limits>
#include <numeric>
#include <string>
#include <utility>

#include "tidemill/base/system_text.h"
#include "tidemill/base/try.h"
#include "tidemill/state/catalogue/memory.h"

namespace tidemill::dupes {
namespace {

// Device numbers change with each mount. The file is known by its path, so inode, size and times
// are enough.
bool is_same(const FileStamp& now, const FileStamp& before) {
  return now.inode == before.inode && now.size == before.size && now.mtime_ns == before.mtime_ns &&
         now.ctime_ns == before.ctime_ns;
}

template <class Number>
Number at_most(std::uint64_t value) {
  return static_cast<Number>(std::min<std::uint64_t>(value, std::numeric_limits<Number>::max()));
}

// A tag is the folder's key, and whether its entry in the catalogue is outdated.
std::uint64_t tag_of(const catalogue::FolderNote& before) {
  return (static_cast<std::uint64_t>(before.key) << 1U) | (before.is_removed || before.has_error);
}
catalogue::FolderKey key_in(std::uint64_t tag) {
  return static_cast<catalogue::FolderKey>(tag >> 1U);
}
bool is_outdated(std::uint64_t tag) { return (tag & 1U) != 0; }

bool is_whole(const walk::SweptFolder& folder, std::uint64_t taken) {
  return taken == folder.files.size() &&
         std::ranges::none_of(folder.subfolders, [](const walk::SweptSubfolder& below) {
           return below.id == walk::kNoFolder;
         });
}

std::unexpected<Failure> too_many() {
  return fail(Cure::give_up, "scan", "too many files or devices");
}

std::string words_of(int error) { return system_text(error); }

}  // namespace

Result<std::unique_ptr<ScanCollector>> ScanCollector::make(const Context& context) {
  std::unique_ptr<ScanCollector> collector(new ScanCollector(context));
  if (context.scan == nullptr && context.recall_from.empty()) return collector;
  for (Lane& lane : collector->lanes_) {
    LET(lane.memory, context.scan != nullptr ? context.scan->memory()
                                             : catalogue::open_memory(context.recall_from));
  }
  return collector;
}

bool ScanCollector::folder(walk::SweptFolder& folder) {
  auto taken = take(folder);
  if (taken) return true;
  auto cause = cause_.lock();
  if (!*cause) *cause = std::move(taken).error();
  return false;
}

Result<void> ScanCollector::take(walk::SweptFolder& folder) {
  Lane& lane = lanes_[folder.worker];
  lane.before.assign(folder.files.size(), nullptr);
  catalogue::FolderBatch news;
  if (lane.memory != nullptr) TRY(recall(folder, lane, news));
  std::uint64_t count = 0;
  std::uint64_t bytes = 0;
  for (std::size_t i = 0; i < folder.files.size(); ++i) {
    const walk::SweptFile& file = folder.files[i];
    if (file.decision == walk::SweepDecision::failed)
      note_failure(folder, file, lane.before[i], news);
    if (file.decision != walk::SweepDecision::taken) continue;
    if (context_.partition_file != nullptr) {
      TRY(put_away(folder.id, file, lane, lane.before[i]));
    } else if (!add(folder, file, lane, lane.before[i])) {
      return too_many();
    }
    ++count;
    bytes += file.stamp.size;
  }
  if (context_.partition_file != nullptr) TRY(context_.partition_file->add(lane.pack));
  if (!is_whole(folder, count)) incomplete_.lock()->push_back(folder.id);
  files_.fetch_add(count, std::memory_order_relaxed);
  bytes_.fetch_add(bytes, std::memory_order_relaxed);
  if (context_.scan == nullptr) return {};
  const bool is_news = news.key == 0 || is_outdated(folder.tag) || !news.files.empty() ||
                       !news.removed_files.empty() || !news.removed_folders.empty();
  return is_news ? context_.scan->record(std::move(news)) : Result<void>();
}

Result<void> ScanCollector::recall(walk::SweptFolder& folder, Lane& lane,
                                   catalogue::FolderBatch& news) {
  if (folder.tag != 0) context_.keys.set(folder.id, key_in(folder.tag));  // roots have theirs
  news.folder = folder.id;
  context_.keys.address(news, context_.tree);
  if (news.key == 0) return {};
  TRY(lane.memory->recall(news.key, lane.known));
  match_files(folder, lane, news);
  match_subfolders(folder, lane, news);
  return {};
}

// Merges both lists in the order of the names.
void ScanCollector::match_files(walk::SweptFolder& folder, Lane& lane,
                                catalogue::FolderBatch& news) {
  lane.order.resize(folder.files.size());
  std::iota(lane.order.begin(), lane.order.end(), 0U);
  std::ranges::sort(lane.order, {}, [&](std::uint32_t i) { return folder.files[i].name; });
  auto at = lane.order.begin();
  for (const catalogue::FileNote& before : lane.known.files) {
    while (at != lane.order.end() && folder.files[*at].name < before.name) ++at;
    if (at != lane.order.end() && folder.files[*at].name == before.name) {
      lane.before[*at] = &before;
    } else if (!before.is_removed) {
      news.removed_files.push_back(news.keep(before.name));
    }
  }
}

void ScanCollector::match_subfolders(walk::SweptFolder& folder, Lane& lane,
                                     catalogue::FolderBatch& news) {
  std::ranges::sort(folder.subfolders, {}, &walk::SweptSubfolder::name);
  auto at = folder.subfolders.begin();
  for (const catalogue::FolderNote& before : lane.known.folders) {
    while (at != folder.subfolders.end() && at->name < before.name) ++at;
    if (at != folder.subfolders.end() && at->name == before.name) {
      at->tag = tag_of(before);
    } else if (!before.is_removed) {
      news.removed_folders.push_back(before.key);
    }
  }
}

bool ScanCollector::fill(FileRecord& record, walk::FolderId folder, const walk::SweptFile& file,
                         Lane& lane, const catalogue::FileNote* before) {
  if (file.stamp.device != lane.device) {
    const auto index = context_.table.device_index(file.stamp.device);
    if (!index) return false;
    lane.device = file.stamp.device;
    lane.device_index = *index;
  }
  record.size = file.stamp.size;
  record.inode = file.stamp.inode;
  record.mtime_ns = file.stamp.mtime_ns;
  record.ctime_ns = file.stamp.ctime_ns;
  record.folder = folder;
  record.blocks = at_most<std::uint32_t>(file.blocks);
  record.links = at_most<std::uint16_t>(file.links);
  record.device = lane.device_index;
  if (file.is_link) record.set(kViaLink);
  if (before == nullptr || !is_same(file.stamp, before->stamp)) {
    record.set(kUnsaved);
    return true;
  }
  if (before->is_removed || !before->error.empty()) record.set(kUnsaved);
  if (before->edges.size() == record.key.size()) {
    std::memcpy(record.key.data(), before->edges.data(), record.key.size());
    record.set(kEdges);
  }
  return true;
}

std::string_view ScanCollector::known_hash(const walk::SweptFile& file,
                                           const catalogue::FileNote* before) const {
  if (before == nullptr || !is_same(file.stamp, before->stamp)) return {};
  const bool is_known =
      before->algorithm == static_cast<std::uint8_t>(context_.table.algorithm()) &&
      before->hash.size() == hash::width_of(context_.table.algorithm());
  return is_known ? before->hash : std::string_view();
}

bool ScanCollector::add(const walk::SweptFolder& folder, const walk::SweptFile& file, Lane& lane,
                        const catalogue::FileNote* before) {
  FileRecord* const record = context_.table.add(folder.worker, file.name);
  if (record == nullptr) return false;
  if (!fill(*record, folder.id, file, lane, before)) return false;
  const std::string_view hash = known_hash(file, before);
  return hash.empty() || context_.table.set_whole(*record, hash);
}

Result<void> ScanCollector::put_away(walk::FolderId folder, const walk::SweptFile& file, Lane& lane,
                                     const catalogue::FileNote* before) {
  FileRecord record;
  if (!fill(record, folder, file, lane, before)) return too_many();
  lane.pack.add(record, file.name, known_hash(file, before), file.stamp.size);
  return lane.pack.is_full() ? context_.partition_file->add(lane.pack) : Result<void>();
}

void ScanCollector::note_failure(const walk::SweptFolder& folder, const walk::SweptFile& file,
                                 const catalogue::FileNote* before, catalogue::FolderBatch& news) {
  if (file.error == ENOENT) {  // it vanished after the listing: as if it had never been listed
    if (before != nullptr) news.removed_files.push_back(news.keep(before->name));
    return;
  }
  const std::string words = words_of(file.error);
  context_.failures.add(context_.tree.path(folder.id, file.name),
                        {.step = "stat", .reason = words});
  if (context_.scan == nullptr) return;
  news.files.push_back({.name = news.keep(file.name), .error = news.keep(words)});
}

void ScanCollector::failure(walk::FolderId folder, std::uint64_t tag, int error) {
  context_.failures.add(context_.tree.path(folder), {.step = "list", .reason = words_of(error)});
  incomplete_.lock()->push_back(folder);
  if (context_.scan == nullptr) return;
  if (tag != 0) context_.keys.set(folder, key_in(tag));
  catalogue::FolderBatch news{.folder = folder, .error = words_of(error)};
  context_.keys.address(news, context_.tree);
  auto recorded = context_.scan->record(std::move(news));
  auto cause = cause_.lock();
  if (!recorded && !*cause) *cause = std::move(recorded).error();
}

}  // namespace tidemill::dupes
