// Functions that copy the captured output of a command, from memory or from its spill file, to the
// console or to a file, with or without a tag before every line.
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

// Passes all bytes of a stream to `put`; those of a spill file in pieces of at most 64 KiB.
[[nodiscard]] Result<void> copy_all(const proc::Captured& captured, const Put& put);

// The same with `tag` and a tab before every line; adds a newline to an unterminated last line.
[[nodiscard]] Result<void> copy_tagged(const proc::Captured& captured, std::string_view tag,
                                       const Put& put);

// The end of a stream, at most `bytes` of it; a cut first line is dropped if another one follows.
[[nodiscard]] std::string tail_of(const proc::Captured& captured, std::size_t bytes);

// Stores the stream as a file, atomically: moves its spill file there or writes its bytes. An empty
// stream creates no file. The file is durable once the caller has synced the folder.
[[nodiscard]] Result<void> keep_in(proc::Captured& captured, const files::HeldFolder& folder,
                                   const std::string& name);
[[nodiscard]] Result<void> keep_as(proc::Captured& captured, const std::string& path);

// Removes the spill file, if there is one.
void forget(proc::Captured& captured);

}  // namespace tidemill::each
