// batch: a tree cut into batches of so many tokens, and sent. The job as a whole.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tidemill/base/result.h"
#include "tidemill/engine/journal.h"
#include "tidemill/io/redis/address.h"
#include "tidemill/jobs/batch/ledger.h"
#include "tidemill/jobs/batch/options.h"
#include "tidemill/jobs/batch/send/sender.h"
#include "tidemill/state/run/run.h"
#include "tidemill/ui/command/context.h"

namespace tidemill::batch {

// What the program knows and the options do not say.
struct Surroundings {
  std::string tables{};      // where the tables of tokenizers are
  redis::Address address{};  // with its password
  std::string owner{};       // "host:pid"
};

// Another producer was at work, and the user wanted to leave then.
inline constexpr std::string_view kHeld = "held";

// Another producer was at work, we waited, and it came to the end of the job.
inline constexpr std::string_view kCompletedElsewhere = "completed elsewhere";

struct Outcome {
  std::string ending{};            // run::kComplete, …, kHeld or kCompletedElsewhere
  std::optional<Failure> cause{};  // of kFailed and kHeld
  Totals totals{};                 // of all processes of the run
  Sent sent{};
  engine::Tally tally{};
  bool has_found_all = false;
  bool has_lost_list = false;    // names are missing that came through a pipe
  std::uint64_t remembered = 0;  // files of this process that were not read again
  std::chrono::nanoseconds elapsed{0};
  std::string target{};        // the outlet's name
  std::string took_over{};     // the run whose work it goes on with
  std::string completed_by{};  // the run of kCompletedElsewhere

  [[nodiscard]] std::uint64_t skipped() const;
  [[nodiscard]] std::uint64_t found() const { return totals.files + skipped() + tally.failed(); }
  // A run that took over may have found that nothing was left to do.
  [[nodiscard]] bool has_matched_nothing() const {
    return ending == run::kComplete && found() == 0 && took_over.empty();
  }
};

// Whether what was asked for makes sense: to be asked before a run is made.
[[nodiscard]] Result<void> check(const Options& options, const Surroundings& around);

// Works on the run until everything has arrived or it has to stop. A Failure: it could not even
// start. What happened while it ran is in the outcome, and in the journal.
[[nodiscard]] Result<Outcome> work(const Options& options, const Surroundings& around,
                                   run::Run& run, command::Context& context);

// --dry-run: the batches as JSON lines, or their totals with --json; nothing else happens.
[[nodiscard]] Result<Outcome> rehearse(const Options& options, const Surroundings& around,
                                       command::Context& context);

}  // namespace tidemill::batch
