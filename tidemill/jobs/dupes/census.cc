#include "tidemill/jobs/dupes/census.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <limits>
#include <numeric>
#include <string>
#include <system_error>
#include <utility>

#include "tidemill/base/try.h"

namespace tidemill::dupes {
namespace {

// Device numbers are given anew at each mount: where a file is known by its path, its inode and its
// times say enough.
bool is_same(const FileStamp& now, const FileStamp& before) {
  return now.inode == before.inode && now.size == before.size && now.mtime_ns == before.mtime_ns &&
         now.ctime_ns == before.ctime_ns;
}

template <class Number>
Number at_most(std::uint64_t value) {
  return static_cast<Number>(std::min<std::uint64_t>(value, std::numeric_limits<Number>::max()));
}

// The batch must own what it tells of.
std::string_view keep(catalogue::FolderBatch& batch, std::string_view bytes) {
  auto copy = std::make_unique<char[]>(bytes.size());
  std::memcpy(copy.get(), bytes.data(), bytes.size());
  const std::string_view kept(copy.get(), bytes.size());
  batch.text.push_back(std::move(copy));
  return kept;
}

// A tag is the folder's key, and whether the catalogue says something of it that no longer holds.
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

std::string words_of(int error) { return std::generic_category().message(error); }

}  // namespace

Result<std::unique_ptr<Census>> Census::make(const Parts& parts) {
  std::unique_ptr<Census> census(new Census(parts));
  if (parts.scan == nullptr) return census;
  for (Lane& lane : census->lanes_) {
    LET(lane.memory, parts.scan->memory());
  }
  return census;
}

bool Census::folder(walk::SweptFolder& folder) {
  auto taken = take(folder);
  if (taken) return true;
  auto cause = cause_.lock();
  if (!*cause) *cause = std::move(taken).error();
  return false;
}

catalogue::FolderBatch Census::batch_of(walk::FolderId folder, catalogue::FolderKey key) const {
  catalogue::FolderBatch batch{.folder = folder, .key = key};
  if (key == 0) {
    batch.parent = parts_.tree.parent(folder);
    batch.name = parts_.tree.name(folder);
  }
  return batch;
}

Result<void> Census::take(walk::SweptFolder& folder) {
  Lane& lane = lanes_[folder.worker];
  lane.before.assign(folder.files.size(), nullptr);
  catalogue::FolderBatch news;
  if (parts_.scan != nullptr) TRY(recall(folder, lane, news));
  std::uint64_t count = 0;
  std::uint64_t bytes = 0;
  for (std::size_t i = 0; i < folder.files.size(); ++i) {
    const walk::SweptFile& file = folder.files[i];
    if (file.verdict == walk::Verdict::failed) note_failure(folder, file, lane.before[i], news);
    if (file.verdict != walk::Verdict::taken) continue;
    if (parts_.spool != nullptr) {
      TRY(put_away(folder.id, file, lane, lane.before[i]));
    } else if (!add(folder, file, lane, lane.before[i])) {
      return fail(Cure::give_up, "scan", "there are more files than this program can hold");
    }
    ++count;
    bytes += file.stamp.size;
  }
  if (parts_.spool != nullptr) TRY(parts_.spool->add(lane.pack));
  if (!is_whole(folder, count)) incomplete_.lock()->push_back(folder.id);
  files_.fetch_add(count, std::memory_order_relaxed);
  bytes_.fetch_add(bytes, std::memory_order_relaxed);
  if (parts_.scan == nullptr) return {};
  const bool is_news = news.key == 0 || is_outdated(folder.tag) || !news.files.empty() ||
                       !news.removed_files.empty() || !news.removed_folders.empty();
  return is_news ? parts_.scan->record(std::move(news)) : Result<void>();
}

Result<void> Census::recall(walk::SweptFolder& folder, Lane& lane, catalogue::FolderBatch& news) {
  auto key = key_in(folder.tag);
  if (key == 0) key = parts_.keys.of(folder.id);  // a root
  parts_.keys.set(folder.id, key);
  news = batch_of(folder.id, key);
  if (key == 0) return {};
  TRY(lane.memory->recall(key, lane.known));
  match_files(folder, lane, news);
  match_subfolders(folder, lane, news);
  return {};
}

// Both lists go side by side, in the order of the names.
void Census::match_files(walk::SweptFolder& folder, Lane& lane, catalogue::FolderBatch& news) {
  lane.order.resize(folder.files.size());
  std::iota(lane.order.begin(), lane.order.end(), 0U);
  std::ranges::sort(lane.order, {}, [&](std::uint32_t i) { return folder.files[i].name; });
  auto at = lane.order.begin();
  for (const catalogue::FileNote& before : lane.known.files) {
    while (at != lane.order.end() && folder.files[*at].name < before.name) ++at;
    if (at != lane.order.end() && folder.files[*at].name == before.name) {
      lane.before[*at] = &before;
    } else if (!before.is_removed) {
      news.removed_files.push_back(keep(news, before.name));
    }
  }
}

void Census::match_subfolders(walk::SweptFolder& folder, Lane& lane, catalogue::FolderBatch& news) {
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

void Census::fill(FileRecord& record, walk::FolderId folder, const walk::SweptFile& file,
                  Lane& lane, const catalogue::FileNote* before) {
  if (file.stamp.device != lane.device) {
    lane.device = file.stamp.device;
    lane.device_index = parts_.table.device_index(lane.device);
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
  if (before == nullptr || !is_same(file.stamp, before->stamp)) return record.set(kUnsaved);
  if (before->is_removed || !before->error.empty()) record.set(kUnsaved);
  if (before->edges.size() == record.key.size()) {
    std::memcpy(record.key.data(), before->edges.data(), record.key.size());
    record.set(kEdges);
  }
}

std::string_view Census::known_hash(const walk::SweptFile& file,
                                    const catalogue::FileNote* before) const {
  if (before == nullptr || !is_same(file.stamp, before->stamp)) return {};
  const bool is_known = before->algorithm == static_cast<std::uint8_t>(parts_.table.algorithm()) &&
                        before->hash.size() == hash::width_of(parts_.table.algorithm());
  return is_known ? before->hash : std::string_view();
}

bool Census::add(const walk::SweptFolder& folder, const walk::SweptFile& file, Lane& lane,
                 const catalogue::FileNote* before) {
  FileRecord* const record = parts_.table.add(folder.worker, file.name);
  if (record == nullptr) return false;
  fill(*record, folder.id, file, lane, before);
  const std::string_view hash = known_hash(file, before);
  return hash.empty() || parts_.table.set_whole(*record, hash);
}

Result<void> Census::put_away(walk::FolderId folder, const walk::SweptFile& file, Lane& lane,
                              const catalogue::FileNote* before) {
  FileRecord record;
  fill(record, folder, file, lane, before);
  lane.pack.add(record, file.name, known_hash(file, before), file.stamp.size);
  return lane.pack.is_full() ? parts_.spool->add(lane.pack) : Result<void>();
}

void Census::note_failure(const walk::SweptFolder& folder, const walk::SweptFile& file,
                          const catalogue::FileNote* before, catalogue::FolderBatch& news) {
  if (file.error == ENOENT) {  // it vanished between two looks: as if it had never been listed
    if (before != nullptr) news.removed_files.push_back(keep(news, before->name));
    return;
  }
  const std::string words = words_of(file.error);
  parts_.failures.add(parts_.tree.path(folder.id, file.name), {.step = "look", .reason = words});
  if (parts_.scan == nullptr) return;
  news.files.push_back({.name = keep(news, file.name), .error = keep(news, words)});
}

void Census::trouble(walk::FolderId folder, std::uint64_t tag, int error) {
  parts_.failures.add(parts_.tree.path(folder), {.step = "list", .reason = words_of(error)});
  incomplete_.lock()->push_back(folder);
  if (parts_.scan == nullptr) return;
  auto key = key_in(tag);
  if (key == 0) key = parts_.keys.of(folder);
  catalogue::FolderBatch news = batch_of(folder, key);
  news.error = words_of(error);
  auto recorded = parts_.scan->record(std::move(news));
  auto cause = cause_.lock();
  if (!recorded && !*cause) *cause = std::move(recorded).error();
}

}  // namespace tidemill::dupes
