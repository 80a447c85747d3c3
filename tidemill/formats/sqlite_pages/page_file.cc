#include "tidemill/formats/sqlite_pages/page_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstring>
#include <string_view>
#include <tuple>

#include "tidemill/base/system_text.h"
#include "tidemill/base/try.h"
#include "tidemill/formats/sqlite_pages/format.h"
#include "tidemill/io/store/db.h"

namespace tidemill::sqlite_pages {
namespace {

// The default page limit of SQLite 3.40, minus some for the schema.
constexpr std::uint32_t kMostPages = 1'073'741'823 - 65'536;

std::uint32_t end_of(PageRun run) { return run.first + run.count; }

// Old versions of SQLite cannot read the last six entries of a trunk page, so they stay unused.
std::uint32_t entries_on_trunk(std::uint32_t page_size) { return page_size / 4 - 8; }

bool is_full_disk(int error) { return error == ENOSPC || error == EDQUOT; }

}  // namespace

Result<std::unique_ptr<PageFile>> PageFile::create(const std::string& path, std::uint32_t page_size,
                                                   std::optional<int> folder) {
  const auto refuse = [&](const std::string& why) {
    return fail(Cure::give_up, "create", path + ": " + why);
  };
  if (!std::has_single_bit(page_size) || page_size < 4096 || page_size > 65536) {
    return refuse("a page has 4096 to 65536 bytes, a power of two");
  }
  constexpr int kFlags = O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW;
  const std::string name = folder ? path.substr(path.rfind('/') + 1) : path;  // npos + 1 is 0
  Descriptor file(::openat(folder.value_or(AT_FDCWD), name.c_str(), kFlags, 0644));
  if (!file.is_open()) return refuse(system_text(errno));
  struct stat status{};
  if (::fstat(file.number(), &status) != 0) return refuse(system_text(errno));
  if (!S_ISREG(status.st_mode)) return refuse("not a file");
  if (status.st_size != 0) return refuse("not empty");
  return std::unique_ptr<PageFile>(new PageFile(path, folder, std::move(file), page_size));
}

std::unexpected<Failure> PageFile::failure(int error) const {
  auto failed = fail(is_full_disk(error) ? Cure::retry : Cure::give_up, "write",
                     path_ + ": " + system_text(error));
  if (is_full_disk(error)) {
    failed.error().kind = FailureKind::disk_full;
    failed.error().hint = "free some space on the disk that holds " + path_;
  }
  return failed;
}

Result<PageRun> PageFile::take(std::uint32_t wanted) {
  auto pages = pages_.lock();
  if (!pages->free.empty()) {
    PageRun& lowest = pages->free.front();
    const PageRun taken{.first = lowest.first, .count = std::min(wanted, lowest.count)};
    lowest = {.first = lowest.first + taken.count, .count = lowest.count - taken.count};
    if (lowest.count == 0) pages->free.erase(pages->free.begin());
    return taken;
  }
  if (pages->next == lock_page()) ++pages->next;
  const std::uint32_t end = pages->next < lock_page() ? lock_page() : kMostPages + 1;
  if (pages->next >= end) {
    return fail(Cure::give_up, "write", path_ + ": more pages than SQLite can count");
  }
  const PageRun taken{.first = pages->next, .count = std::min(wanted, end - pages->next)};
  pages->next += taken.count;
  return taken;
}

void PageFile::give_back(PageRun run) {
  if (run.count == 0) return;
  auto pages = pages_.lock();
  auto& free = pages->free;
  auto behind = std::ranges::lower_bound(free, run.first, {}, &PageRun::first);
  if (behind != free.begin() && end_of(*std::prev(behind)) == run.first) {
    --behind;
    behind->count += run.count;
  } else {
    behind = free.insert(behind, run);
  }
  if (const auto next = std::next(behind); next != free.end() && end_of(*behind) == next->first) {
    behind->count += next->count;
    free.erase(next);
  }
  shrink(*pages);
}

// Removes free pages at the end of the file.
void PageFile::shrink(Pages& pages) const {
  for (;;) {
    if (pages.next == lock_page() + 1) --pages.next;
    if (pages.free.empty() || end_of(pages.free.back()) != pages.next) return;
    pages.next = pages.free.back().first;
    pages.free.pop_back();
  }
}

Result<void> PageFile::write(std::uint32_t first, std::span<const char> bytes) {
  std::uint64_t at = offset_of(first);
  while (!bytes.empty()) {
    const ssize_t written =
        ::pwrite(file_.number(), bytes.data(), bytes.size(), static_cast<off_t>(at));
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return failure(written < 0 ? errno : ENOSPC);
    at += static_cast<std::uint64_t>(written);
    bytes = bytes.subspan(static_cast<std::size_t>(written));
  }
  // Starts the write-back now, so that the sync at the end is short.
  ::sync_file_range(file_.number(), static_cast<off_t>(offset_of(first)),
                    static_cast<off_t>(at - offset_of(first)), SYNC_FILE_RANGE_WRITE);
  return {};
}

Result<std::string> PageFile::read(std::uint32_t page) const {
  std::string bytes(page_size_, '\0');
  std::size_t done = 0;
  while (done < bytes.size()) {
    const ssize_t got = ::pread(file_.number(), bytes.data() + done, bytes.size() - done,
                                static_cast<off_t>(offset_of(page) + done));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) {
      return fail(Cure::give_up, "read", path_ + ": " + system_text(got < 0 ? errno : EIO));
    }
    done += static_cast<std::size_t>(got);
  }
  return bytes;
}

