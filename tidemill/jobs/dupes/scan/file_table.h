// FileTable: all files of a scan, in little memory: a record of 72 bytes and the bytes of the name.
// Records and names are in blocks that never move. During the sweep each worker fills its own
// blocks; afterwards all threads read, and a record is written only by the thread that processes
// it. Files of one folder are adjacent and ordered by inode, so iterating over the table reads the
// disk in order.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <new>
#include <optional>
#include <string_view>
#include <vector>

#include "tidemill/base/file_stamp.h"
#include "tidemill/base/guarded.h"
#include "tidemill/io/hash/algorithm.h"

namespace tidemill::dupes {

// Cells in blocks that never move, each with a 32-bit number. Growing takes no lock; access to the
// contents of a cell is up to the caller. Thread-safe.
template <class Cell, std::size_t Shift>
class Blocks {
 public:
  static constexpr std::size_t kCells = std::size_t{1} << Shift;
  static constexpr std::size_t kMost = (std::size_t{1} << 32U) >> Shift;

  Blocks() = default;
  Blocks(const Blocks&) = delete;
  Blocks& operator=(const Blocks&) = delete;
  ~Blocks() {
    for (std::size_t i = 0; i < count(); ++i) delete[] list_.get()[i].load();
  }

  // The number of the first cell of a new block; nullopt: all numbers are used. The memory is
  // allocated first, so a failed allocation uses no number.
  [[nodiscard]] std::optional<std::uint32_t> add() {
    auto cells = std::make_unique<Cell[]>(kCells);
    const std::size_t block = count_.fetch_add(1);
    if (block >= kMost) return std::nullopt;
    list_.get()[block].store(cells.release(), std::memory_order_release);
    return static_cast<std::uint32_t>(block << Shift);
  }
  [[nodiscard]] std::size_t count() const { return std::min(count_.load(), kMost); }
  [[nodiscard]] Cell* at(std::uint32_t number) const {
    return list_.get()[number >> Shift].load(std::memory_order_acquire) + (number & (kCells - 1));
  }

 private:
  using Slot = std::atomic<Cell*>;
  struct Free {
    void operator()(Slot* list) const { std::free(list); }  // NOLINT: see list_
  };

  // Throws bad_alloc like any container.
  static Slot* make_list() {
    void* const list = std::calloc(kMost, sizeof(Slot));  // NOLINT: see list_
    if (list == nullptr) throw std::bad_alloc();
    return static_cast<Slot*>(list);
  }

  // Long, and mostly unused: pages from calloc take no memory until they are written.
  std::unique_ptr<Slot, Free> list_{make_list()};
  std::atomic<std::size_t> count_{0};
};

using FileIndex = std::uint32_t;

// The state of a file.
using Mark = std::uint16_t;
inline constexpr Mark kUsed = 1U << 0U;     // the record holds a file
inline constexpr Mark kWanted = 1U << 1U;   // another file has its size: its contents must be known
inline constexpr Mark kLinked = 1U << 2U;   // another record has its inode and represents it
inline constexpr Mark kEdges = 1U << 3U;    // `key` is set
inline constexpr Mark kWhole = 1U << 4U;    // the hash of the complete contents is set
inline constexpr Mark kFailed = 1U << 5U;   // it could not be read
inline constexpr Mark kUnsaved = 1U << 6U;  // has data that is not in the catalogue yet
inline constexpr Mark kViaLink = 1U << 7U;  // found through a symlink
inline constexpr Mark kForeign = 1U << 8U;  // of another host: known from its catalogue, never read
inline constexpr Mark kGone = 1U << 9U;     // it has vanished since the sweep

struct FileRecord {
  std::uint64_t size = 0;
  std::uint64_t inode = 0;
  std::int64_t mtime_ns = 0;
  std::int64_t ctime_ns = 0;
  std::array<unsigned char, 16> key{};  // XXH3 of a small file, or of both ends of a large one
  std::uint32_t folder = 0;
  std::uint32_t name = 0;    // position in the table's names
  std::uint32_t digest = 0;  // position in the table's digests
  std::uint32_t blocks = 0;  // of 512 bytes; at most 2 TB
  std::uint16_t links = 0;
  std::uint16_t device = 0;  // index
  Mark marks = 0;
  std::uint16_t spare = 0;

  [[nodiscard]] bool has(Mark mark) const { return (marks & mark) != 0; }
  void set(Mark mark) { marks = static_cast<Mark>(marks | mark); }
  void clear(Mark mark) { marks = static_cast<Mark>(marks & ~mark); }
};
static_assert(sizeof(FileRecord) == 72);

// Thread-safe as described at the top of this file.
class FileTable {
 public:
  FileTable(std::size_t workers, hash::Algorithm algorithm);

  // Called only by the worker with this number. Marks the record as used. Null: the table is full
  // (2^32 files, 4 GiB of names).
  [[nodiscard]] FileRecord* add(std::size_t worker, std::string_view name);

  [[nodiscard]] hash::Algorithm algorithm() const { return algorithm_; }
  // nullopt: there are more devices than an index can number.
  [[nodiscard]] std::optional<std::uint16_t> device_index(std::uint64_t device);
  [[nodiscard]] std::uint64_t device(std::uint16_t index) const;

  // Indexes run from 0 to below end(); some of the records are not used.
  [[nodiscard]] std::size_t end() const { return records_.count() * kBlock; }
  template <class Each>
  void each(Each on_file) const {
    for (std::size_t i = 0; i < end(); ++i) {
      const auto file = static_cast<FileIndex>(i);
      if (const FileRecord& seen = record(file); seen.has(kUsed)) on_file(file, seen);
    }
  }

  [[nodiscard]] FileRecord& record(FileIndex file) { return *records_.at(file); }
  [[nodiscard]] const FileRecord& record(FileIndex file) const { return *records_.at(file); }
  [[nodiscard]] const char* name(const FileRecord& record) const { return names_.at(record.name); }
  [[nodiscard]] FileStamp stamp(const FileRecord& record) const;

  // The hash of the complete contents, by the table's algorithm; setting it marks the record.
  // False: no room for another digest.
  [[nodiscard]] bool set_whole(FileRecord& record, std::string_view digest);
  [[nodiscard]] std::string_view whole(const FileRecord& record) const;

  static constexpr std::size_t kBlockShift = 9;
  static constexpr std::size_t kBlock = std::size_t{1} << kBlockShift;

 private:
  struct Room {
    std::uint32_t next = 0;
    std::size_t left = 0;
  };
  struct alignas(64) Lane {  // of one worker
    Room records{};
    Room names{};
  };
  // The XXH3 of a small file is its key, so it needs no separate digest.
  [[nodiscard]] bool is_key_whole(const FileRecord& record) const;

  const hash::Algorithm algorithm_;
  const std::size_t width_;
  Blocks<FileRecord, kBlockShift> records_;
  Blocks<char, 16> names_;
  Blocks<unsigned char, 16> digests_;
  std::vector<Lane> lanes_;
  Guarded<Room> digest_room_;
  static constexpr std::size_t kMostDevices = 65'536;  // all that an index can number
  Guarded<std::vector<std::uint64_t>> devices_;
  const std::uint64_t* device_list_ = nullptr;
};

}  // namespace tidemill::dupes
