#include "tidemill/jobs/dupes/scan/partitioned_files.h"

#include <algorithm>
#include <cstring>
#include <queue>
#include <type_traits>
#include <utility>

#include "tidemill/base/try.h"

namespace tidemill::dupes {
namespace {

constexpr std::size_t kPage = std::size_t{8} << 10U;

// Precedes a name and a hash. In the partition file, `name` and `digest` of the record are the
// lengths of these; in a table they are positions.
struct Head {
  std::uint64_t order = 0;  // in a pack: the mark, which determines the bucket
  FileRecord record{};
  [[nodiscard]] std::size_t size() const { return sizeof(Head) + record.name + record.digest; }
};
static_assert(sizeof(Head) == 80 && std::is_trivially_copyable_v<Head>);

Head head_of(std::string_view bytes) {
  Head head;
  std::memcpy(&head, bytes.data(), sizeof head);
  return head;
}

void put(std::string& bytes, const Head& head) {
  bytes.append(reinterpret_cast<const char*>(&head), sizeof head);  // NOLINT: bytes are chars here
}

// Multiplicative hashing: similar sizes go to different buckets.
std::size_t bucket_of(std::uint64_t mark) {
  return static_cast<std::size_t>((mark * 0x9e3779b97f4a7c15U) >> 56U);
}
static_assert(PartitionedFiles::kBuckets == 256);

// In a table: the record, the name, the digest, and the memory for searching and sorting per file.
std::uint64_t weight_of(const Head& head) {
  constexpr std::uint64_t kSorting = 48;
  return sizeof(FileRecord) + head.record.name + 1 + head.record.digest + kSorting;
}

}  // namespace

void FilePack::add(const FileRecord& record, std::string_view name, std::string_view whole,
                   std::uint64_t mark) {
  Head head{.order = mark, .record = record};
  head.record.name = static_cast<std::uint32_t>(name.size());
  head.record.digest = static_cast<std::uint32_t>(whole.size());
  put(bytes_, head);
  bytes_.append(name).append(whole);
}

// Reserves the chunk under the lock, so that the pages of a bucket are in order; the bytes are
// written afterwards, without the lock.
PartitionedFiles::FullPage PartitionedFiles::turn(Bucket& bucket) const {
  FullPage page{.chunk = partition_file_.reserve(bucket.page.size()),
                .bytes = std::exchange(bucket.page, {})};
  bucket.run.push_back(page.chunk);
  return page;
}

Result<void> PartitionedFiles::add(FilePack& files) {
  std::vector<FullPage> full;
  {
    const auto buckets = buckets_.lock();
    for (std::string_view rest = files.bytes_; !rest.empty();) {
      Head head = head_of(rest);
      const std::size_t size = head.size();
      Bucket& bucket = buckets->all[bucket_of(head.order)];
      if (!bucket.page.empty() && bucket.page.size() + size > kPage) full.push_back(turn(bucket));
      if (bucket.page.empty()) bucket.page.reserve(kPage);
      head.order = buckets->files++;
      put(bucket.page, head);
      bucket.page.append(rest.substr(sizeof head, size - sizeof head));
      bucket.weight += weight_of(head);
      rest.remove_prefix(size);
    }
  }
  files.bytes_.clear();
  for (const FullPage& page : full) TRY(partition_file_.write(page.chunk, page.bytes));
  return {};
}

Result<void> PartitionedFiles::close() {
  std::vector<FullPage> last;
  {
    const auto buckets = buckets_.lock();
    for (Bucket& bucket : buckets->all) {
      if (!bucket.page.empty()) last.push_back(turn(bucket));
    }
  }
  for (const FullPage& page : last) TRY(partition_file_.write(page.chunk, page.bytes));
  return {};
}

std::uint64_t PartitionedFiles::weight(std::size_t bucket) const {
  return buckets_.lock()->all[bucket].weight;
}

Result<void> PartitionedFiles::each(std::size_t first, std::size_t last,
                                    const OnFile& on_file) const {
  using Next = std::pair<std::uint64_t, std::size_t>;  // order, reader
  std::priority_queue<Next, std::vector<Next>, std::greater<>> next;
  std::vector<PartitionChunks> runs;
  std::vector<PartitionReader> readers;
  for (std::size_t i = first; i < last; ++i) runs.push_back(buckets_.lock()->all[i].run);
  for (const PartitionChunks& run : runs) {
    PartitionReader& reader = readers.emplace_back(partition_file_, run);
    LET(const std::string_view* rest, reader.rest());
    if (!rest->empty()) next.emplace(head_of(*rest).order, readers.size() - 1);
  }
  while (!next.empty()) {
    const std::size_t at = next.top().second;
    next.pop();
    LET(std::string_view * rest, readers[at].rest());
    const Head head = head_of(*rest);
    TRY(on_file(head.record, rest->substr(sizeof head, head.record.name),
                rest->substr(sizeof head + head.record.name, head.record.digest)));
    rest->remove_prefix(head.size());
    LET(rest, readers[at].rest());
    if (!rest->empty()) next.emplace(head_of(*rest).order, at);
  }
  return {};
}

}  // namespace tidemill::dupes
