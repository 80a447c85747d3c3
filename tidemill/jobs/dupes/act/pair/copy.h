// copy_to: a new file with the bytes of an open one, on the disk when it returns. Holes stay holes;
// where the file system can share blocks, they are shared. copy_unsynced: the same, for a caller
// who syncs many at once before any of them gets its name.
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

// Open for reading and writing. A name that exists is a failure; after a failure there is nothing
// at the name, or the failure says so. `check` sees the copy while it is ours alone and has no
// metadata yet: bytes that it refuses never have an owner, a mode or a capability of the file.
[[nodiscard]] Tried<Descriptor> copy_to(int from, std::uint64_t size, int folder,
                                        const std::string& name, const Metadata& metadata,
                                        const std::stop_token& stop, const CopyCheck& check = {});
[[nodiscard]] Tried<Descriptor> copy_unsynced(int from, std::uint64_t size, int folder,
                                              const std::string& name, const Metadata& metadata,
                                              const std::stop_token& stop, const CopyCheck& check);

}  // namespace tidemill::dupes
