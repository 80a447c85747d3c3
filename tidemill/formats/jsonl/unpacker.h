// Unpacker: decompresses the bytes of a Source, a piece at a time.
//
// The source must hold complete and undamaged compressed data, and nothing else; its checksums are
// verified. The text before the damage is returned first, except the last piece if the library does
// not report how much of it is valid (libzstd).
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string_view>

#include "tidemill/base/result.h"
#include "tidemill/formats/jsonl/source.h"

namespace tidemill::jsonl {

struct Unpacked {
  std::size_t size = 0;       // bytes of text; 0 without damage: the end
  std::string_view damage{};  // why there is no more text; a static string
};

// One thread.
class Unpacker {
 public:
  virtual ~Unpacker() = default;

  // Fails if the source fails.
  [[nodiscard]] virtual Result<Unpacked> read(Source& source, std::span<char> into) = 0;
};

// Several consecutive members form one text. Only zeros may follow the last one (tapes and some
// archivers pad with them).
[[nodiscard]] std::unique_ptr<Unpacker> gzip_unpacker();

// Several consecutive frames form one text. A frame that needs more than 128 MiB, libzstd's default
// limit, is refused.
[[nodiscard]] std::unique_ptr<Unpacker> zstd_unpacker();

}  // namespace tidemill::jsonl
