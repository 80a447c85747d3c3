#include <isa-l/igzip_lib.h>

#include <algorithm>
#include <array>
#include <cstdint>

#include "tidemill/base/try.h"
#include "tidemill/formats/jsonl/unpacker.h"

namespace tidemill::jsonl {
namespace {

constexpr std::string_view kCutOff = "truncated gzip data";

std::string_view damage_of(int code) {
  switch (code) {
    case ISAL_INVALID_WRAPPER:
      return "not gzip data";
    case ISAL_UNSUPPORTED_METHOD:
      return "unsupported gzip data";
    case ISAL_INCORRECT_CHECKSUM:
      return "damaged gzip data: wrong checksum";
    default:
      return "damaged gzip data";
  }
}

class GzipUnpacker final : public Unpacker {
 public:
  GzipUnpacker() {
    isal_inflate_init(&state_);
    state_.crc_flag = ISAL_GZIP;
  }

  [[nodiscard]] Result<Unpacked> read(Source& source, std::span<char> into) override;

 private:
  enum class Place : std::uint8_t { beginning, member, behind_member, end };

  [[nodiscard]] Result<bool> fill(Source& source);
  [[nodiscard]] Result<std::string_view> begin_member(Source& source);
  [[nodiscard]] Result<std::string_view> skip_zeros(Source& source);
  [[nodiscard]] Unpacked inflate(std::span<char> into);

  Place place_ = Place::beginning;
  inflate_state state_{};
  std::array<std::uint8_t, std::size_t{64} << 10U> packed_{};
};

// False: the end of the source.
Result<bool> GzipUnpacker::fill(Source& source) {
  LET(const std::size_t size,
      source.read({reinterpret_cast<char*>(packed_.data()), packed_.size()}));
  state_.next_in = packed_.data();
  state_.avail_in = static_cast<std::uint32_t>(size);
  return size > 0;
}

Result<std::string_view> GzipUnpacker::skip_zeros(Source& source) {
  while (true) {
    const std::span rest(state_.next_in, state_.avail_in);
    if (std::ranges::any_of(rest, [](std::uint8_t byte) { return byte != 0; })) {
      return "not gzip data";
    }
    LET(const bool is_more, fill(source));
    if (!is_more) {
      place_ = Place::end;
      return "";
    }
  }
}

// Sets `place_` to member or end, or returns the damage.
Result<std::string_view> GzipUnpacker::begin_member(Source& source) {
  if (state_.avail_in == 0) {
    LET(const bool is_more, fill(source));
    if (!is_more) {
      place_ = Place::end;
      return "";
    }
  }
  if (place_ == Place::behind_member && *state_.next_in == 0) return skip_zeros(source);
  isal_inflate_reset(&state_);
  place_ = Place::member;
  return "";
}

Unpacked GzipUnpacker::inflate(std::span<char> into) {
  constexpr std::size_t kMost = std::size_t{1} << 30U;  // the library counts in 32 bits
  state_.next_out = reinterpret_cast<std::uint8_t*>(into.data());
  state_.avail_out = static_cast<std::uint32_t>(std::min(into.size(), kMost));
  const std::uint32_t room = state_.avail_out;
  const int code = isal_inflate(&state_);
  if (state_.block_state == ISAL_BLOCK_FINISH) place_ = Place::behind_member;
  return {.size = room - state_.avail_out, .damage = code < 0 ? damage_of(code) : ""};
}

Result<Unpacked> GzipUnpacker::read(Source& source, std::span<char> into) {
  while (true) {
    if (place_ != Place::member) {
      LET(const std::string_view damage, begin_member(source));
      if (!damage.empty() || place_ == Place::end) return Unpacked{.damage = damage};
    }
    const std::uint32_t before = state_.avail_in;
    const Unpacked unpacked = inflate(into);
    if (unpacked.size > 0 || !unpacked.damage.empty()) return unpacked;
    if (place_ != Place::member) continue;
    if (state_.avail_in == 0) {
      LET(const bool is_more, fill(source));
      if (!is_more) return Unpacked{.damage = kCutOff};
    } else if (state_.avail_in == before) {
      return Unpacked{.damage = damage_of(0)};  // no progress
    }
  }
}

}  // namespace

std::unique_ptr<Unpacker> gzip_unpacker() { return std::make_unique<GzipUnpacker>(); }

}  // namespace tidemill::jsonl
