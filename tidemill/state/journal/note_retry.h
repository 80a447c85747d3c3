// Writes down that an attempt failed and another will follow. Called by the worker itself: it is
// rare, and the worker has to wait anyway.
#pragma once

#include "tidemill/base/clock.h"
#include "tidemill/base/result.h"
#include "tidemill/engine/journal.h"
#include "tidemill/engine/task.h"
#include "tidemill/state/journal/patience.h"

namespace tidemill::journal {

[[nodiscard]] inline Result<void> note_retry(const engine::Retrial& retrial,
                                             engine::Journal& journal, Patience& patience,
                                             const Clock& clock) {
  const WallTime now = clock.wall();
  const engine::Attempted entry{.id = retrial.id,
                                .attempt = retrial.attempt,
                                .failure = *retrial.failure,
                                .at = now,
                                .not_before = now + retrial.wait};
  return patience.insist([&] { return journal.commit_one(entry); });
}

}  // namespace tidemill::journal