std::uint64_t PageFile::bytes() const { return offset_of(pages_.lock()->next); }

Result<void> PageFile::finish(std::span<const BuiltTable> tables) {
  const Pages pages = *pages_.lock();
  if (::ftruncate(file_.number(), static_cast<off_t>(offset_of(pages.next))) != 0) {
    return failure(errno);
  }
  LET(const FreeList free, write_free_list(pages));
  TRY(write_first_page(pages.next - 1, free));
  LET(const auto roots, create_tables(tables));  // SQLite is closed from here on
  for (std::size_t i = 0; i < tables.size(); ++i) TRY(write(roots[i], tables[i].root));
  return {};
}

// A trunk page: [next trunk][count][page]…  The listed pages are never written.
Result<PageFile::FreeList> PageFile::write_free_list(const Pages& pages) {
  FreeList list;
  std::string trunk(page_size_, '\0');
  std::uint32_t trunk_page = 0;
  std::uint32_t listed = 0;
  const auto close = [&]() -> Result<void> {
    if (trunk_page == 0) return {};
    put_u32(trunk.data(), list.first);
    put_u32(trunk.data() + 4, listed);
    list.first = trunk_page;
    return write(trunk_page, trunk);
  };
  for (const PageRun& run : pages.free) {
    for (std::uint32_t page = run.first; page < end_of(run); ++page) {
      ++list.count;
      if (trunk_page != 0 && listed < entries_on_trunk(page_size_)) {
        put_u32(trunk.data() + 8 + std::size_t{4} * listed++, page);
        continue;
      }
      TRY(close());
      trunk.assign(page_size_, '\0');
      trunk_page = page;
      listed = 0;
    }
  }
  TRY(close());
  return list;
}

// Writes the file header and, after it, the root page of an empty schema.
Result<void> PageFile::write_first_page(std::uint32_t pages, FreeList free) {
  using std::string_view_literals::operator""sv;
  std::string page(page_size_, '\0');
  char* const at = page.data();
  std::ranges::copy("SQLite format 3\0"sv, at);
  put_u16(at + 16, page_size_ == 65536 ? 1 : page_size_);
  std::ranges::copy("\x01\x01\x00\x40\x20\x20"sv, at + 18);  // rollback journal, no reserved bytes
  put_u32(at + 24, 1);                                       // change counter
  put_u32(at + 28, pages);
  put_u32(at + 32, free.first);
  put_u32(at + 36, free.count);
  put_u32(at + 44, 4);          // schema format: 0 and 1 have no body
  put_u32(at + 56, 1);          // UTF-8
  put_u32(at + 92, 1);          // the change counter that `pages` is valid for
  put_u32(at + 96, 3'040'001);  // the SQLite whose rules we follow
  at[kFirstHeader] = kLeaf;
  put_u16(at + kFirstHeader + 5, page_size_);  // 65536 is written as 0
  return write(1, page);
}

// Returns the root page that SQLite assigned to each table. Write to these pages only after this
// connection is closed: SQLite caches them.
Result<std::vector<std::uint32_t>> PageFile::create_tables(
    std::span<const BuiltTable> tables) const {
  LET(auto db, store::Db::open(path_, {.mode = store::Open::write, .folder = folder_}));
  TRY(
      db.exec("pragma locking_mode = exclusive; pragma journal_mode = off;"
              "pragma synchronous = off; begin exclusive"));
  for (const BuiltTable& table : tables) TRY(db.exec(table.create));
  TRY(db.exec("commit"));
  LET(auto indices, db.prepare("select count(*) from sqlite_schema where type = 'index'"));
  LET(const auto count, indices.one<std::int64_t>());
  if (count != 0) {
    return fail(Cure::give_up, "create", path_ + ": a table with a unique column cannot be built");
  }
  LET(auto select, db.prepare("select rootpage from sqlite_schema where type = 'table' and "
                              "name = ? collate nocase"));
  std::vector<std::uint32_t> roots;
  for (const BuiltTable& table : tables) {
    LET(const auto root, select.one<std::int64_t>(std::string_view(table.name)));
    if (!root) {
      return fail(Cure::give_up, "create", path_ + ": " + table.create + ": no " + table.name);
    }
    roots.push_back(static_cast<std::uint32_t>(*root));
  }
  return roots;
}

}  // namespace tidemill::sqlite_pages
