// TableBuilder: one table, as pages of SQLite's file format.
//
// A table in the file is a B-tree of pages. Its leaves hold the rows in the order of their rowids,
// its interior pages only say which leaf has which rowids:
//
//                          ┌─────────────────────┐
//     root                 │ A ≤20   B ≤47   │ C │      page numbers and the largest rowid below
//                          └─┬───────┬─────────┬─┘      each; the last has none
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
// On a leaf a list of two-byte places grows from the front and the cells from the back. A cell is
// the size of the record, the rowid and the record (cells.h). A record that would take more than a
// page less 35 bytes keeps its beginning on the leaf, cut so that the last overflow page is full if
// that is possible, and goes on in a chain of overflow pages.
//
// Who writes what, when:
//
//     any thread      lay()           leaves and overflow pages, on page numbers taken in runs
//     one at a time   append()        interior pages, each when it is full
//     the last one    PageFile::finish()   free list, page 1, SQLite's schema, then the roots
//
// A row never moves after it was placed, no page is written twice and none by two threads, for a
// page number is handed out once. So the writers share only the counter, and lay() scales with the
// cores. Only the order of the batches matters, and that costs append() one entry a leaf.
//
// A record may be shorter than its table: SQLite reads the columns that are not there as NULL. So
// a column that is first seen in the last row lengthens that row alone; the schema is not needed
// before the end.
//
// An interior page is closed one child early: the child goes to the next page together with the one
// that did not fit, so that no page is ever left with a single child, which SQLite calls damage.
//
// What has no place here: rows out of order, indices, a table that has rows already. SQL does
// those. Refused: *sorting* (the rows would be written twice); *filling leaves across batches* (the
// writers would wait for each other, to win half a page a batch); *copying large values* (a chain
// takes them from where they lie); *writing the schema ourselves* (SQLite parses its own statements
// when it opens the file, so it must be SQLite that accepts them).
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
  std::vector<Run> runs{};  // all pages that were used, overflow pages too
};

// What one thread needs to lay out pages; kept, so that no batch allocates. One thread.
struct Bench {
  std::vector<char> pages{};
  std::vector<std::string_view> pieces{};
  Run run{};  // taken and not yet used: serves the next batch, of whatever table
};

// Lays the rows on leaf and overflow pages and writes them, a MiB at a time. Rowids must ascend.
// Any thread, any table; needs nothing of the batches before it. After a failure no page is kept.
[[nodiscard]] Result<Leaves> lay(const Cells& cells, PageFile& file, Bench& bench);
void give_back(PageFile& file, Bench& bench);  // what the bench still has

// One thread at a time.
class TableBuilder {
 public:
  explicit TableBuilder(PageFile& file) : file_(file) {}

  // Behind all leaves that are there: rowids must be larger. Interior pages are written as soon as
  // they are full, so memory does not grow with the table.
  [[nodiscard]] Result<void> append(const Leaves& leaves);

  // Forgets everything and gives the pages back.
  void abandon();

  // The root page's bytes. Nothing may be appended any more.
  [[nodiscard]] Result<std::string> finish();

 private:
  using Child = Leaves::Leaf;

  // The one page of its height that is not full yet; height 0 is right above the leaves.
  struct Level {
    std::string page{};
    std::uint32_t cells = 0;
    std::uint32_t content = 0;  // where the cells begin, the last one first
    Child last_cell{};
    std::uint32_t last_size = 0;
    Child right{};  // the newest child: has no cell yet
  };

  [[nodiscard]] Result<void> add(std::size_t height, Child child);
  [[nodiscard]] Result<Child> close(Level& level);
  static void seal(Level& level);
  static void take_last_cell_back(Level& level);
  void start(Level& level, Child first) const;
  [[nodiscard]] static bool put_cell(Level& level, Child child);
  void use(Run run);
  void disown(std::uint32_t page);

  PageFile& file_;
  std::vector<Level> levels_{};
  std::vector<Run> runs_{};  // for abandon(): 8 bytes a run
};

}  // namespace tidemill::sqlite_pages
