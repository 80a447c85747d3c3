#include "tidemill/formats/sqlite_pages/row_count.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <span>
#include <vector>

#include "tidemill/base/descriptor.h"
#include "tidemill/base/system_text.h"
#include "tidemill/base/try.h"
#include "tidemill/formats/sqlite_pages/format.h"

namespace tidemill::sqlite_pages {
namespace {

// One thread.
class Counter {
 public:
  Counter(const std::string& path, const Descriptor& file) : path_(path), file_(file) {}

  Result<void> begin() {
    std::vector<char> header(kFirstHeader);
    TRY(read(0, header));
    const std::uint32_t size = get_u16(header.data() + 16);
    page_size_ = size == 1 ? 65'536 : size;
    struct stat seen{};
    if (page_size_ < 512 || ::fstat(file_.number(), &seen) != 0) return wrong("no database");
    pages_ = static_cast<std::uint64_t>(seen.st_size) / page_size_;
    return {};
  }

  Result<std::uint64_t> count(std::uint32_t root) {
    std::uint64_t rows = 0;
    std::uint64_t visited = 0;
    std::vector<std::uint32_t> waiting = {root};
    while (!waiting.empty()) {
      const std::uint32_t page = waiting.back();
      waiting.pop_back();
      if (page == 0 || page > pages_ || ++visited > pages_) return wrong("a page is out of place");
      char header[kLeafHeader];
      const std::uint64_t at = (page - std::uint64_t{1}) * page_size_;
      TRY(read(at + (page == 1 ? kFirstHeader : 0), header));
      if (header[0] == kLeaf) {
        rows += get_u16(header + 3);
      } else if (header[0] == kInterior) {
        TRY(add_children(page, at, waiting));
      } else {
        return wrong("page " + std::to_string(page) + " does not belong to a table");
      }
    }
    return rows;
  }

 private:
  Result<void> add_children(std::uint32_t page, std::uint64_t at,
                            std::vector<std::uint32_t>& waiting) {
    buffer_.resize(page_size_);
    TRY(read(at, buffer_));
    const char* header = buffer_.data() + (page == 1 ? kFirstHeader : 0);
    const std::size_t cells = get_u16(header + 3);
    const char* pointers = header + kInteriorHeader;
    if (pointers + 2 * cells > buffer_.data() + page_size_) return wrong("too many cells");
    waiting.push_back(get_u32(header + 8));
    for (std::size_t i = 0; i < cells; ++i) {
      const std::size_t cell = get_u16(pointers + 2 * i);
      if (cell + 4 > page_size_) return wrong("a cell is out of place");
      waiting.push_back(get_u32(buffer_.data() + cell));
    }
    return {};
  }

  Result<void> read(std::uint64_t at, std::span<char> into) const {
    while (!into.empty()) {
      const ssize_t got = ::pread(file_.number(), into.data(), into.size(), static_cast<off_t>(at));
      if (got < 0 && errno == EINTR) continue;
      if (got < 0) return wrong(system_text(errno));
      if (got == 0) return wrong("it ends too early");
      at += static_cast<std::uint64_t>(got);
      into = into.subspan(static_cast<std::size_t>(got));
    }
    return {};
  }

  [[nodiscard]] std::unexpected<Failure> wrong(const std::string& what) const {
    return fail(Cure::give_up, "count", path_ + ": " + what);
  }

  const std::string& path_;
  const Descriptor& file_;
  std::uint32_t page_size_ = 0;
  std::uint64_t pages_ = 0;
  std::vector<char> buffer_{};
};

}  // namespace

Result<std::uint64_t> count_rows(const std::string& path, std::uint32_t root) {
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file.is_open()) {
    return fail(Cure::give_up, "count", path + ": " + system_text(errno));
  }
  Counter counter(path, file);
  TRY(counter.begin());
  return counter.count(root);
}

}  // namespace tidemill::sqlite_pages
