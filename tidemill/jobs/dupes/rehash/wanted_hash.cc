#include "tidemill/jobs/dupes/rehash/wanted_hash.h"

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "tidemill/base/try.h"
#include "tidemill/engine/progress.h"
#include "tidemill/jobs/dupes/rehash/recorded_reader.h"
#include "tidemill/jobs/dupes/rehash/rereader.h"

namespace tidemill::dupes {
namespace {

constexpr std::size_t kFilesAtOnce = 1'000;
constexpr std::uint64_t kBytesAtOnce = std::uint64_t{1} << 30U;

// How many orders from `first` on are read and stored together.
std::size_t page_size(const std::vector<HashOrder>& orders, std::size_t first) {
  std::size_t size = 0;
  std::uint64_t bytes = 0;
  while (first + size < orders.size() && size < kFilesAtOnce && bytes < kBytesAtOnce) {
    bytes += orders[first + size++].file.stamp.size;
  }
  return size;
}

Result<void> hash_page(std::size_t first, std::size_t size, WantedOrders& work, Rereader& rereader,
                       const command::Context& context) {
  std::vector<catalogue::KnownFile> files;
  for (std::size_t i = 0; i < size; ++i) files.push_back(work.orders()[first + i].file);
  const WallTime read_at = context.clock.wall();
  LET(auto answers, rereader.read(files, context.stop));
  for (std::size_t i = 0; i < size; ++i) {
    const auto digest = unless_fresh(std::move(answers[i]), files[i].stamp, read_at);
    if (digest) {
      work.hashed(first + i, digest->view());
    } else if (digest.error().cure == Cure::resume) {
      work.left(1);
    } else {
      work.failed(first + i, digest.error());
    }
  }
  return work.store();
}

}  // namespace

Result<WantedCounts> hash_wanted(std::span<const WantedFile> wanted,
                                 catalogue::Catalogue& catalogue, Failures& failures,
                                 const command::Context& context) {
  LET(auto work, WantedOrders::of(wanted, catalogue, failures));
  LET(const auto rereader, Rereader::make(catalogue, work.total()));
  LET(const auto reporter,
      engine::ProgressReporter::start(
          {}, [&] { return rereader->progress(); },
          [&](const engine::ProgressSnapshot& seen) { context.console.show(seen); },
          context.clock));
  for (std::size_t first = 0; first < work.orders().size();) {
    const std::size_t size = page_size(work.orders(), first);
    TRY(hash_page(first, size, work, *rereader, context));
    first += size;
  }
  return work.counts();
}

}  // namespace tidemill::dupes
