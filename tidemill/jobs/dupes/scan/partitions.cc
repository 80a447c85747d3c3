#include "tidemill/jobs/dupes/scan/partitions.h"

#include <algorithm>
#include <cstring>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "tidemill/base/try.h"

namespace tidemill::dupes {
namespace {

constexpr std::uint64_t kShare = mib(24).count;  // for everything but files and folders
constexpr std::uint64_t kLeastPart = 16;  // files get at least 1/16, however many folders there are
constexpr std::uint64_t kFolder = 96;  // per folder: name and numbers, here and in catalogue::Scan

constexpr std::size_t kFilesBetweenLooks = 1024;  // between checks of the stop token

std::uint64_t mixed(std::uint64_t number) {
  number = (number ^ (number >> 31U)) * 0xbf58476d1ce4e5b9U;
  return number ^ (number >> 29U);
}

std::uint64_t inode_mark(const FileRecord& record) { return mixed(record.inode); }

// Equal for files with the same contents.
std::uint64_t content_mark(const FileRecord& record) {
  std::uint64_t key = 0;
  std::memcpy(&key, record.key.data(), sizeof key);
  return mixed(record.size ^ mixed(key));
}

std::unexpected<Failure> too_many() { return fail(Cure::give_up, "scan", "too many files"); }

}  // namespace

std::uint64_t room_for_files(Bytes memory, std::size_t folders) {
  const std::uint64_t others = kShare + folders * kFolder;
  return std::max(memory.count / kLeastPart, memory.count - std::min(memory.count, others));
}

Partitions::Partitions(const Context& context, std::unique_ptr<PartitionFile> partition_file)
    : context_(context),
      partition_file_(std::move(partition_file)),
      files_(*partition_file_),
      groups_(*partition_file_) {}

Result<std::unique_ptr<Partitions>> Partitions::make(const Context& context) {
  LET(auto partition_file, PartitionFile::beside(context.search.options.catalogue));
  return std::unique_ptr<Partitions>(new Partitions(context, std::move(partition_file)));
}

Partitions::Span Partitions::span_from(const PartitionedFiles& files, std::size_t first) const {
  std::uint64_t weight = files.weight(first);
  Span span{.first = first, .last = first + 1, .fits = weight <= room_};
  for (; span.last < PartitionedFiles::kBuckets; ++span.last) {
    weight += files.weight(span.last);
    if (weight > room_) break;
  }
  return span;
}

Result<void> Partitions::load(const PartitionedFiles& files, const Span& span) {
  if (loaded_ != nullptr) TRY(context_.search.scan->flush());  // its batches refer to the table
  loaded_.reset();
  loaded_ = std::make_unique<Partition>(context_.search, 1);
  ++passes_;
  FileTable& table = loaded_->table();
  std::size_t count = 0;
  return files.each(
      span.first, span.last,
      [&](const FileRecord& record, std::string_view name, std::string_view whole) -> Result<void> {
        if (++count % kFilesBetweenLooks == 0 && context_.search.context.stop.stop_requested()) {
          return fail(Cure::resume, "scan", "stopped");
        }
        FileRecord* const added = table.add(0, name);
        if (added == nullptr) return too_many();
        const std::uint32_t place = added->name;
        *added = record;
        added->name = place;
        const auto device = table.device_index(context_.devices.device(record.device));
        if (!device) return too_many();
        added->device = *device;
        added->set(kUsed);
        added->clear(kWanted);
        return whole.empty() || table.set_whole(*added, whole) ? Result<void>() : too_many();
      });
}

Result<void> Partitions::find_in_load() {
  TRY(loaded_->find());
  FoundGroups found({.table = loaded_->table(),
                     .tree = context_.search.tree,
                     .candidates = loaded_->candidates(),
                     .built = loaded_->built(),
                     .roots = context_.roots,
                     .selector = context_.selector,
                     .options = context_.search.options});
  context_.search.totals.redundant += found.redundant();
  context_.search.totals.reclaimable += found.reclaimable();
  context_.search.totals.by_size += found.by_size();
  return groups_.add(found);
}

Result<void> Partitions::find(std::uint64_t room) {
  room_ = room;
  TRY(files_.close());
  for (std::size_t first = 0; first < PartitionedFiles::kBuckets;) {
    const Span span = span_from(files_, first);
    context_.search.watch.expect_more(span.last < PartitionedFiles::kBuckets);
    if (span.fits) {
      TRY(load(files_, span));
      loaded_->choose_candidates();
      loaded_->count_candidates();
      TRY(find_in_load());
    } else {
      TRY(find_in_large(first));
    }
    first = span.fits ? span.last : first + 1;
  }
  TRY(context_.search.scan->flush());
  loaded_.reset();  // the report needs memory too
  return {};
}

// The files of one bucket do not fit into memory. The first stage of hashing runs on a part of them
// at a time, and they are partitioned again by its hashes. The names of one inode stay together, so
// that it is read once.
Result<void> Partitions::find_in_large(std::size_t bucket) {
  std::unordered_map<std::uint64_t, std::uint64_t> names_of_size;
  PartitionedFiles by_inode(*partition_file_);
  FilePack pack;
  TRY(files_.each(
      bucket, bucket + 1,
      [&](const FileRecord& record, std::string_view name, std::string_view whole) -> Result<void> {
        ++names_of_size[record.size];
        pack.add(record, name, whole, inode_mark(record));
        return pack.is_full() ? by_inode.add(pack) : Result<void>();
      }));
  TRY(by_inode.add(pack));
  TRY(by_inode.close());
  PartitionedFiles by_contents(*partition_file_);
  for (std::size_t first = 0; first < PartitionedFiles::kBuckets;) {
    const Span span = span_from(by_inode, first);
    TRY(load(by_inode, span));
    TRY(loaded_->look([&](const FileRecord& file) { return names_of_size[file.size] > 1; }));
    TRY(part_by_contents(by_contents));
    first = span.last;
  }
  TRY(by_contents.close());
  for (std::size_t first = 0; first < PartitionedFiles::kBuckets;) {
    const Span span = span_from(by_contents, first);
    TRY(load(by_contents, span));
    loaded_->choose_candidates();  // already counted by look()
    TRY(find_in_load());
    first = span.last;
  }
  return {};
}

Result<void> Partitions::part_by_contents(PartitionedFiles& into) {
  const FileTable& table = loaded_->table();
  FilePack pack;
  const auto put = [&](const FileRecord& known, const FileRecord& name) -> Result<void> {
    FileRecord record = name;
    record.key = known.key;
    record.marks = known.marks;
    if (name.has(kViaLink)) record.set(kViaLink);
    record.clear(kWhole);
    pack.add(record, table.name(name), known.has(kWhole) ? table.whole(known) : "",
             content_mark(known));
    return pack.is_full() ? into.add(pack) : Result<void>();
  };
  for (const FileIndex file : loaded_->candidates().files) {
    const FileRecord& record = table.record(file);
    if (record.has(kFailed)) continue;
    TRY(put(record, record));
    for (const auto& [_, name] : loaded_->candidates().names_of(file)) {
      TRY(put(record, table.record(name)));
    }
  }
  return into.add(pack);
}

}  // namespace tidemill::dupes
