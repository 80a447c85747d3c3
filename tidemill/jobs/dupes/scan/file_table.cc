#include "tidemill/jobs/dupes/scan/file_table.h"

#include <algorithm>
#include <cstring>

#include "tidemill/io/hash/reader.h"

namespace tidemill::dupes {
namespace {

// `want` contiguous cells, from the current block or a new one. An empty room: none are left.
template <class Cells, class Room>
std::optional<std::uint32_t> take(Cells& cells, Room& room, std::size_t want) {
  if (room.left < want) {
    const auto block = cells.add();
    if (!block) return std::nullopt;
    room = {.next = *block, .left = Cells::kCells};
  }
  const std::uint32_t at = room.next;
  room.next += static_cast<std::uint32_t>(want);
  room.left -= want;
  return at;
}

}  // namespace

FileTable::FileTable(std::size_t workers, hash::Algorithm algorithm)
    : algorithm_(algorithm), width_(hash::width_of(algorithm)), lanes_(workers) {
  auto devices = devices_.lock();
  devices->reserve(kMostDevices);
  device_list_ = devices->data();
}

FileRecord* FileTable::add(std::size_t worker, std::string_view name) {
  Lane& lane = lanes_[worker];
  if (name.size() >= Blocks<char, 16>::kCells) return nullptr;
  const auto text = take(names_, lane.names, name.size() + 1);
  const auto at = text ? take(records_, lane.records, 1) : std::nullopt;
  if (!at) return nullptr;
  char* const to = names_.at(*text);
  std::memcpy(to, name.data(), name.size());
  to[name.size()] = '\0';
  FileRecord& added = record(*at);
  added.name = *text;
  added.set(kUsed);
  return &added;
}

std::optional<std::uint16_t> FileTable::device_index(std::uint64_t device) {
  auto devices = devices_.lock();
  const auto known = std::ranges::find(*devices, device);
  const auto index = static_cast<std::size_t>(known - devices->begin());
  if (index == kMostDevices) return std::nullopt;
  if (known == devices->end()) devices->push_back(device);
  return static_cast<std::uint16_t>(index);
}

// Without the lock: the list never moves, and an index is published only after its device is in it.
std::uint64_t FileTable::device(std::uint16_t index) const { return device_list_[index]; }

FileStamp FileTable::stamp(const FileRecord& record) const {
  return {.device = device(record.device),
          .inode = record.inode,
          .size = record.size,
          .mtime_ns = record.mtime_ns,
          .ctime_ns = record.ctime_ns};
}

bool FileTable::is_key_whole(const FileRecord& record) const {
  return algorithm_ == hash::Algorithm::xxh3 && record.size <= hash::FileReader::kSmall;
}

bool FileTable::set_whole(FileRecord& record, std::string_view digest) {
  if (digest.size() != width_) return false;
  if (is_key_whole(record)) {
    std::memcpy(record.key.data(), digest.data(), record.key.size());
    record.set(kEdges);
    record.set(kWhole);
    return true;
  }
  const auto at = take(digests_, *digest_room_.lock(), width_);
  if (!at) return false;
  std::memcpy(digests_.at(*at), digest.data(), width_);
  record.digest = *at;
  record.set(kWhole);
  return true;
}

std::string_view FileTable::whole(const FileRecord& record) const {
  const unsigned char* const bytes =
      is_key_whole(record) ? record.key.data() : digests_.at(record.digest);
  return {reinterpret_cast<const char*>(bytes), width_};  // NOLINT: bytes are chars here
}

}  // namespace tidemill::dupes
