// AddressLimit: limits the number of simultaneous connections per client address. With only a
// global limit, one client could lock out all others. An IPv6 address counts by its first 64 bits,
// because the client chooses the rest.
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
  using Key = std::array<std::uint8_t, 9>;  // the family, then the significant bytes of the address

  // One connection of an address, released by the destructor. May outlive the AddressLimit.
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

    std::shared_ptr<Guarded<std::map<Key, std::size_t>>> counts_;  // null: an empty slot
    Key key_{};
  };

  explicit AddressLimit(std::size_t most) : most_(most) {}

  // Nothing when the address has reached the limit.
  [[nodiscard]] std::optional<Slot> enter(const sockaddr_storage& from);

 private:
  const std::size_t most_;
  const std::shared_ptr<Guarded<std::map<Key, std::size_t>>> counts_ =
      std::make_shared<Guarded<std::map<Key, std::size_t>>>();
};

}  // namespace tidemill::web
