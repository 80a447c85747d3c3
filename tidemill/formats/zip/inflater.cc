#include "tidemill/formats/zip/inflater.h"

#include <isa-l/crc.h>
#include <isa-l/igzip_lib.h>

#include <algorithm>

#include "tidemill/base/try.h"
#include "tidemill/formats/zip/window.h"

namespace tidemill::zip {
namespace {

std::uint8_t* bytes_of(std::string& buffer) {
  return reinterpret_cast<std::uint8_t*>(buffer.data());
}

}  // namespace

void Inflater::End::operator()(inflate_state* state) const { delete state; }

// Reads the next part of the source into in_ and sets the size of in_.
Result<void> Inflater::refill(Packed& left, std::size_t most) {
  in_.resize(static_cast<std::size_t>(std::min<std::uint64_t>(most, left.length)));
  LET(const std::size_t got, read_at(left.fd, left.offset, in_));
  if (got < in_.size()) {
    return fail(Cure::give_up, FailureKind::truncated, "read", "the file ends inside the entry");
  }
  left.offset += got;
  left.length -= got;
  return {};
}

Result<bool> Inflater::deliver(std::string_view part, Inflated& unpacked, const Guard& guard,
                               const Sink& sink) {
  unpacked.size += part.size();
  TRY(guard(unpacked.size));
  unpacked.crc = ::crc32_gzip_refl(unpacked.crc, reinterpret_cast<const std::uint8_t*>(part.data()),
                                   part.size());
  unpacked.is_whole = sink(part);
  return unpacked.is_whole;
}

Result<Inflated> Inflater::copy(const Packed& source, const Guard& guard, const Sink& sink,
                                std::size_t part) {
  Packed left = source;
  Inflated unpacked;
  while (left.length > 0) {
    TRY(refill(left, part));
    LET(const bool wants_more, deliver(in_, unpacked, guard, sink));
    if (!wants_more) break;
  }
  return unpacked;
}

Result<Inflated> Inflater::inflate(const Packed& source, const Guard& guard, const Sink& sink,
                                   std::size_t part) {
  if (!state_) {
    state_.reset(new inflate_state);
    ::isal_inflate_init(state_.get());
  } else {
    ::isal_inflate_reset(state_.get());
  }
  inflate_state& state = *state_;
  state.crc_flag = ISAL_DEFLATE;  // raw deflate, without header and trailer
  state.avail_in = 0;
  out_.resize(part);
  Packed left = source;
  Inflated unpacked;
  while (state.block_state != ISAL_BLOCK_FINISH) {
    if (state.avail_in == 0 && left.length > 0) {
      TRY(refill(left, part));
      state.next_in = bytes_of(in_);
      state.avail_in = static_cast<std::uint32_t>(in_.size());
    }
    const bool has_more = state.avail_in > 0;
    state.next_out = bytes_of(out_);
    state.avail_out = static_cast<std::uint32_t>(part);
    const int code = ::isal_inflate(&state);
    const std::string_view fresh(out_.data(), part - state.avail_out);
    const bool is_stuck = fresh.empty() && !has_more && state.block_state != ISAL_BLOCK_FINISH;
    if ((code != ISAL_DECOMP_OK && code != ISAL_END_INPUT) || is_stuck) {
      return fail(Cure::give_up, "inflate", "the compressed data is damaged");
    }
    if (fresh.empty()) continue;
    LET(const bool wants_more, deliver(fresh, unpacked, guard, sink));
    if (!wants_more) break;
  }
  return unpacked;
}

}  // namespace tidemill::zip
