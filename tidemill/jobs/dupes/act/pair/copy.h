// copy_to: creates a file with the bytes of an open one; it is synced when this returns. Holes stay
// holes; where the file system can share blocks, they are shared. copy_unsynced: the same, for a
// caller that syncs many copies at once before any of them gets its name.
#pragma once

#include <cstdint>
#include <functional>
#include <stop_token>
#include <string>

#include "tidemill/base/descriptor.h"
#include "tidemill/jobs/dupes/act/metadata.h"
#include "tidemill/jobs/dupes/act/pair/refusal.h"

namespace tidemill::dupes {

using CopyCheck = std::function<Tried<void>(int file)>;

// The result is open for reading and writing. Fails if the name exists. After a failure nothing is
// at the name, or the failure says that something is. `check` runs while the copy is still private
// and has no metadata: bytes that it refuses never get the owner, mode or capabilities of the file.
[[nodiscard]] Tried<Descriptor> copy_to(int from, std::uint64_t size, int folder,
                                        const std::string& name, const Metadata& metadata,
                                        const std::stop_token& stop, const CopyCheck& check = {});
[[nodiscard]] Tried<Descriptor> copy_unsynced(int from, std::uint64_t size, int folder,
                                              const std::string& name, const Metadata& metadata,
                                              const std::stop_token& stop, const CopyCheck& check);

}  // namespace tidemill::dupes
