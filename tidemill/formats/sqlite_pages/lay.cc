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

// Lays out the pages of one batch. The images in buffers.pages are consecutive pages of the file;
// the leaf that is being filled is one of them. One thread.
class Layout {
 public:
  Layout(const CellBatch& cells, PageFile& file, LayoutBuffers& buffers)
      : cells_(cells), file_(file), buffers_(buffers), page_size_(file.page_size()) {
    if (buffers_.pages.size() < kMostBytes) buffers_.pages.resize(kMostBytes);
    for (const CellRow& row : cells.rows()) pending_ += row.payload + kMostBeforePayload;
  }

  Result<void> run() {
    for (const CellRow& row : cells_.rows()) TRY(place(row));
    return flush();
  }

  Leaves& leaves() { return leaves_; }

 private:
  Result<void> place(const CellRow& row);
  Result<void> spill(const CellRow& row, std::uint32_t local, char* at);
  Result<void> open_leaf();
  void close_leaf();

  // The number of the page that open_page() will return, so that a link to it can be written first.
  Result<std::uint32_t> upcoming();
  Result<char*> open_page();
  Result<void> flush();

  const CellBatch& cells_;
  PageFile& file_;
  LayoutBuffers& buffers_;
  const std::uint32_t page_size_;
  Leaves leaves_{};
  std::uint64_t pending_ = 0;  // approximate bytes of the rows not placed yet

  std::uint32_t first_ = 0;  // page of the first image
  std::size_t filled_ = 0;   // bytes of images
  char* leaf_ = nullptr;     // the open leaf
  std::uint32_t cells_on_leaf_ = 0;
  std::uint32_t content_ = 0;  // offset of its cells, the last one first
};

Result<std::uint32_t> Layout::upcoming() {
  if (buffers_.run.count == 0) {
    const std::uint64_t needed = pending_ / page_size_ + 1;
    const auto wanted = static_cast<std::uint32_t>(std::min<std::uint64_t>(needed, 1024));
    LET(buffers_.run, file_.take(wanted));
  }
  return buffers_.run.first;
}

Result<char*> Layout::open_page() {
  LET(const std::uint32_t page, upcoming());
  const bool fits = filled_ + page_size_ <= kMostBytes;
  if (!fits || page != first_ + filled_ / page_size_) TRY(flush());
  if (filled_ == 0) first_ = page;
  ++buffers_.run.first;
  --buffers_.run.count;
  auto& runs = leaves_.runs;
  if (!runs.empty() && runs.back().first + runs.back().count == page) {
    ++runs.back().count;
  } else {
    runs.push_back({.first = page, .count = 1});
  }
  char* const image = buffers_.pages.data() + filled_;
  filled_ += page_size_;
  return image;
}

// Also closes the open leaf, full or not: at worst one short leaf per MiB of a huge row.
Result<void> Layout::flush() {
  if (leaf_ != nullptr) close_leaf();
  if (filled_ == 0) return {};
  const std::span images(buffers_.pages.data(), filled_);
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

// A cell: [payload size][rowid][payload, or its beginning and the number of the overflow page].
Result<void> Layout::place(const CellRow& row) {
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
  assert(size >= 4);  // SQLite may turn a cell into a free block; a record has at least two bytes
  const auto room = [&] { return content_ - kLeafHeader - 2 * cells_on_leaf_; };
  if (leaf_ != nullptr && room() < size + 2) close_leaf();
  if (leaf_ == nullptr) TRY(open_leaf());

  content_ -= size;
  char* const cell = leaf_ + content_;
  put_u16(leaf_ + kLeafHeader + std::size_t{2} * cells_on_leaf_++, content_);
  assert(cells_on_leaf_ == 1 || leaves_.list.back().last < row.rowid);
  leaves_.list.back().last = row.rowid;
  pending_ -= row.payload + kMostBeforePayload;
  std::memcpy(cell, before, prefix);
  if (spills) return spill(row, local, cell + prefix);
  if (row.larges == 0) {
    std::memcpy(cell + prefix, cells_.payload(row).data(), local);
  } else {
    char* at = cell + prefix;
    cells_.pieces(row, buffers_.pieces);
    for (const auto piece : buffers_.pieces) at = std::ranges::copy(piece, at).out;
  }
  return {};
}

// An overflow page: [next page, or 0][bytes].
Result<void> Layout::spill(const CellRow& row, std::uint32_t local, char* at) {
  std::uint64_t left = row.payload;
  std::size_t room = local;
  char* link = at + local;
  cells_.pieces(row, buffers_.pieces);
  for (std::string_view piece : buffers_.pieces) {
    while (!piece.empty()) {
      if (room == 0) {
        pending_ += left;
        LET(const std::uint32_t next, upcoming());
        pending_ -= left;
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

Result<Leaves> lay(const CellBatch& cells, PageFile& file, LayoutBuffers& buffers) {
  Layout layout(cells, file, buffers);
  auto done = layout.run();
  if (done) return std::move(layout.leaves());
  for (const PageRun& run : layout.leaves().runs) file.give_back(run);
  return std::unexpected(std::move(done).error());
}

void give_back(PageFile& file, LayoutBuffers& buffers) {
  file.give_back(buffers.run);
  buffers.run = {};
}

}  // namespace tidemill::sqlite_pages
