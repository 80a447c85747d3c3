// Decodes the streams of a PDF and throws the bytes away, within limits. For this folder only.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "tidemill/formats/pdf/pdf_check.h"

class QPDFObjectHandle;

namespace tidemill::pdf {

// One thread.
class StreamCheck {
 public:
  StreamCheck(const Limits& limits, std::uint64_t file_size);

  // Why the stream was not decoded to its end: a limit; nothing when it was, or when it is damaged
  // (then libqpdf has warned). May throw what libqpdf throws.
  [[nodiscard]] std::optional<std::string> decode(QPDFObjectHandle& stream);

 private:
  std::uint64_t stream_limit_;
  std::uint64_t left_;  // of all streams
};

}  // namespace tidemill::pdf
