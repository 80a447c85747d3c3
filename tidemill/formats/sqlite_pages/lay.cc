#include <algorithm>
#include <cassert>
#include <cstring>
#include <span>
#include <string_view>

#include "tidemill/base/try.h"
#include "tidemill/formats/sqlite_pages/format.h"
#include "tidemill/formats/sqlite_pages/table_builder.h"

namespace tidemill::sqlite_pages {
namespace {

constexpr std::size_t kMostBytes = std::size_t{1} << 20U;  // of page images in memory
constexpr std::size_t kMostBeforePayload = 2 * kLongestVarint;

// The pages of one batch. The images in bench.pages lie in the file one behind the other; the leaf
// that is still being filled is one of them. One thread.
class Layout {
 public:
  Layout(const Cells& cells, PageFile& file, Bench& bench)
      : cells_(cells), file_(file), bench_(bench), page_size_(file.page_size()) {
    if (bench_.pages.size() < kMostBytes) bench_.pages.resize(kMostBytes);
    for (const Row& row : cells.rows()) to_come_ += row.payload + kMostBeforePayload;
  }

  Result<void> run() {
    for (const Row& row : cells_.rows()) TRY(place(row));
    return flush();
  }

  Leaves& leaves() { return leaves_; }

 private:
  Result<void> place(const Row& row);
  Result<void> spill(const Row& row, std::uint32_t local, char* at);
  Result<void> open_leaf();
  void close_leaf();

  // The page that open_page() will answer with: so that a link to it can be written before.
  Result<std::uint32_t> upcoming();
  Result<char*> open_page();
  Result<void> flush();

  const Cells& cells_;
  PageFile& file_;
  Bench& bench_;
  const std::uint32_t page_size_;
  Leaves leaves_{};
  std::uint64_t to_come_ = 0;  // bytes of the rows that are not placed yet, about

  std::uint32_t first_ = 0;  // page of the first image
  std::size_t filled_ = 0;   // bytes of images
  char* leaf_ = nullptr;     // the open one
  std::uint32_t cells_on_leaf_ = 0;
  std::uint32_t content_ = 0;  // its cells begin here, the last one first
};

Result<std::uint32_t> Layout::upcoming() {
  if (bench_.run.count == 0) {
    const std::uint64_t needed = to_come_ / page_size_ + 1;
    const auto wanted = static_cast<std::uint32_t>(std::min<std::uint64_t>(needed, 1024));
    LET(bench_.run, file_.take(wanted));
  }
  return bench_.run.first;
}

Result<char*> Layout::open_page() {
  LET(const std::uint32_t page, upcoming());
  const bool fits = filled_ + page_size_ <= kMostBytes;
  if (!fits || page != first_ + filled_ / page_size_) TRY(flush());
  if (filled_ == 0) first_ = page;
  ++bench_.run.first;
  --bench_.run.count;
  auto& runs = leaves_.runs;
  if (!runs.empty() && runs.back().first + runs.back().count == page) {
    ++runs.back().count;
  } else {
    runs.push_back({.first = page, .count = 1});
  }
  char* const image = bench_.pages.data() + filled_;
  filled_ += page_size_;
  return image;
}

// The open leaf goes too, full or not: at worst one short leaf for every MiB of a huge row.
Result<void> Layout::flush() {
  if (leaf_ != nullptr) close_leaf();
  if (filled_ == 0) return {};
  const std::span images(bench_.pages.data(), filled_);
  filled_ = 0;
  return file_.write(first_, images);
}

Result<void> Layout::open_leaf() {
  LET(const std::uint32_t page, upcoming());
  LET(leaf_, open_page());
  leaves_.list.push_back({.page = page, .last = 0});
  cells_on_leaf_ = 0;
  content_ = page_size_;
  return {};
}

void Layout::close_leaf() {
  leaf_[0] = kLeaf;
  put_u16(leaf_ + 1, 0);  // no free block
  put_u16(leaf_ + 3, cells_on_leaf_);
  put_u16(leaf_ + 5, content_);
  leaf_[7] = 0;
  const std::uint32_t gap = kLeafHeader + 2 * cells_on_leaf_;
  std::memset(leaf_ + gap, 0, content_ - gap);
  leaf_ = nullptr;
}

// A cell: [payload size][rowid][payload, or its beginning and the page where it goes on].
Result<void> Layout::place(const Row& row) {
  if (row.payload > kLargestRecord) {
    return fail(Cure::give_up, "write", "a row is larger than SQLite allows (1,000,000,000 bytes)");
  }
  char before[kMostBeforePayload];
  const char* const end =
      put_varint(put_varint(before, row.payload), static_cast<std::uint64_t>(row.rowid));
  const auto prefix = static_cast<std::uint32_t>(end - before);
  const std::uint32_t local = local_bytes(row.payload, page_size_);
  const bool spills = local < row.payload;
  const std::uint32_t size = prefix + local + (spills ? 4 : 0);
  assert(size >= 4);  // SQLite may turn any cell into a free block; a record has two bytes or more
  const auto room = [&] { return content_ - kLeafHeader - 2 * cells_on_leaf_; };
  if (leaf_ != nullptr && room() < size + 2) close_leaf();
  if (leaf_ == nullptr) TRY(open_leaf());

  content_ -= size;
  char* const cell = leaf_ + content_;
  put_u16(leaf_ + kLeafHeader + std::size_t{2} * cells_on_leaf_++, content_);
  assert(cells_on_leaf_ == 1 || leaves_.list.back().last < row.rowid);
  leaves_.list.back().last = row.rowid;
  to_come_ -= row.payload + kMostBeforePayload;
  std::memcpy(cell, before, prefix);
  if (spills) return spill(row, local, cell + prefix);
  if (row.larges == 0) {
    std::memcpy(cell + prefix, cells_.payload(row).data(), local);
  } else {
    char* at = cell + prefix;
    cells_.pieces(row, bench_.pieces);
    for (const auto piece : bench_.pieces) at = std::ranges::copy(piece, at).out;
  }
  return {};
}

// An overflow page: [next page, or 0][bytes].
Result<void> Layout::spill(const Row& row, std::uint32_t local, char* at) {
  std::uint64_t left = row.payload;
  std::size_t room = local;
  char* link = at + local;
  cells_.pieces(row, bench_.pieces);
  for (std::string_view piece : bench_.pieces) {
    while (!piece.empty()) {
      if (room == 0) {
        to_come_ += left;
        LET(const std::uint32_t next, upcoming());
        to_come_ -= left;
        put_u32(link, next);
        LET(link, open_page());
        at = link + 4;
        room = page_size_ - 4;
      }
      const std::size_t part = std::min(piece.size(), room);
      std::memcpy(at, piece.data(), part);
      at += part;
      room -= part;
      left -= part;
      piece.remove_prefix(part);
    }
  }
  put_u32(link, 0);
  std::memset(at, 0, room);
  return {};
}

}  // namespace

Result<Leaves> lay(const Cells& cells, PageFile& file, Bench& bench) {
  Layout layout(cells, file, bench);
  auto done = layout.run();
  if (done) return std::move(layout.leaves());
  for (const Run& run : layout.leaves().runs) file.give_back(run);
  return std::unexpected(std::move(done).error());
}

void give_back(PageFile& file, Bench& bench) {
  file.give_back(bench.run);
  bench.run = {};
}

}  // namespace tidemill::sqlite_pages
