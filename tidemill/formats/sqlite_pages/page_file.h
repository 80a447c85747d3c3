// PageFile: a new SQLite database whose pages are written by many threads at once.
//
// (table_builder.h describes the file format and how the file is filled.)
//
// Page numbers come from a counter, in runs, so writers never contend for a page. A run never
// contains the page at 1 GiB that SQLite reserves for its locks. A writer gives unused pages back,
// and so does an abandoned table; the next take() reuses them, and those left at the end become the
// free list. finish() writes page 1 of a database without tables, lets SQLite create the tables,
// and overwrites SQLite's empty root pages with the roots that the builders made: so the schema is
// SQLite's own. Nothing is synced here: that is up to the caller of finish().
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "tidemill/base/descriptor.h"
#include "tidemill/base/guarded.h"
#include "tidemill/base/result.h"

namespace tidemill::sqlite_pages {

struct PageRun {
  std::uint32_t first = 0;
  std::uint32_t count = 0;
};

// A finished table: the statement with which SQLite creates it, and its root page.
struct BuiltTable {
  std::string name{};
  std::string create{};  // CREATE TABLE …: with rowid, without unique columns and defaults
  std::string root{};    // one page
};

// Thread-safe.
class PageFile {
 public:
  // The file must not exist, or must be empty. `page_size`: 4 to 64 KiB, a power of two. `folder`:
  // an open folder that outlives the PageFile; the last component of the path is opened in it, and
  // the path itself is for messages.
  [[nodiscard]] static Result<std::unique_ptr<PageFile>> create(const std::string& path,
                                                                std::uint32_t page_size,
                                                                std::optional<int> folder = {});

  [[nodiscard]] std::uint32_t page_size() const { return page_size_; }

  // Takes up to `wanted` pages, in one run. Fails when the file has as many pages as SQLite allows.
  [[nodiscard]] Result<PageRun> take(std::uint32_t wanted);
  void give_back(PageRun run);

  // Writes complete pages, from `first` on.
  [[nodiscard]] Result<void> write(std::uint32_t first, std::span<const char> bytes);
  // Reads back a page that was written.
  [[nodiscard]] Result<std::string> read(std::uint32_t page) const;

  // Call once, when every table is built. The file is then an ordinary database.
  [[nodiscard]] Result<void> finish(std::span<const BuiltTable> tables);

  [[nodiscard]] std::uint64_t bytes() const;  // of the file, so far

 private:
  struct Pages {
    std::uint32_t next = 2;       // page 1 is written last
    std::vector<PageRun> free{};  // ascending, never adjacent
  };
  struct FreeList {
    std::uint32_t first = 0;  // trunk page
    std::uint32_t count = 0;
  };

  PageFile(std::string path, std::optional<int> folder, Descriptor file, std::uint32_t page_size)
      : path_(std::move(path)), folder_(folder), file_(std::move(file)), page_size_(page_size) {}

  void shrink(Pages& pages) const;
  [[nodiscard]] Result<FreeList> write_free_list(const Pages& pages);
  [[nodiscard]] Result<void> write_first_page(std::uint32_t pages, FreeList free);
  [[nodiscard]] Result<std::vector<std::uint32_t>> create_tables(
      std::span<const BuiltTable> tables) const;
  [[nodiscard]] std::unexpected<Failure> failure(int error) const;

  // SQLite locks bytes of this page and stores nothing in it.
  [[nodiscard]] std::uint32_t lock_page() const { return (1U << 30U) / page_size_ + 1; }
  [[nodiscard]] std::uint64_t offset_of(std::uint32_t page) const {
    return std::uint64_t{page - 1} * page_size_;
  }

  const std::string path_;
  const std::optional<int> folder_;
  const Descriptor file_;
  const std::uint32_t page_size_;
  mutable Guarded<Pages> pages_;
};

}  // namespace tidemill::sqlite_pages
