#include "tidemill/formats/zip/local_headers.h"

#include <algorithm>
#include <numeric>
#include <string>
#include <utility>

#include "tidemill/base/try.h"
#include "tidemill/formats/zip/records.h"
#include "tidemill/formats/zip/window.h"

namespace tidemill::zip {
namespace {

// The longest data descriptor: mark, crc and two sizes of 8 bytes.
constexpr std::uint64_t kLongestDescriptor = 24;

// Quotes a name for a message, shortened: one long name may occur in 60,000 messages.
std::string quoted(std::string_view name) {
  constexpr std::size_t kMost = 120;
  return "\"" + std::string(name.substr(0, kMost)) + (name.size() > kMost ? "…\"" : "\"");
}

void compare(const ZipEntry& entry, const LocalHeader& header, std::vector<Oddity>& oddities) {
  if (header.name != entry.name) {
    oddities.push_back({.kind = Oddity::Kind::names_differ,
                        .text = "its local header has the name " + quoted(header.name),
                        .entry = entry.name});
  }
  const auto differ = [&](std::string text) {
    oddities.push_back(
        {.kind = Oddity::Kind::sizes_differ, .text = std::move(text), .entry = entry.name});
  };
  if (header.method != entry.method) {
    differ("the compression methods of local header and central directory differ");
    return;
  }
  if ((header.flags & kEncrypted) != (entry.flags & kEncrypted)) {
    differ("only one of local header and central directory says it is encrypted");
    return;
  }
  // With a descriptor the local header may leave the sizes out.
  const bool may_be_zero = (header.flags & kHasDescriptor) != 0;
  const auto is_other = [&](std::uint64_t local, std::uint64_t central) {
    if (may_be_zero && (local == 0 || local == kFull32)) return false;
    return local != central;
  };
  if (is_other(header.packed, entry.packed) || is_other(header.size, entry.size) ||
      is_other(header.crc, entry.crc)) {
    differ("sizes or checksums of local header and central directory differ");
  }
}

}  // namespace

std::vector<std::size_t> file_order(std::span<const ZipEntry> entries) {
  std::vector<std::size_t> order(entries.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::sort(order, {}, [&](std::size_t at) { return std::pair(entries[at].header, at); });
  return order;
}

Result<void> read_local_headers(int fd, std::uint64_t bound, std::span<ZipEntry> entries,
                                std::span<const std::size_t> order, std::vector<Oddity>& oddities) {
  Window window(fd, bound, 16U << 10U);
  for (const std::size_t at : order) {
    ZipEntry& entry = entries[at];
    std::optional<LocalHeader> header;
    if (entry.header < bound && kLocalSize <= bound - entry.header) {
      LET(std::string_view bytes, window.view(entry.header, kLocalSize));
      header = local_header(bytes);
      if (header && header->length <= bound - entry.header) {
        LET(bytes, window.view(entry.header, header->length));
        header = local_header(bytes);
        if (header && header->length > bytes.size()) header.reset();  // the file shrank
      } else {
        header.reset();
      }
    }
    if (!header) {
      oddities.push_back({.kind = Oddity::Kind::local_header_missing,
                          .text = "there is no local header where the central directory says",
                          .entry = entry.name});
      continue;
    }
    entry.data = entry.header + header->length;
    entry.local_extra = header->extra;
    compare(entry, *header, oddities);
  }
  return {};
}

void look_at_places(std::uint64_t bound, std::span<const ZipEntry> entries,
                    std::span<const std::size_t> order, std::vector<Oddity>& oddities) {
  std::uint64_t end = 0;  // of all entries so far
  const ZipEntry* last = nullptr;
  std::size_t gaps = 0;
  for (const std::size_t at : order) {
    const ZipEntry& entry = entries[at];
    if (entry.data == 0) continue;
    if (last == nullptr && entry.header > 0) {
      oddities.push_back({.kind = Oddity::Kind::bytes_before,
                          .text = std::to_string(entry.header) + " bytes before the archive"});
    } else if (last != nullptr && entry.header < end) {
      oddities.push_back({.kind = Oddity::Kind::overlap,
                          .text = "it shares bytes with " + quoted(last->name),
                          .entry = entry.name});
    } else if (last != nullptr) {
      const bool has_descriptor = (last->flags & kHasDescriptor) != 0;
      if (entry.header - end > (has_descriptor ? kLongestDescriptor : 0)) ++gaps;
    }
    const bool is_inside = entry.packed <= bound && entry.data <= bound - entry.packed;
    if (!is_inside) {
      oddities.push_back({.kind = Oddity::Kind::overlap,
                          .text = "its bytes run into the central directory or past the end",
                          .entry = entry.name});
    }
    const std::uint64_t own_end = is_inside ? entry.data + entry.packed : bound;
    if (last == nullptr || own_end > end) {
      end = own_end;
      last = &entry;
    }
  }
  if (gaps > 0) {
    oddities.push_back({.kind = Oddity::Kind::bytes_between,
                        .text = std::to_string(gaps) + " gaps between entries"});
  }
}

}  // namespace tidemill::zip
