#include "tidemill/app/catalogue/hash_journal.h"

#include <algorithm>
#include <string>
#include <variant>

#include "tidemill/base/try.h"
#include "tidemill/io/hash/algorithm.h"

namespace tidemill::app {
namespace {

using engine::Entry;

bool is_hash(std::string_view bytes, std::uint8_t algorithm) {
  const auto known = hash::algorithm_numbered(algorithm);
  return known && bytes.size() == hash::width_of(*known);
}

}  // namespace

HashJournal::HashJournal(catalogue::Catalogue& catalogue, dupes::WantedOrders& orders,
                         const dupes::HashTasks& tasks)
    : catalogue_(catalogue),
      orders_(orders),
      tasks_(tasks),
      standings_(orders.orders().size()),
      total_(orders.total()) {
  for (const auto& [order, failure] : tasks.unreachable()) fail(order, failure);
}

Result<engine::FleetEpoch> HashJournal::epoch() { return catalogue_.fleet_epoch(); }

Result<void> HashJournal::record(engine::FleetEpoch epoch) {
  return catalogue_.record_fleet_epoch(epoch);
}

Result<std::optional<engine::TaskRecord>> HashJournal::task(engine::TaskId id) {
  const auto orders = tasks_.orders_of(id);
  if (orders.empty() || standings_[orders.front()].is_settled) {
    return std::optional<engine::TaskRecord>();
  }
  const Standing& standing = standings_[orders.front()];
  return engine::TaskRecord{.id = id, .attempts = standing.attempts, .crashes = standing.crashes};
}

Result<void> HashJournal::commit(std::span<const Entry> entries,
                                 std::span<const engine::TaskReport* const> /*reports*/) {
  for (const Entry& entry : entries) {
    const auto orders = tasks_.orders_of(engine::task_of(entry));
    if (orders.empty() || standings_[orders.front()].is_settled) continue;
    Standing& standing = standings_[orders.front()];
    if (const auto* done = std::get_if<engine::Done>(&entry)) {
      finish(done->id, done->result);
    } else if (const auto* died = std::get_if<engine::Died>(&entry)) {
      standing.is_settled = true;
      for (const std::size_t order : orders) fail(order, died->failure);
    } else if (const auto* attempt = std::get_if<engine::Attempted>(&entry)) {
      standing.attempts = std::max(standing.attempts, attempt->attempt);
    } else if (std::holds_alternative<engine::Crashed>(entry)) {
      ++standing.crashes;
    }
  }
  return orders_.store();
}

void HashJournal::finish(engine::TaskId id, const std::string& hash) {
  const auto orders = tasks_.orders_of(id);
  standings_[orders.front()].is_settled = true;
  for (const std::size_t order : orders) {
    if (!is_hash(hash, orders_.orders()[order].file.algorithm)) {
      fail(order, {.step = "hash", .reason = "a worker sent bytes that are not a hash"});
      continue;
    }
    orders_.hashed(order, hash);
    count(order, done_);
  }
}

void HashJournal::fail(std::size_t order, const Failure& failure) {
  const bool is_overtaken =
      failure.kind == FailureKind::not_found || failure.kind == FailureKind::changed;
  orders_.failed(order, failure);
  count(order, is_overtaken ? skipped_ : failed_);
}

void HashJournal::count(std::size_t order, std::atomic<std::uint64_t>& as) {
  bytes_.fetch_add(orders_.orders()[order].file.stamp.size, std::memory_order_relaxed);
  as.fetch_add(1, std::memory_order_relaxed);
}

engine::FlowCounts HashJournal::counts() const {
  return {.found = total_.files,
          .done = done_.load(std::memory_order_relaxed),
          .skipped = skipped_.load(std::memory_order_relaxed),
          .failed = failed_.load(std::memory_order_relaxed),
          .found_bytes = {total_.bytes},
          .settled_bytes = {bytes_.load(std::memory_order_relaxed)}};
}

}  // namespace tidemill::app
