#include <zstd.h>
#include <zstd_errors.h>

#include <vector>

#include "tidemill/base/try.h"
#include "tidemill/formats/jsonl/unpacker.h"

namespace tidemill::jsonl {
namespace {

constexpr std::string_view kCutOff = "truncated zstd data";

std::string_view damage_of(std::size_t code) {
  switch (ZSTD_getErrorCode(code)) {
    case ZSTD_error_prefix_unknown:
      return "not zstd data";
    case ZSTD_error_checksum_wrong:
      return "damaged zstd data: wrong checksum";
    case ZSTD_error_frameParameter_windowTooLarge:
      return "zstd data needs more than 128 MiB of memory (compressed with --long)";
    case ZSTD_error_memory_allocation:
      return "not enough memory to decompress zstd data";
    default:
      return "damaged zstd data";
  }
}

class ZstdUnpacker final : public Unpacker {
 public:
  ZstdUnpacker() : state_(ZSTD_createDCtx()), packed_(ZSTD_DStreamInSize()) {}

  [[nodiscard]] Result<Unpacked> read(Source& source, std::span<char> into) override;

 private:
  struct Free {
    void operator()(ZSTD_DCtx* state) const { ZSTD_freeDCtx(state); }
  };

  std::unique_ptr<ZSTD_DCtx, Free> state_;
  std::vector<char> packed_;
  ZSTD_inBuffer rest_{};        // the unread part of packed_
  bool is_in_frame_ = false;    // false at the beginning and after the end of a frame
  bool has_more_text_ = false;  // `into` was too small for the decompressed text
};

Result<Unpacked> ZstdUnpacker::read(Source& source, std::span<char> into) {
  if (!state_) return Unpacked{.damage = "not enough memory to decompress zstd data"};
  while (true) {
    if (rest_.pos == rest_.size && !has_more_text_) {
      LET(const std::size_t size, source.read(packed_));
      if (size == 0) return Unpacked{.damage = is_in_frame_ ? kCutOff : ""};
      rest_ = {.src = packed_.data(), .size = size, .pos = 0};
    }
    ZSTD_outBuffer out{.dst = into.data(), .size = into.size(), .pos = 0};
    const std::size_t wanted = ZSTD_decompressStream(state_.get(), &out, &rest_);
    if (ZSTD_isError(wanted) != 0U) return Unpacked{.size = out.pos, .damage = damage_of(wanted)};
    is_in_frame_ = wanted != 0;
    has_more_text_ = is_in_frame_ && out.pos == out.size;
    if (out.pos > 0) return Unpacked{.size = out.pos};
  }
}

}  // namespace

std::unique_ptr<Unpacker> zstd_unpacker() { return std::make_unique<ZstdUnpacker>(); }

}  // namespace tidemill::jsonl
