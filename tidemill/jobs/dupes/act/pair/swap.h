// The three ways to displace a duplicate, and their roll-back. pair.h has the drawing.
#pragma once

#include "tidemill/jobs/dupes/act/pair/pair.h"

namespace tidemill::dupes {

// A planted fault that the mutation test must find: the displaced file is not checked.
#ifdef TIDEMILL_PLANT
constexpr bool kLooksAgain = false;
#else
constexpr bool kLooksAgain = true;
#endif

[[nodiscard]] Tried<void> swap_for_link(const PairTools& tools, Displaced& pair);
[[nodiscard]] Tried<void> take_away(const PairTools& tools, Displaced& pair);
[[nodiscard]] Tried<void> move_away(const PairTools& tools, Displaced& pair);

// Rolls back and returns `why`; or fails with a reason that says what could not be rolled back.
[[nodiscard]] std::unexpected<Refusal> put_back(Displaced& pair, Refusal why);

// The displaced file is the one that was compared, it was not written to and no process waits to
// write to it; the kept file still has the same bytes.
[[nodiscard]] Tried<void> expect_displaced(const PairTools& tools, Displaced& pair);

}  // namespace tidemill::dupes
