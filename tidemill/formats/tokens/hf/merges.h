// Turns the merges of a file into a plan for a vocabulary: one merge for each token, in the order
// of merging, so that both sides of each are bytes or were merged before.
//
// Merges inside a token do not depend on the surrounding text until the token is complete. So a
// token is always made in the same way, as from its own bytes alone: this is simulated for every
// token. Published files have two peculiarities (Llama 3 has both):
//
//   - A token can be merged in several ways, and all of them are listed. Only one of them can ever
//     happen; the others are omitted. A token that the simulation does not complete is never made.
//   - A merge is listed before one that it needs. It is done as soon as it is possible, and its
//     place in the order is there.
#pragma once

#include "tidemill/base/result.h"
#include "tidemill/formats/tokens/hf/file.h"
#include "tidemill/formats/tokens/vocabulary/vocabulary_plan.h"

namespace tidemill::tokens {

// Fails (step "tokenizer") if a merge is listed too early and its effect depends on other merges in
// the text: no order of merges can express that.
[[nodiscard]] Result<VocabularyPlan> plan_of(HfFile file);

}  // namespace tidemill::tokens
