// Flow: what the threads of an import share.
//
//   reader ──blocks──► workers ──made──► writer
//     ▲  takes room                        │ gives it back, asks to read a file again
//     └────────────────── gate ◄───────────┘
//
// Backpressure is the room: the reader takes the bytes of a block before the workers see it, and
// the writer gives them back when the rows are stored. The two channels themselves are never full.
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

using BatchPtr = std::unique_ptr<Batch>;

// Thread-safe.
class Flow {
 public:
  explicit Flow(Bytes room) : room_(room) {}

  engine::Channel<BatchPtr> blocks{{.items = 1'000'000}};
  engine::Channel<BatchPtr> made{{.items = 1'000'000}};
  Turn turn{};

  // The reader: waits until something of the room is free. False: the import was stopped.
  [[nodiscard]] bool wait_for_room() {
    auto gate = gate_.lock();
    gate.wait([&](const Gate& g) { return g.is_stopped || g.taken < room_; });
    return !gate->is_stopped;
  }
  void take_room(Bytes bytes) { gate_.lock()->taken += bytes; }
  void give_room(Bytes bytes) {
    gate_.update([&](Gate& gate) { gate.taken -= bytes; });
  }

  // The reader: the next file to be read again, with the number of that reading. Waits until one is
  // wanted or all files are settled; nothing: there will be no more.
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
  // The reader, between blocks: whether this file is to be read again, so that more of this reading
  // is of no use.
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

  // Everybody leaves at once. The first failure is the one that counts.
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

  // Batches are used again, for their memory.
  [[nodiscard]] BatchPtr new_batch() {
    const auto pool = pool_.lock();
    if (pool->empty()) return std::make_unique<Batch>();
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
