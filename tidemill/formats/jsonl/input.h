// Input: the bytes of one source, decompressed as they are read.
//
// A source is a file, a FIFO or standard input ("-"). What it is compressed with is told by its
// first bytes, never by its name: gzip (also several members one behind the other), zstd (also
// several frames), or nothing. A source that is cut off or damaged fails with step "inflate" and
// says where; what was read before stays read. Bytes behind the last gzip member that are no member
// are a failure, not silence.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>

#include "tidemill/base/file_stamp.h"
#include "tidemill/base/result.h"

namespace tidemill::jsonl {

enum class Packing : std::uint8_t { none, gzip, zstd };

[[nodiscard]] std::string_view name_of(Packing packing);

// One thread, but for consumed().
class Input {
 public:
  // Cure::give_up with step "open" when it is not there, not readable, or a folder. The token ends
  // a wait for what a pipe will bring, here and in read(): Cure::resume with step "stopped".
  [[nodiscard]] static Result<std::unique_ptr<Input>> open(const std::string& path,
                                                           std::stop_token stop = {});
  virtual ~Input() = default;

  // Fills the front of `into` and says how much; 0: the end. Never more than one read ahead.
  [[nodiscard]] virtual Result<std::size_t> read(std::span<char> into) = 0;

  // Everything that read() takes from the source, as it lies there, is also shown to `tap`; to hash
  // it, say. Set before the first read.
  using Tap = void (*)(void* context, std::span<const char> bytes);
  virtual void tap(Tap to, void* context) = 0;

  [[nodiscard]] virtual Packing packing() const = 0;
  [[nodiscard]] virtual const FileStamp& stamp() const = 0;  // when it was opened
  // Whether the file is still the one that was opened, unchanged. Ask at the end.
  [[nodiscard]] virtual Result<bool> is_unchanged() const = 0;
  [[nodiscard]] virtual std::uint64_t consumed() const = 0;  // of the source, packed; thread-safe
};

}  // namespace tidemill::jsonl
