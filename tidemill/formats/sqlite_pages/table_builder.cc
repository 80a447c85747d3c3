#include "tidemill/formats/sqlite_pages/table_builder.h"

#include <algorithm>
#include <cassert>
#include <cstring>
#include <utility>

#include "tidemill/base/try.h"
#include "tidemill/formats/sqlite_pages/format.h"

namespace tidemill::sqlite_pages {
namespace {

// For both kinds of page. The gap between offsets and cells is already zero.
void put_page_header(std::string& page, char kind, std::uint32_t cells, std::uint32_t content) {
  page[0] = kind;
  put_u16(page.data() + 3, cells);
  put_u16(page.data() + 5, content);
}

}  // namespace

Result<void> TableBuilder::append(const Leaves& leaves) {
  for (const PageRun& run : leaves.runs) use(run);
  for (const Child& leaf : leaves.list) TRY(add(0, leaf));
  return {};
}

void TableBuilder::start(Level& level, Child first) const {
  level.page.assign(file_.page_size(), '\0');
  level.cells = 0;
  level.content = file_.page_size();
  level.right = first;
}

// Appends the cell [child][largest rowid below it]. False: the page is full.
bool TableBuilder::put_cell(Level& level, Child child) {
  char cell[4 + kLongestVarint];
  const char* const end =
      put_varint(put_u32(cell, child.page), static_cast<std::uint64_t>(child.last));
  const auto size = static_cast<std::uint32_t>(end - cell);
  if (level.content - kInteriorHeader - 2 * level.cells < size + 2) return false;
  level.content -= size;
  std::memcpy(level.page.data() + level.content, cell, size);
  put_u16(level.page.data() + kInteriorHeader + std::size_t{2} * level.cells++, level.content);
  level.last_cell = child;
  level.last_size = size;
  return true;
}

Result<void> TableBuilder::add(std::size_t height, Child child) {
  if (height == levels_.size()) {
    start(levels_.emplace_back(), child);
    return {};
  }
  Level& level = levels_[height];
  assert(level.right.last < child.last);
  const Child before = std::exchange(level.right, child);
  if (put_cell(level, before)) return {};
  level.right = level.last_cell;
  take_last_cell_back(level);
  LET(const Child full, close(level));
  start(level, before);
  level.right = child;
  [[maybe_unused]] const bool fits = put_cell(level, before);
  assert(fits);
  return add(height + 1, full);
}

void TableBuilder::take_last_cell_back(Level& level) {
  std::memset(level.page.data() + level.content, 0, level.last_size);
  put_u16(level.page.data() + kInteriorHeader + std::size_t{2} * --level.cells, 0);
  level.content += level.last_size;
}

void TableBuilder::seal(Level& level) {
  put_page_header(level.page, kInterior, level.cells, level.content);
  put_u32(level.page.data() + 8, level.right.page);
}

Result<TableBuilder::Child> TableBuilder::close(Level& level) {
  seal(level);
  LET(const PageRun run, file_.take(1));
  use(run);
  TRY(file_.write(run.first, level.page));
  return Child{.page = run.first, .last = level.right.last};
}

Result<std::string> TableBuilder::finish() {
  if (levels_.empty()) {
    std::string empty(file_.page_size(), '\0');
    put_page_header(empty, kLeaf, 0, file_.page_size());
    return empty;
  }
  if (levels_.size() == 1 && levels_[0].cells == 0) {  // the only leaf becomes the root
    const std::uint32_t page = levels_[0].right.page;
    LET(auto leaf, file_.read(page));
    disown(page);
    return leaf;
  }
  for (std::size_t height = 0; height + 1 < levels_.size(); ++height) {
    LET(const Child last, close(levels_[height]));
    TRY(add(height + 1, last));
  }
  seal(levels_.back());
  return std::move(levels_.back().page);
}

void TableBuilder::use(PageRun run) {
  if (!runs_.empty() && runs_.back().first + runs_.back().count == run.first) {
    runs_.back().count += run.count;
  } else {
    runs_.push_back(run);
  }
}

void TableBuilder::disown(std::uint32_t page) {
  const auto run = std::ranges::find_if(
      runs_, [&](PageRun r) { return r.first <= page && page - r.first < r.count; });
  const PageRun behind{.first = page + 1, .count = run->first + run->count - page - 1};
  run->count = page - run->first;
  runs_.push_back(behind);
  file_.give_back({.first = page, .count = 1});
}

void TableBuilder::abandon() {
  for (const PageRun& run : runs_) file_.give_back(run);
  runs_.clear();
  levels_.clear();
}

}  // namespace tidemill::sqlite_pages
