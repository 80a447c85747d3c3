// OurChannel: engine::Channel as a contestant; see queues.h.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "tidemill/engine/channel.h"

namespace tidemill::bench {

using Item = std::uint64_t;

class OurChannel {
 public:
  static constexpr const char* kName = "tidemill";
  explicit OurChannel(std::size_t capacity) : channel_({.items = capacity}) {}

  void push(std::span<const Item> items) {
    if (items.size() == 1) {
      (void)channel_.push(Item{items[0]});
      return;
    }
    thread_local std::vector<Channel::Parcel> parcels;  // a stage keeps its own from batch to batch
    for (const Item item : items) parcels.push_back({.item = item, .size = {sizeof item}});
    (void)channel_.push_all(parcels);
  }

  [[nodiscard]] std::size_t pop(std::span<Item> room) {
    if (room.size() == 1) {
      const std::optional<Item> item = channel_.pop();
      if (item) room[0] = *item;
      return item ? 1 : 0;
    }
    thread_local std::vector<Item> items;
    items.clear();
    const std::size_t count = channel_.pop_some(items, room.size());
    std::copy(items.begin(), items.end(), room.begin());
    return count;
  }

  void end(std::size_t /*consumers*/) { channel_.close(); }

 private:
  using Channel = engine::Channel<Item>;
  Channel channel_;
};

}  // namespace tidemill::bench
