// AddressLimit: how many connections one address may have at a time. A limit for everybody together
// lets one client keep all others out. An IPv6 address counts by its first 64 bits: the rest is the
// client's to choose.
#pragma once

#include <sys/socket.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>

#include "tidemill/base/guarded.h"

namespace tidemill::web {

// Thread-safe.
class AddressLimit {
 public:
  using Key = std::array<std::uint8_t, 9>;  // the family, then what counts of the address

  // One connection of an address. It is given back when the slot ends, also after the limit itself.
  class Slot {
   public:
    Slot() = default;
    Slot(Slot&& other) noexcept = default;
    Slot& operator=(Slot&& other) noexcept;
    Slot(const Slot&) = delete;
    Slot& operator=(const Slot&) = delete;
    ~Slot() { give_back(); }

   private:
    friend class AddressLimit;
    void give_back();

    std::shared_ptr<Guarded<std::map<Key, std::size_t>>> counts_;  // null: of nobody
    Key key_{};
  };

  explicit AddressLimit(std::size_t most) : most_(most) {}

  // Nothing: the address has as many as it may.
  [[nodiscard]] std::optional<Slot> enter(const sockaddr_storage& from);

 private:
  const std::size_t most_;
  const std::shared_ptr<Guarded<std::map<Key, std::size_t>>> counts_ =
      std::make_shared<Guarded<std::map<Key, std::size_t>>>();
};

}  // namespace tidemill::web
