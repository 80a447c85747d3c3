// Writes a PDF anew through libqpdf: the cross-reference table, stream lengths, page tree and
// trailer come out sound; streams that cannot be decoded keep their bytes.
//
// The same input gives the same bytes (its ID is made from the contents). Encryption is declined:
// a file that asks for a password, or is protected with an empty one, is left alone; so is a signed
// one, whose signature would break. A Failure (give_up) leaves an output that must be thrown away.
#pragma once

#include <cstdint>
#include <string>

#include "tidemill/base/bytes.h"
#include "tidemill/base/result.h"

namespace tidemill::pdf {

struct Rewritten {
  std::uint32_t pages_before = 0;  // as far as they could be recovered
  std::uint32_t pages_after = 0;   // in the written file, read back
  Bytes size{};
};

// One thread. Both descriptors stay the caller's; `out` is empty, and can be read and written.
[[nodiscard]] Result<Rewritten> rewrite_pdf(int in, int out);

}  // namespace tidemill::pdf
