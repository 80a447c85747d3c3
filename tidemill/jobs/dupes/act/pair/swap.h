// The three ways to take a duplicate's name away, and the ways back. pair.h has the drawing.
#pragma once

#include "tidemill/jobs/dupes/act/pair/pair.h"

namespace tidemill::dupes {

// A fault for the test of mutations to find: what was displaced is not looked at.
#ifdef TIDEMILL_PLANT
constexpr bool kLooksAgain = false;
#else
constexpr bool kLooksAgain = true;
#endif

[[nodiscard]] Tried<void> swap_for_link(const PairTools& tools, Displaced& pair);
[[nodiscard]] Tried<void> take_away(const PairTools& tools, Displaced& pair);
[[nodiscard]] Tried<void> move_away(const PairTools& tools, Displaced& pair);

// Puts everything back where it was, and hands on why; or says what could not be put back.
[[nodiscard]] std::unexpected<Refusal> put_back(Displaced& pair, Refusal why);

// The file under the temporary name is the one that was compared, and nobody wrote to it or waits
// to; the kept one still has the same bytes.
[[nodiscard]] Tried<void> expect_displaced(const PairTools& tools, Displaced& pair);

}  // namespace tidemill::dupes
