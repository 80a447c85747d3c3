// Rewrites a PDF with libqpdf: the result has a valid cross-reference table, stream lengths, page
// tree and trailer. Streams keep their encoded bytes.
//
// The same input produces the same bytes (the ID is derived from the contents). Encrypted files are
// declined, even with an empty password, and so are signed files, because the signature would
// become invalid. After a Failure (give_up) the output must be discarded.
#pragma once

#include <cstdint>
#include <string>

#include "tidemill/base/bytes.h"
#include "tidemill/base/result.h"

namespace tidemill::pdf {

struct Rewritten {
  std::uint32_t pages_before = 0;  // as many as could be recovered
  std::uint32_t pages_after = 0;   // counted in the written file
  Bytes size{};
};

// One thread. Does not own the descriptors; `out` must be empty, readable and writable.
[[nodiscard]] Result<Rewritten> rewrite_pdf(int in, int out);

}  // namespace tidemill::pdf
