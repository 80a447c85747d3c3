// TableBuilder: builds one table as pages of SQLite's file format.
//
// A table in the file is a B-tree of pages. Its leaves hold the rows in rowid order; its interior
// pages only map rowids to leaves:
//
//                          ┌─────────────────────┐
//     root                 │ A ≤20   B ≤47   │ C │      page numbers and the largest rowid below
//                          └─┬───────┬─────────┬─┘      each; the last one has no rowid
//               ┌────────────┘       │         └────────────┐
//     leaf A  ┌─┴────────────┐ leaf ┌┴─────────────┐ leaf C ┌┴─────────────┐
//             │header│→→→    │  B   │header│→→     │        │header│→      │
//             │      ┌───┬───┤      │   ┌──────┬───┤        │        ┌─────┤
//             │      │ 20│ 7 │      │   │ 47 ╲ │ 31│        │        │ 60  │
//             └──────┴───┴───┘      └───┴─────╲┴───┘        └────────┴─────┘
//                                              ╲ overflow
//                                             ┌─┴────┐   ┌──────┐
//                                             │next →│──▶│0     │
//                                             │bytes │   │bytes │
//                                             └──────┘   └──────┘
//
// On a leaf, a list of two-byte cell offsets grows from the front and the cells grow from the back.
// A cell is the size of the record, the rowid and the record (cells.h). A record that is larger
// than the page size minus 35 bytes keeps its beginning on the leaf, cut so that the last overflow
// page is full if possible, and continues in a chain of overflow pages.
//
// Who writes what, and when:
//
//     any thread      lay()                leaves and overflow pages, on page numbers taken in runs
//     one at a time   append()             interior pages, each when it is full
//     the last one    PageFile::finish()   free list, page 1, SQLite's schema, then the roots
//
// A row never moves after it was placed, and no page is written twice or by two threads, because
// each page number is given out once. So the writers share only the counter, and lay() scales with
// the cores. Only the order of the batches matters, and that costs append() one entry per leaf.
//
// A record may be shorter than its table: SQLite reads the missing columns as NULL. So a column
// that first occurs in the last row lengthens only that row, and the schema is not needed before
// the end.
//
// An interior page is closed one child early: that child goes to the next page together with the
// child that did not fit, so that no page ever has a single child, which SQLite reports as damage.
//
// Not supported: rows out of order, indices, a table that already has rows. Use SQL for those.
// Rejected: *sorting* (the rows would be written twice); *filling leaves across batches* (the
// writers would wait for each other, to save half a page per batch); *copying large values* (the
// overflow chain is written directly from the caller's memory); *writing the schema ourselves*
// (SQLite parses the statements again when it opens the file, so SQLite itself must accept them).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tidemill/base/result.h"
#include "tidemill/formats/sqlite_pages/cells.h"
#include "tidemill/formats/sqlite_pages/page_file.h"

namespace tidemill::sqlite_pages {

// The leaves that hold the rows of one batch, in order.
struct Leaves {
  struct Leaf {
    std::uint32_t page = 0;
    std::int64_t last = 0;  // the largest rowid on it
  };
  std::vector<Leaf> list{};
  std::vector<PageRun> runs{};  // all pages used, including overflow pages
};

// The buffers for laying out pages, reused so that no batch allocates. One thread.
struct LayoutBuffers {
  std::vector<char> pages{};
  std::vector<std::string_view> pieces{};
  PageRun run{};  // taken and not yet used: for the next batch of any table
};

// Places the rows on leaf and overflow pages and writes them, a MiB at a time. Rowids must ascend.
// Any thread, any table, independent of earlier batches. After a failure all its pages are given
// back.
[[nodiscard]] Result<Leaves> lay(const CellBatch& cells, PageFile& file, LayoutBuffers& buffers);
void give_back(PageFile& file, LayoutBuffers& buffers);  // returns the unused pages of `buffers`

// One thread at a time.
class TableBuilder {
 public:
  explicit TableBuilder(PageFile& file) : file_(file) {}

  // Appends after all existing leaves: rowids must be larger. Interior pages are written as soon as
  // they are full, so memory does not grow with the leaves.
  [[nodiscard]] Result<void> append(const Leaves& leaves);

  // Drops the table and gives its pages back.
  void abandon();

  // Returns the bytes of the root page. Nothing may be appended after it.
  [[nodiscard]] Result<std::string> finish();

 private:
  using Child = Leaves::Leaf;

  // The only page at its height that is not full yet; height 0 is directly above the leaves.
  struct Level {
    std::string page{};
    std::uint32_t cells = 0;
    std::uint32_t content = 0;  // offset of the cells, the last one first
    Child last_cell{};
    std::uint32_t last_size = 0;
    Child right{};  // the newest child, which has no cell yet
  };

  [[nodiscard]] Result<void> add(std::size_t height, Child child);
  [[nodiscard]] Result<Child> close(Level& level);
  static void seal(Level& level);
  static void take_last_cell_back(Level& level);
  void start(Level& level, Child first) const;
  [[nodiscard]] static bool put_cell(Level& level, Child child);
  void use(PageRun run);
  void disown(std::uint32_t page);

  PageFile& file_;
  std::vector<Level> levels_{};
  std::vector<PageRun> runs_{};  // for abandon(): 8 bytes per run
};

}  // namespace tidemill::sqlite_pages
