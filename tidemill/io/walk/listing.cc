#include "tidemill/io/walk/listing.h"

#include <dirent.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <limits>

namespace tidemill::walk {
namespace {

// An entry has at least 24 bytes, so one read returns at most 1,000 of them.
constexpr std::size_t kLookBytes = 24'000;

EntryKind kind_of(unsigned char type) {
  switch (type) {
    case DT_REG:
      return EntryKind::file;
    case DT_DIR:
      return EntryKind::folder;
    case DT_UNKNOWN:
      return EntryKind::unknown;
    default:
      return EntryKind::other;
  }
}

}  // namespace

Listing::Reading Listing::read(int descriptor, const std::stop_token& stop) {
  Reading reading;
  Listing& listing = reading.listing;
  alignas(dirent64) std::array<char, kLookBytes> look;
  while (!stop.stop_requested()) {
    const ssize_t got = ::getdents64(descriptor, look.data(), look.size());
    if (got == 0) break;
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return {.error = errno};
    for (std::size_t at = 0; at < static_cast<std::size_t>(got);) {
      const auto* entry = reinterpret_cast<const dirent64*>(&look[at]);
      at += entry->d_reclen;
      const std::string_view name = entry->d_name;
      if (name == "." || name == "..") continue;
      if (!listing.add(name, kind_of(entry->d_type))) return {.error = EOVERFLOW};
    }
  }
  const char* const names = listing.text_.data() + 1;  // after the byte for the kind
  std::ranges::sort(listing.order_, [names](std::uint32_t a, std::uint32_t b) {
    return std::strcmp(names + a, names + b) < 0;
  });
  return reading;
}

bool Listing::add(std::string_view name, EntryKind kind) {
  if (text_.size() > std::numeric_limits<std::uint32_t>::max() - 512) return false;
  order_.push_back(static_cast<std::uint32_t>(text_.size()));
  text_ += static_cast<char>(kind);
  text_ += name;
  text_ += '\0';
  return true;
}

std::size_t Listing::first_from(std::string_view name) const {
  const auto found = std::ranges::lower_bound(order_, name, {},
                                              [&](std::uint32_t place) { return name_at(place); });
  return static_cast<std::size_t>(found - order_.begin());
}

}  // namespace tidemill::walk
