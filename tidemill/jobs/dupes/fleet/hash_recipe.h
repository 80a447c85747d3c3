// The recipe "hash": the files of `catalogue hash`, read by the workers of a fleet with the same
// RecordedReader as on one host. It has no settings. A payload is a HashPayload, the text of a done
// task is the bytes of the hash, and failures are those of the local command.
#pragma once

#include "tidemill/jobs/recipe.h"

namespace tidemill::dupes {

[[nodiscard]] const jobs::Recipe& hash_recipe();

}  // namespace tidemill::dupes
