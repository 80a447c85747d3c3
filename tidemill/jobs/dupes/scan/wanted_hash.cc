#include "tidemill/jobs/dupes/scan/wanted_hash.h"

#include <algorithm>
#include <chrono>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "tidemill/base/try.h"
#include "tidemill/engine/progress.h"
#include "tidemill/io/hash/algorithm.h"
#include "tidemill/jobs/dupes/scan/rereader.h"

namespace tidemill::dupes {
namespace {

using catalogue::FileCard;
using catalogue::KnownFile;

constexpr std::size_t kFilesAtOnce = 1'000;
constexpr std::uint64_t kBytesAtOnce = std::uint64_t{1} << 30U;

// A line for this host, and the rows of its file: a file below two roots has two.
struct HashOrder {
  const WantedFile* line = nullptr;
  KnownFile file{};
  std::vector<catalogue::FolderKey> folders{};
};

std::int64_t nanoseconds_of(WallTime time) {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(time.time_since_epoch()).count();
}

// Collects the files of a list, and then hashes them. One thread.
class WantedHash {
 public:
  WantedHash(catalogue::Catalogue& catalogue, Failures& failures, const command::Context& context)
      : catalogue_(catalogue), failures_(failures), context_(context) {}

  Result<void> take(std::span<const WantedFile> wanted) {
    LET(const auto about, catalogue_.about());
    for (const WantedFile& line : wanted) {
      if (line.host != about.host) {
        ++counts_.other_hosts;
      } else if (const auto algorithm = hash::algorithm_named(line.algorithm); !algorithm) {
        note_failure(line, {.step = "hash", .reason = "no such hash algorithm: " + line.algorithm});
      } else {
        TRY(take(line, static_cast<std::uint8_t>(*algorithm)));
      }
    }
    std::ranges::sort(orders_, {}, [](const HashOrder& order) {
      return std::tuple(order.file.folder, std::string_view(order.file.name));
    });
    return {};
  }

  Result<void> carry_out() {
    catalogue::KnownTotal total{.files = orders_.size()};
    for (const HashOrder& order : orders_) total.bytes += order.file.stamp.size;
    LET(const auto rereader, Rereader::make(catalogue_, total));
    LET(const auto reporter,
        engine::ProgressReporter::start(
            {}, [&] { return rereader->progress(); },
            [&](const engine::ProgressSnapshot& seen) { context_.console.show(seen); },
            context_.clock));
    for (std::span<const HashOrder> rest = orders_; !rest.empty();) {
      const std::size_t size = page_size(rest);
      TRY(hash_page(*rereader, rest.first(size)));
      rest = rest.subspan(size);
    }
    return {};
  }

  [[nodiscard]] const WantedCounts& counts() const { return counts_; }

 private:
  void note_failure(const WantedFile& line, Failure failure) {
    ++counts_.failed;
    const bool is_overtaken =
        failure.kind == FailureKind::not_found || failure.kind == FailureKind::changed;
    if (is_overtaken && failure.hint.empty()) failure.hint = "scan its folder again";
    failures_.add(line.path, std::move(failure));
  }

  Result<void> take(const WantedFile& line, std::uint8_t algorithm) {
    LET(auto cards, catalogue_.file(line.path));
    std::erase_if(cards, [](const FileCard& card) { return card.history.removed_at != 0; });
    if (cards.empty()) {
      ++counts_.strangers;
      return {};
    }
    // One root may have been scanned later than the other.
    const auto newest = std::ranges::max_element(
        cards, {}, [](const FileCard& card) { return card.stamp.ctime_ns; });
    if (newest->algorithm == algorithm && !newest->hash.empty()) {
      ++counts_.known;
      return {};
    }
    HashOrder order{.line = &line,
                    .file = {.folder = newest->folder,
                             .name = line.path.substr(line.path.rfind('/') + 1),
                             .stamp = newest->stamp,
                             .algorithm = algorithm}};
    for (const FileCard& card : cards) order.folders.push_back(card.folder);
    orders_.push_back(std::move(order));
    return {};
  }

  static std::size_t page_size(std::span<const HashOrder> rest) {
    std::size_t size = 0;
    std::uint64_t bytes = 0;
    while (size < rest.size() && size < kFilesAtOnce && bytes < kBytesAtOnce) {
      bytes += rest[size++].file.stamp.size;
    }
    return size;
  }

  Result<void> hash_page(Rereader& rereader, std::span<const HashOrder> orders) {
    std::vector<KnownFile> files;
    for (const HashOrder& order : orders) files.push_back(order.file);
    const std::int64_t now_ns = nanoseconds_of(context_.clock.wall());
    LET(const auto answers, rereader.read(files, context_.stop));
    std::vector<catalogue::HashNote> notes;
    for (std::size_t i = 0; i < orders.size(); ++i) {
      const HashOrder& order = orders[i];
      if (!answers[i]) {
        if (answers[i].error().cure == Cure::resume)
          ++counts_.left;
        else
          note_failure(*order.line, answers[i].error());
      } else if (order.file.stamp.is_fresh(now_ns)) {
        // Another write within the same clock tick would not change the stamp.
        note_failure(*order.line, {.cure = Cure::retry,
                                   .kind = FailureKind::changed,
                                   .step = "changed",
                                   .reason = "modified a moment ago",
                                   .hint = "try again in a few seconds"});
      } else {
        ++counts_.hashed;
        for (const catalogue::FolderKey folder : order.folders) {
          notes.push_back({.folder = folder,
                           .name = order.file.name,
                           .stamp = order.file.stamp,
                           .algorithm = order.file.algorithm,
                           .hash = answers[i]->view()});
        }
      }
    }
    TRY(catalogue_.update_hashes(notes));
    return {};
  }

  catalogue::Catalogue& catalogue_;
  Failures& failures_;
  const command::Context& context_;
  std::vector<HashOrder> orders_{};
  WantedCounts counts_{};
};

}  // namespace

Result<WantedCounts> hash_wanted(std::span<const WantedFile> wanted,
                                 catalogue::Catalogue& catalogue, Failures& failures,
                                 const command::Context& context) {
  WantedHash work(catalogue, failures, context);
  TRY(work.take(wanted));
  TRY(work.carry_out());
  return work.counts();
}

}  // namespace tidemill::dupes
