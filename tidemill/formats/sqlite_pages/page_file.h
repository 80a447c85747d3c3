// PageFile: a new SQLite database whose pages are written by many threads at once.
//
// (The essay on the file format and how it is filled stands in table_builder.h.)
//
// Page numbers come from a counter, in runs, so writers meet nowhere. Runs never hold the page at
// 1 GiB that SQLite keeps for its locks. What a writer took and did not use it gives back, and what
// an abandoned table had comes back too; the next take() is served from it, and what is left at the
// end becomes the free list. finish() writes page 1 as that of a database without tables, lets
// SQLite create them, and puts the roots that the builders made in the place of SQLite's empty
// ones: so the schema is SQLite's own. Nothing is synced here; who finishes does that.
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

struct Run {
  std::uint32_t first = 0;
  std::uint32_t count = 0;
};

// A table that is ready: what SQLite is asked to create, and the page that is to be its root.
struct BuiltTable {
  std::string name{};
  std::string create{};  // CREATE TABLE …: with rowid, without unique columns and defaults
  std::string root{};    // one page
};

// Thread-safe.
class PageFile {
 public:
  // The file must not exist or be empty. 4 to 64 KiB, a power of two. `folder`: an open folder that
  // outlives it; the path's last part is opened there, and the path itself is for messages.
  [[nodiscard]] static Result<std::unique_ptr<PageFile>> create(const std::string& path,
                                                                std::uint32_t page_size,
                                                                std::optional<int> folder = {});

  [[nodiscard]] std::uint32_t page_size() const { return page_size_; }

  // `wanted` pages or fewer, in one run. Fails when SQLite could not count them any more.
  [[nodiscard]] Result<Run> take(std::uint32_t wanted);
  void give_back(Run run);

  // The bytes of whole pages, from `first` on.
  [[nodiscard]] Result<void> write(std::uint32_t first, std::span<const char> bytes);
  // One page that was written.
  [[nodiscard]] Result<std::string> read(std::uint32_t page) const;

  // Once, when every table is built. The file is then a database like any other.
  [[nodiscard]] Result<void> finish(std::span<const BuiltTable> tables);

  [[nodiscard]] std::uint64_t bytes() const;  // of the file, so far

 private:
  struct Pages {
    std::uint32_t next = 2;   // page 1 is written last
    std::vector<Run> free{};  // ascending, no two of them touch
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

  // SQLite locks bytes of this page and never stores anything there.
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
