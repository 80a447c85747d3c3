// Flow: the state that the threads of an import share.
//
//   reader ──blocks──► workers ──made──► writer
//     ▲  takes room                        │ returns room, requests another reading of a file
//     └────────────────── gate ◄───────────┘
//
// The room limits the memory: the reader takes the bytes of a block before it passes the block to
// the workers, and the writer returns them when the rows are stored. The two channels themselves
// are never full.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tidemill/base/bytes.h"
#include "tidemill/base/guarded.h"
#include "tidemill/base/result.h"
#include "tidemill/engine/channel.h"
#include "tidemill/jobs/import/rows/batch.h"
#include "tidemill/jobs/import/rows/turn.h"

namespace tidemill::import {

using BatchPtr = std::unique_ptr<RowBatch>;

// Thread-safe.
class Flow {
 public:
  explicit Flow(Bytes room) : room_(room) {}

  engine::Channel<BatchPtr> blocks{{.items = 1'000'000}};
  engine::Channel<BatchPtr> made{{.items = 1'000'000}};
  Turn turn{};

  // For the reader: waits until some room is free. False: the import was stopped.
  [[nodiscard]] bool wait_for_room() {
    auto gate = gate_.lock();
    gate.wait([&](const Gate& g) { return g.is_stopped || g.taken < room_; });
    return !gate->is_stopped;
  }
  void take_room(Bytes bytes) { gate_.lock()->taken += bytes; }
  void give_room(Bytes bytes) {
    gate_.update([&](Gate& gate) { gate.taken -= bytes; });
  }

  // For the reader: the next file to read again, with the number of that reading. Waits until there
  // is one or all files are settled; nullopt: there will be no more.
  struct Again {
    std::size_t file = 0;
    std::uint32_t reading = 0;
  };
  [[nodiscard]] std::optional<Again> wait_for_again(std::size_t files) {
    auto gate = gate_.lock();
    gate.wait(
        [&](const Gate& g) { return g.is_stopped || !g.again.empty() || g.settled == files; });
    if (gate->is_stopped || gate->again.empty()) return std::nullopt;
    const Again next = gate->again.front();
    gate->again.pop_front();
    return next;
  }
  // For the reader, between blocks: whether this file must be read again, so that the current
  // reading can end.
  [[nodiscard]] bool is_wanted_again(std::size_t file) {
    const auto gate = gate_.lock();
    for (const Again& again : gate->again) {
      if (again.file == file) return true;
    }
    return false;
  }
  void read_again(Again again) {
    gate_.update([&](Gate& gate) { gate.again.push_back(again); });
  }
  void settle_file() {
    gate_.update([](Gate& gate) { ++gate.settled; });
  }

  // Ends all threads. The first failure is kept.
  void stop(std::optional<Failure> why) {
    gate_.update([&](Gate& gate) {
      if (why && !gate.failure) gate.failure = std::move(why);
      gate.is_stopped = true;
    });
    blocks.cancel();
    made.cancel();
    turn.cancel();
  }
  [[nodiscard]] std::optional<Failure> failure() { return gate_.lock()->failure; }
  [[nodiscard]] bool is_stopped() { return gate_.lock()->is_stopped; }

  // Batches are reused, to save allocations.
  [[nodiscard]] BatchPtr new_batch() {
    const auto pool = pool_.lock();
    if (pool->empty()) return std::make_unique<RowBatch>();
    BatchPtr batch = std::move(pool->back());
    pool->pop_back();
    return batch;
  }
  void recycle(BatchPtr batch);

 private:
  struct Gate {
    Bytes taken{};
    std::size_t settled = 0;
    std::deque<Again> again{};
    bool is_stopped = false;
    std::optional<Failure> failure{};
  };

  const Bytes room_;
  Guarded<Gate> gate_;
  Guarded<std::vector<BatchPtr>> pool_;
};

}  // namespace tidemill::import
