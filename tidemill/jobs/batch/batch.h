// The job `batch`: splits a tree into batches of a given number of tokens and sends them to a
// stream, a queue or standard output.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tidemill/base/result.h"
#include "tidemill/engine/journal.h"
#include "tidemill/io/redis/address.h"
#include "tidemill/jobs/batch/batch_journal.h"
#include "tidemill/jobs/batch/options.h"
#include "tidemill/jobs/batch/send/sender.h"
#include "tidemill/state/run/run.h"
#include "tidemill/ui/command/context.h"

namespace tidemill::batch {

// What the job needs from the program besides the options.
struct BatchContext {
  std::string tables{};           // the folder of the tokenizer tables
  redis::RedisAddress address{};  // with its password
  std::string owner{};            // "host:pid"
};

// Another producer holds the lease, and --if-held does not say to wait.
inline constexpr std::string_view kHeld = "held";

// Another producer held the lease and completed the job while we waited for it.
inline constexpr std::string_view kCompletedElsewhere = "completed elsewhere";

struct BatchOutcome {
  std::string ending{};            // run::kComplete, …, kHeld or kCompletedElsewhere
  std::optional<Failure> cause{};  // of kFailed and kHeld
  BatchTotals totals{};            // of all processes of the run
  Sent sent{};
  engine::Tally tally{};
  bool has_found_all = false;
  bool has_lost_list = false;    // the list came through a pipe and was not read to the end
  std::uint64_t remembered = 0;  // files of this process whose counts came from the catalogue
  std::chrono::nanoseconds elapsed{0};
  std::string target{};        // the outlet's name
  std::string took_over{};     // the run of another producer that this run continues
  std::string completed_by{};  // the run of kCompletedElsewhere

  [[nodiscard]] std::uint64_t skipped() const;
  [[nodiscard]] std::uint64_t found() const { return totals.files + skipped() + tally.failed(); }
  // A run that took over may find nothing left to do: that does not count.
  [[nodiscard]] bool has_matched_nothing() const {
    return ending == run::kComplete && found() == 0 && took_over.empty();
  }
};

// Validates the options. Call it before a run is created.
[[nodiscard]] Result<void> check(const BatchOptions& options, const BatchContext& batch_context);

// Works on the run until every batch has arrived or the run has to stop. Returns a Failure only if
// the run could not start; failures while it ran are in the outcome and in the journal.
[[nodiscard]] Result<BatchOutcome> work(const BatchOptions& options,
                                        const BatchContext& batch_context, run::Run& run,
                                        command::Context& context);

// --dry-run: prints the batches as JSON lines, or their totals with --json. Has no other effect.
[[nodiscard]] Result<BatchOutcome> rehearse(const BatchOptions& options,
                                            const BatchContext& batch_context,
                                            command::Context& context);

}  // namespace tidemill::batch
