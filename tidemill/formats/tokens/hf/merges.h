// From the merges of a file to a plan that a vocabulary can be made from: one merge for each token,
// in the order of merging, so that the sides of each are bytes or were merged before.
//
// Merges inside a token know nothing of what is around it until it is whole. So the way it is made
// of its own bytes alone is the only one: it is tried out for every token. Two things happen in
// published files (Llama 3 has both):
//
//   - A token can be put together in several ways, and all are listed. Only one of them ever
//     happens; the others are left out. A token that does not come out whole is never made at all.
//   - A merge stands before one that it needs. It is done as soon as it can be, and gets its place
//     in the order there.
#pragma once

#include "tidemill/base/result.h"
#include "tidemill/formats/tokens/hf/file.h"
#include "tidemill/formats/tokens/vocabulary/vocabulary_plan.h"

namespace tidemill::tokens {

// Fails (step "tokenizer") when a merge had to wait and where it is done depends on what is done
// elsewhere in the text: no order of merges can say that.
[[nodiscard]] Result<VocabularyPlan> plan_of(HfFile file);

}  // namespace tidemill::tokens
