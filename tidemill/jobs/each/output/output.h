// What a command wrote, on its way to where people want it: whole from memory or from its spill
// file, with or without a tag before every line.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

#include "tidemill/base/result.h"
#include "tidemill/io/files/held_folder.h"
#include "tidemill/io/proc/stream.h"

namespace tidemill::each {

using Put = std::function<Result<void>(std::string_view)>;

// All bytes of a stream, in pieces of at most 64 KiB, to `put`.
[[nodiscard]] Result<void> copy_all(const proc::Captured& captured, const Put& put);

// The same with `tag` and a tab before every line; the last line gets its newline if it has none.
[[nodiscard]] Result<void> copy_tagged(const proc::Captured& captured, std::string_view tag,
                                       const Put& put);

// The end of a stream, at most `bytes` of it, beginning with a whole line if there is one.
[[nodiscard]] std::string tail_of(const proc::Captured& captured, std::size_t bytes);

// The stream as a file: its spill moved there, or its bytes written, in one piece or not at all. An
// empty stream makes no file. On the disk when the caller has synced the folder.
[[nodiscard]] Result<void> keep_in(proc::Captured& captured, const files::HeldFolder& folder,
                                   const std::string& name);
[[nodiscard]] Result<void> keep_as(proc::Captured& captured, const std::string& path);

// Removes the spill file, if there is one.
void forget(proc::Captured& captured);

}  // namespace tidemill::each
