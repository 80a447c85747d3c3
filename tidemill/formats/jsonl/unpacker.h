// Unpacker: makes text of the packed bytes of a Source, a piece at a time.
//
// Everything the source holds must be packed data, whole and undamaged, and is checked against the
// checksums in it. What was unpacked before the damage is given out first, but for the last piece,
// if the library does not say how much of it was good (libzstd).
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
  std::string_view damage{};  // why there will be no more; lives as long as the program
};

// One thread.
class Unpacker {
 public:
  virtual ~Unpacker() = default;

  // Fails when the source does.
  [[nodiscard]] virtual Result<Unpacked> read(Source& source, std::span<char> into) = 0;
};

// Several members one behind the other are one text. Zeros may follow the last one (tapes and some
// archivers fill up with them), nothing else.
[[nodiscard]] std::unique_ptr<Unpacker> gzip_unpacker();

// Several frames one behind the other are one text. A frame that asks for more than the 128 MiB
// that libzstd allows by itself is refused.
[[nodiscard]] std::unique_ptr<Unpacker> zstd_unpacker();

}  // namespace tidemill::jsonl
