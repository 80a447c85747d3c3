// Input: reads the bytes of one source and decompresses them.
//
// A source is a file, a FIFO or standard input ("-"). Its compression is detected from the first
// bytes, never from the name: gzip (also several members), zstd (also several frames), or none. A
// truncated or damaged source fails with step "inflate" and the position in the text; the bytes
// before the damage are returned first. Bytes after the last gzip member that are not a member are
// a failure too (zeros excepted).
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

// One thread, except consumed().
class Input {
 public:
  // Fails with step "open": Cure::give_up if the source does not exist, is not readable or is a
  // folder; Cure::retry for a system error that may pass. The token ends a wait for a pipe, here
  // and in read(): Cure::resume with step "stopped".
  [[nodiscard]] static Result<std::unique_ptr<Input>> open(const std::string& path,
                                                           std::stop_token stop = {});
  virtual ~Input() = default;

  // Fills the front of `into` and returns the number of bytes; 0: the end. Reads ahead at most one
  // buffer.
  [[nodiscard]] virtual Result<std::size_t> read(std::span<char> into) = 0;

  // `to` also receives all bytes that read() takes from the source, before decompression; for
  // example to hash them. Set before the first read.
  using Tap = void (*)(void* context, std::span<const char> bytes);
  virtual void tap(Tap to, void* context) = 0;

  [[nodiscard]] virtual Packing packing() const = 0;
  [[nodiscard]] virtual const FileStamp& stamp() const = 0;  // when it was opened
  // Whether the path still names the file that was opened, unchanged. Call at the end.
  [[nodiscard]] virtual Result<bool> is_unchanged() const = 0;
  [[nodiscard]] virtual std::uint64_t consumed() const = 0;  // of the source, raw; thread-safe
};

}  // namespace tidemill::jsonl
