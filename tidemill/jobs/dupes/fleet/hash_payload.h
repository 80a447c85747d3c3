// HashPayload: what a worker of a fleet needs to know to hash a file of a catalogue: where it is
// below a root of the run, and the stamp that the catalogue has. The device number is left out: it
// differs between the hosts that share a file system.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "tidemill/base/file_stamp.h"

namespace tidemill::dupes {

struct HashPayload {
  std::uint64_t root = 0;  // its index among the roots of the run
  std::uint8_t algorithm = 0;
  FileStamp stamp{};   // device: 0
  std::string path{};  // below the root: any bytes

  bool operator==(const HashPayload&) const = default;
};

[[nodiscard]] std::string pack(const HashPayload& payload);
// nullopt: garbled.
[[nodiscard]] std::optional<HashPayload> unpack_hash_payload(std::string_view bytes);

struct PathBelow {
  std::string_view folder{};  // empty: the root itself
  std::string name{};
};
// nullopt: not the path of a file below a root: it is absolute, ends with a slash, or has a part
// that is empty, ".", ".." or has a NUL.
[[nodiscard]] std::optional<PathBelow> split(std::string_view path);

}  // namespace tidemill::dupes
