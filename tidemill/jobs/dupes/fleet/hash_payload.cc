#include "tidemill/jobs/dupes/fleet/hash_payload.h"

#include <algorithm>
#include <bit>
#include <limits>

#include "tidemill/base/varint.h"

namespace tidemill::dupes {
namespace {

// So that times before 1970 are short too.
std::uint64_t zigzag(std::int64_t number) {
  const auto bits = std::bit_cast<std::uint64_t>(number);
  return (bits << 1U) ^ (number < 0 ? ~std::uint64_t{0} : 0);
}

std::int64_t unzigzag(std::uint64_t bits) {
  return std::bit_cast<std::int64_t>((bits >> 1U) ^ ((bits & 1U) != 0 ? ~std::uint64_t{0} : 0));
}

}  // namespace

std::string pack(const HashPayload& payload) {
  std::string bytes;
  append_varint(bytes, payload.root);
  append_varint(bytes, payload.algorithm);
  append_varint(bytes, payload.stamp.inode);
  append_varint(bytes, payload.stamp.size);
  append_varint(bytes, zigzag(payload.stamp.mtime_ns));
  append_varint(bytes, zigzag(payload.stamp.ctime_ns));
  return bytes += payload.path;
}

std::optional<HashPayload> unpack_hash_payload(std::string_view bytes) {
  const auto root = take_varint(bytes);
  const auto algorithm = take_varint(bytes);
  const auto inode = take_varint(bytes);
  const auto size = take_varint(bytes);
  const auto mtime = take_varint(bytes);
  const auto ctime = take_varint(bytes);
  const bool is_whole = root && algorithm && inode && size && mtime && ctime;
  if (!is_whole || *algorithm > std::numeric_limits<std::uint8_t>::max()) return std::nullopt;
  return HashPayload{.root = *root,
                     .algorithm = static_cast<std::uint8_t>(*algorithm),
                     .stamp = {.inode = *inode,
                               .size = *size,
                               .mtime_ns = unzigzag(*mtime),
                               .ctime_ns = unzigzag(*ctime)},
                     .path = std::string(bytes)};
}

std::optional<PathBelow> split(std::string_view path) {
  if (path.contains('\0')) return std::nullopt;
  for (std::size_t at = 0; at <= path.size();) {
    const std::size_t end = std::min(path.find('/', at), path.size());
    const std::string_view part = path.substr(at, end - at);
    if (part.empty() || part == "." || part == "..") return std::nullopt;
    at = end + 1;
  }
  const std::size_t slash = path.rfind('/');
  if (slash == std::string_view::npos) return PathBelow{.name = std::string(path)};
  return PathBelow{.folder = path.substr(0, slash), .name = std::string(path.substr(slash + 1))};
}

}  // namespace tidemill::dupes
