#include "tidemill/jobs/dupes/rehash/wanted_orders.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "tidemill/base/try.h"
#include "tidemill/io/hash/algorithm.h"

namespace tidemill::dupes {

using catalogue::FileCard;

Result<WantedOrders> WantedOrders::of(std::span<const WantedFile> wanted,
                                      catalogue::Catalogue& catalogue, Failures& failures) {
  WantedOrders all(catalogue, failures);
  LET(const auto about, catalogue.about());
  for (const WantedFile& line : wanted) {
    if (line.host != about.host) {
      ++all.counts_.other_hosts;
    } else if (const auto algorithm = hash::algorithm_named(line.algorithm); !algorithm) {
      all.note_failure(line,
                       {.step = "hash", .reason = "no such hash algorithm: " + line.algorithm});
    } else {
      TRY(all.take(line, static_cast<std::uint8_t>(*algorithm)));
    }
  }
  std::ranges::sort(all.orders_, {}, [](const HashOrder& order) {
    return std::tuple(order.file.folder, std::string_view(order.file.name));
  });
  return all;
}

Result<void> WantedOrders::take(const WantedFile& line, std::uint8_t algorithm) {
  LET(auto cards, catalogue_->file(line.path));
  std::erase_if(cards, [](const FileCard& card) { return card.history.removed_at != 0; });
  if (cards.empty()) {
    ++counts_.strangers;
    return {};
  }
  // One root may have been scanned later than the other.
  const auto newest =
      std::ranges::max_element(cards, {}, [](const FileCard& card) { return card.stamp.ctime_ns; });
  if (newest->algorithm == algorithm && !newest->hash.empty()) {
    ++counts_.known;
    return {};
  }
  HashOrder order{.line = &line,
                  .root = newest->root,
                  .file = {.folder = newest->folder,
                           .name = line.path.substr(line.path.rfind('/') + 1),
                           .stamp = newest->stamp,
                           .algorithm = algorithm}};
  for (const FileCard& card : cards) order.folders.push_back(card.folder);
  orders_.push_back(std::move(order));
  return {};
}

catalogue::KnownTotal WantedOrders::total() const {
  catalogue::KnownTotal total{.files = orders_.size()};
  for (const HashOrder& order : orders_) total.bytes += order.file.stamp.size;
  return total;
}

void WantedOrders::hashed(std::size_t order, std::string_view hash) {
  ++counts_.hashed;
  hashed_.push_back({.order = order, .hash = std::string(hash)});
}

void WantedOrders::failed(std::size_t order, Failure failure) {
  note_failure(*orders_[order].line, std::move(failure));
}

void WantedOrders::note_failure(const WantedFile& line, Failure failure) {
  ++counts_.failed;
  const bool is_overtaken =
      failure.kind == FailureKind::not_found || failure.kind == FailureKind::changed;
  if (is_overtaken && failure.hint.empty()) failure.hint = "scan its folder again";
  failures_->add(line.path, std::move(failure));
}

Result<void> WantedOrders::store() {
  std::vector<catalogue::HashNote> notes;
  for (const Hashed& hashed : hashed_) {
    const HashOrder& order = orders_[hashed.order];
    for (const catalogue::FolderKey folder : order.folders) {
      notes.push_back({.folder = folder,
                       .name = order.file.name,
                       .stamp = order.file.stamp,
                       .algorithm = order.file.algorithm,
                       .hash = hashed.hash});
    }
  }
  TRY(catalogue_->update_hashes(notes));
  hashed_.clear();
  return {};
}

}  // namespace tidemill::dupes
