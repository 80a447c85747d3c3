// Records in the journal that an attempt failed and another will follow. The worker calls it
// directly: retries are rare, and the worker has to wait anyway.
#pragma once

#include "tidemill/base/clock.h"
#include "tidemill/base/result.h"
#include "tidemill/engine/journal.h"
#include "tidemill/engine/task.h"
#include "tidemill/state/journal/disk_full_wait.h"

namespace tidemill::journal {

[[nodiscard]] inline Result<void> note_retry(const engine::Retrial& retrial,
                                             engine::Journal& journal, DiskFullWait& disk_full_wait,
                                             const Clock& clock) {
  const WallTime now = clock.wall();
  const engine::Attempted entry{.id = retrial.id,
                                .attempt = retrial.attempt,
                                .failure = *retrial.failure,
                                .at = now,
                                .not_before = now + retrial.wait};
  return disk_full_wait.retry_until_written([&] { return journal.commit_one(entry); });
}

}  // namespace tidemill::journal
