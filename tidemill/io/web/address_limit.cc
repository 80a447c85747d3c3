#include "tidemill/io/web/address_limit.h"

#include <netinet/in.h>

#include <algorithm>
#include <cstring>
#include <span>
#include <utility>

namespace tidemill::web {
namespace {

AddressLimit::Key key_of(const sockaddr_storage& from) {
  AddressLimit::Key key{};
  const auto put = [&](std::uint8_t family, std::span<const std::uint8_t> bytes) {
    key.front() = family;
    std::ranges::copy(bytes, key.begin() + 1);
  };
  std::array<std::uint8_t, 16> bytes{};
  if (from.ss_family == AF_INET) {
    sockaddr_in four{};
    std::memcpy(&four, &from, sizeof four);
    std::memcpy(bytes.data(), &four.sin_addr, sizeof four.sin_addr);
    put(4, std::span(bytes).first(4));
  } else if (from.ss_family == AF_INET6) {
    sockaddr_in6 six{};
    std::memcpy(&six, &from, sizeof six);
    std::memcpy(bytes.data(), &six.sin6_addr, bytes.size());
    const bool is_four = IN6_IS_ADDR_V4MAPPED(&six.sin6_addr) != 0;
    put(is_four ? 4 : 6, is_four ? std::span(bytes).subspan(12) : std::span(bytes).first(8));
  }
  return key;
}

}  // namespace

AddressLimit::Slot& AddressLimit::Slot::operator=(Slot&& other) noexcept {
  if (this == &other) return *this;
  give_back();
  counts_ = std::exchange(other.counts_, nullptr);
  key_ = other.key_;
  return *this;
}

void AddressLimit::Slot::give_back() {
  if (counts_ == nullptr) return;
  counts_->update([this](auto& counts) {
    const auto mine = counts.find(key_);
    if (--mine->second == 0) counts.erase(mine);  // no memory is kept for past clients
  });
  counts_ = nullptr;
}

std::optional<AddressLimit::Slot> AddressLimit::enter(const sockaddr_storage& from) {
  Slot slot;
  slot.key_ = key_of(from);
  const bool has_room = counts_->update([&](auto& counts) {
    if (const auto found = counts.find(slot.key_); found != counts.end()) {
      if (found->second >= most_) return false;
    }
    ++counts[slot.key_];
    return true;
  });
  if (!has_room) return std::nullopt;
  slot.counts_ = counts_;
  return slot;
}

}  // namespace tidemill::web
