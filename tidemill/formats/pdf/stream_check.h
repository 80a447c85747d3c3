// StreamCheck: decodes the streams of a PDF within limits and discards the bytes. For this folder
// only.
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
  StreamCheck(const PdfLimits& limits, std::uint64_t file_size);

  // Returns the limit that kept the stream from being decoded to its end. nullopt: it was decoded,
  // or it is damaged (then libqpdf has warned). May throw any exception of libqpdf.
  [[nodiscard]] std::optional<std::string> decode(QPDFObjectHandle& stream);

 private:
  std::uint64_t stream_limit_;
  std::uint64_t left_;  // bytes left for all streams
};

}  // namespace tidemill::pdf
